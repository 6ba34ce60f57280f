"""Keep the sessions in the documents true: run their commands and compare, or write what they print.

python -m tests.tools.session          # fails and shows the difference
python -m tests.tools.session --write  # puts the real output into README.md and docs/reports.md

`...` stands for what is cut.
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
MENDING = Part(ROOT / "docs" / "reports.md", "<!-- mending:begin -->\n", "<!-- mending:end -->\n")

DERIVE = (
    "blueprint derive training --model gpt3-175b --tensor 8 --microbatch 1 --sequence 2048 "
    "--recompute selective --communication sequence-parallel -o block.json"
)
VERIFY = "blueprint verify block.json"
TAMPERED = "blueprint verify tampered.json"

LAWS = 4
"""Rows of a table of laws that are shown."""

FINDINGS = 5
"""Findings that are shown."""


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


def few_laws(output: str) -> str:
    """The first laws of every table, and an ellipsis for the others."""
    kept: list[str] = []
    rows = 0
    for line in output.splitlines(keepends=True):
        in_table = line.startswith("  ") and not line.startswith("  theorems")
        rows = 1 if line.startswith("  law  ") else rows + 1 if rows and in_table else 0
        if rows <= LAWS + 1:
            kept.append(line)
        elif rows == LAWS + 2:
            kept.append("  ...\n")
    return "".join(kept)


def findings_only(output: str) -> str:
    """The prompt, the verdict line, the first findings and what follows them: the rest is as before."""
    lines = output.splitlines(keepends=True)
    start = next(index for index, line in enumerate(lines) if line.startswith("findings:"))
    end = next(index for index, line in enumerate(lines) if line.startswith("refuted claims:"))
    verdict = next(line for line in lines if line.startswith("verdict:"))
    first = lines[start : start + 1 + FINDINGS]
    return "".join([lines[0], "...\n", verdict, "...\n", *first, "  ...\n", *lines[end:]])


def session() -> str:
    """The whole session as a fenced block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [run(DERIVE, folder), few_laws(run(VERIFY, folder))]
        tamper(folder)
        parts.append(findings_only(run(TAMPERED, folder)))
    return "```\n" + "\n".join(parts) + "```\n"


def mending() -> str:
    """The way from a finding to the formula, as a fenced block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(DERIVE, folder)
        tamper(folder)
        verified = run(TAMPERED, folder)
        code = next(line for line in verified.splitlines() if line.startswith("    claim.")).split(":")[0].strip()
        relation = next(line for line in verified.splitlines() if "(relation " in line)
        explained = run(f"blueprint report tampered.json --explain {relation.split()[-1].rstrip(')')}", folder)
        parts = [verdict_only(verified), run(f"blueprint explain {code}", folder), claim_only(explained)]
    return "```\n" + "\n".join(parts) + "```\n"


def verdict_only(output: str) -> str:
    """The prompt, the verdict and what to mend first."""
    lines = output.splitlines(keepends=True)
    start = next(index for index, line in enumerate(lines) if line.startswith("verdict:"))
    return "".join([lines[0], "...\n", *lines[start : start + 3], "...\n", lines[-1]])


def claim_only(output: str) -> str:
    """The prompt, what the relation is, and the first claim up to its question."""
    lines = output.splitlines(keepends=True)
    relation, law, claim, question = (
        next(index for index, line in enumerate(lines) if line.startswith(start))
        for start in ("relation:", "law ", "claim ", "  question ")
    )
    return "".join([lines[0], "...\n", *lines[relation:law], "...\n", *lines[claim:question], "  ...\n"])


if __name__ == "__main__":
    sys.exit(PART.settle(session(), sys.argv[1:]) or MENDING.settle(mending(), sys.argv[1:]))
