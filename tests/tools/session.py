"""Keep the README's session true: run its commands and compare, or write what they print.

python -m tests.tools.session          # fails and shows the difference
python -m tests.tools.session --write  # puts the real output into README.md
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tools.generated import Part

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
PART = Part(README, "<!-- session:begin -->\n", "<!-- session:end -->\n")

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


if __name__ == "__main__":
    sys.exit(PART.settle(session(), sys.argv[1:]))
