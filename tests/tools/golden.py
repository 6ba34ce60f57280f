"""Keep the golden reports true: render every sample in every format and compare, or write what comes out.

python -m tests.tools.golden          # fails and names the files that differ
python -m tests.tools.golden --write  # writes them anew

What the files hold is judged elsewhere, by parsers and by counts; here only a change is noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from blueprint.cli.examining import unpainted
from blueprint.cli.formats import FORMATS, rendered
from blueprint.report.subjects import Examined
from tests.report import samples

FOLDER: Final = Path(__file__).parents[1] / "report" / "golden"

ENDINGS: Final = {
    "text": "txt",
    "json": "json",
    "markdown": "md",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github",
}

CASES: Final[Mapping[str, list[Examined]]] = {
    **{
        name: [Examined(f"{name}.json", f"plans/{name}.json", samples.ALL[name])]
        for name in ("verified", "refuted", "not_established", "malformed")
    },
    "empty": [Examined("plans", "", samples.EMPTY)],
    "several": [
        Examined("verified.json", "verified.json", samples.VERIFIED),
        Examined("-", "", samples.INFERENCE),
        Examined(samples.HOSTILE, samples.HOSTILE, samples.REFUTED),
        Examined("plans", "", samples.EMPTY),
    ],
}


def golden() -> Iterator[tuple[str, bytes]]:
    """The name and the content of every file. With evidence, so that all that a report can show is shown."""
    for case, subjects in CASES.items():
        for form in FORMATS:
            content = rendered(form, subjects, unpainted, several=len(subjects) > 1, evidence=True)
            yield f"{case}.{ENDINGS[form]}", content


def settle(folder: Path, arguments: list[str]) -> int:
    """Write with --write; without it, name the files that differ. The exit status: 0 where there is none."""
    wanted = dict(golden())
    if "--write" in arguments:
        folder.mkdir(exist_ok=True)
        for name, content in wanted.items():
            (folder / name).write_bytes(content)
        return 0
    held = {path.name: path.read_bytes() for path in folder.iterdir()}
    differing = sorted(name for name in held.keys() | wanted.keys() if held.get(name) != wanted.get(name))
    sys.stdout.writelines(f"{name} is not what is rendered\n" for name in differing)
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(settle(FOLDER, sys.argv[1:]))
