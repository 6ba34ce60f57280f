#!/usr/bin/env python3
"""Re-decide every recorded obligation with cvc5, trusting nothing but this file, Python's library and cvc5.

Run it from anywhere: python proofs/recheck.py [folder]. It imports nothing of Blueprint. For every file that
expected.txt lists it demands: the digest in evidence.json is that of the bytes; the negated goal is unsatisfiable
(or, for a false variant, satisfiable); the hypotheses hold at the recorded witness, so that nothing is proved from a
contradiction. Files that are not listed, and listed files that are not there, are failures. Exit status 0 or 1.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import cvc5

LIMIT = "5000000"
"""cvc5 resource units for one question; a question that needs more is a failure, never a success."""

SYMBOL = re.compile(r"^; (v[0-9]+) is ([A-Za-z_]+):", re.MULTILINE)
GOAL = re.compile(r"^\(assert \(not .*\)\)$", re.MULTILINE)


def decide(text: str) -> str:
    """`sat`, `unsat` or `unknown`."""
    solver = cvc5.Solver()
    solver.setOption("rlimit-per", LIMIT)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    manager = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        answer = command.invoke(solver, manager).strip() or answer


def at_witness(text: str, witness: dict[str, int]) -> str:
    """The question with its hypotheses alone, every variable fixed at the witness."""
    fixed = [f"(assert (= {number} {witness[name]}))" for number, name in SYMBOL.findall(text)]
    bare, count = GOAL.subn("\n".join(fixed), text)
    if count != 1:
        raise ValueError("the file has no single goal")
    return bare


def faults(path: Path, recorded: dict[str, Any]) -> list[str]:
    """What is wrong with one recorded obligation."""
    data = path.read_bytes()
    text = data.decode("ascii")
    found = []
    if hashlib.sha256(data).hexdigest() != recorded["digest"]:
        found.append("the digest is not that of the file")
    negative = path.parent.name == "negative"
    wanted, verdict = ("sat", "refuted") if negative else ("unsat", "proved")
    if recorded["verdict"] != verdict:
        found.append(f"recorded as {recorded['verdict']}, should be {verdict}")
    answer = decide(text)
    if answer != wanted:
        found.append(f"cvc5 says {answer or 'nothing'}, should say {wanted}")
    if decide(at_witness(text, recorded["witness"])) != "sat":
        found.append("the hypotheses do not hold at the recorded witness")
    return found


def main() -> int:
    """Check the whole folder and say what was found."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    listed = (folder / "expected.txt").read_text(encoding="ascii").split("\n")[:-1]
    present = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.smt2"))
    bad = [f"{name}: not listed, or not there" for name in sorted(set(listed) ^ set(present))]
    evidence: dict[Path, dict[str, Any]] = {}
    for name in sorted(set(listed) & set(present)):
        path = folder / name
        home = path.parent.parent if path.parent.name == "negative" else path.parent
        if home not in evidence:
            rows = json.loads((home / "evidence.json").read_text(encoding="ascii"))["obligations"]
            evidence[home] = {row["file"]: row for row in rows}
        recorded = evidence[home].get(path.relative_to(home).as_posix())
        if recorded is None:
            bad.append(f"{name}: no evidence")
            continue
        bad += [f"{name}: {fault}" for fault in faults(path, recorded)]
    for line in bad:
        print(line)
    print(f"{len(listed)} obligations re-decided by cvc5 {cvc5.__version__}, {len(bad)} failures")
    return 1 if bad or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
