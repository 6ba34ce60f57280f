"""Keep the README's session true: run its commands and compare, or write what they print.

python tests/tools/session.py          # fails and shows the difference
python tests/tools/session.py --write  # puts the real output into README.md
"""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- session:begin -->", "<!-- session:end -->"

DERIVE = (
    "blueprint derive training --model gpt3-175b --tensor 8 --microbatch 1 --sequence 2048 "
    "--recompute selective --communication sequence-parallel -o block.json"
)
VERIFY = "blueprint verify block.json"
TAMPERED = "blueprint verify tampered.json"


def run(command: str, folder: Path) -> str:
    """A command as a reader would see it: the prompt, what it prints, and its exit status if it is not 0."""
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    status = f"[exit {done.returncode}]\n" if done.returncode else ""
    return f"$ {command}\n{done.stderr}{done.stdout}{status}"


def tamper(folder: Path) -> None:
    """One operation more in the query projection: what a slip in a planner looks like."""
    bundle = json.loads((folder / "block.json").read_bytes())
    task = next(each for each in bundle["stages"][1]["snapshot"]["tasks"] if each["name"] == "query_projection.forward")
    task["work"]["operations"] += 1
    data = json.dumps(bundle, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    (folder / "tampered.json").write_text(data, encoding="utf-8")


def findings_only(output: str) -> str:
    """The prompt, the verdict line and what follows from the findings on: the rest is as before."""
    lines = output.splitlines(keepends=True)
    start = next(index for index, line in enumerate(lines) if line.startswith("findings:"))
    verdict = next(line for line in lines if line.startswith("verdict:"))
    return "".join([lines[0], "...\n", verdict, "...\n", *lines[start:]])


def session() -> str:
    """The whole session as a fenced block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [run(DERIVE, folder), run(VERIFY, folder)]
        tamper(folder)
        parts.append(findings_only(run(TAMPERED, folder)))
    return "```\n" + "\n".join(parts) + "```\n"


def sections(text: str) -> tuple[str, str, str]:
    """README before, inside and after the session."""
    before, rest = text.split(BEGIN + "\n")
    inside, after = rest.split(END)
    return before + BEGIN + "\n", inside, END + after


def main() -> int:
    """Compare, or write with --write."""
    before, inside, after = sections(README.read_text(encoding="utf-8"))
    real = session()
    if "--write" in sys.argv[1:]:
        README.write_text(before + real + after, encoding="utf-8")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(inside.splitlines(keepends=True), real.splitlines(keepends=True), "README.md", "real")
    )
    return int(inside != real)


if __name__ == "__main__":
    sys.exit(main())
