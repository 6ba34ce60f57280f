"""Coverage-guided fuzzing of decoding and of verifying: `make fuzz SECONDS=600`, half of the time for each.

It begins with the committed corpus. New inputs that reach further go to build/fuzz, and so does what is found: an
exception that is no declared refusal, a verdict that must not be, a hang, or too much memory.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
CORPUS: Final = Path(__file__).parent / "corpus"
WORDS: Final = CORPUS / "words.dict"
BUILD: Final = ROOT / "build" / "fuzz"

TARGETS: Final = ("decode", "verify")
MEBIBYTES: Final = 2048
"""Of memory, after which an input counts as a finding."""

HANG: Final = 60
"""Seconds, after which an input counts as a finding."""

LONGEST: Final = {"decode": 65_536, "verify": 256}
"""Bytes of an input: a whole bundle, or choices."""

_DONE: Final = re.compile(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)")


class Result(NamedTuple):
    """What one target's run came to."""

    target: str
    status: int
    executions: int
    edges: int
    features: int
    corpus: int

    def line(self) -> str:
        found = "nothing found" if self.status == 0 else f"FOUND SOMETHING (status {self.status})"
        reached = f"{self.edges} edges, {self.features} features, {self.corpus} inputs kept"
        return f"{self.target}: {self.executions} executions, {reached}; {found}"


def fuzz(target: str, seconds: int) -> Result:
    """Run one target. What libFuzzer says goes to a log beside what it finds."""
    fresh, found = BUILD / "corpus" / target, BUILD / "found" / target
    for folder in (fresh, found):
        folder.mkdir(parents=True, exist_ok=True)
    options = (
        f"-max_total_time={seconds}", f"-timeout={HANG}", f"-rss_limit_mb={MEBIBYTES}", f"-max_len={LONGEST[target]}",
        "-print_final_stats=1", "-len_control=0", f"-dict={WORDS}", f"-artifact_prefix={found}/",
    )  # fmt: skip
    command = [sys.executable, "-m", "tests.fuzz.run", target, *options, str(fresh), str(CORPUS / target)]
    with (BUILD / f"{target}.log").open("w", encoding="utf-8") as log:
        status = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, check=False).returncode
    return result(target, status, (BUILD / f"{target}.log").read_text(encoding="utf-8", errors="replace"))


def result(target: str, status: int, log: str) -> Result:
    """The counts of a log. One without its last line is of a run that did not end as it should."""
    counts = _DONE.findall(log)
    if not counts:
        return Result(target, status or 1, 0, 0, 0, 0)
    executions, edges, features, corpus = map(int, counts[-1])
    return Result(target, status, executions, edges, features, corpus)


def main(seconds: int) -> int:
    """Print one line a target; the status is 1 where anything was found."""
    results = [fuzz(target, max(1, seconds // len(TARGETS))) for target in TARGETS]
    for each in results:
        print(each.line(), flush=True)
    return int(any(each.status for each in results))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
