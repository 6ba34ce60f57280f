"""The recorded proofs: what is stored beside each rule, and whether it still speaks of the installed sources.

A recorded theorem is believed only as far as this: that the rule's file and the derivation's files have the digests
with which it was proved. It is listed apart and never counted as proved by the run that reads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from blueprint.outcome import TheoremStatus

DERIVATION_SOURCES = (
    "case.py",
    "discharge.py",
    "exact.py",
    "insertion.py",
    "ir/common.py",
    "ir/model.py",
    "ir/request.py",
    "law.py",
    "normalform.py",
    "obligation.py",
    "proving.py",
    "rule.py",
    "smtlib.py",
    "solver.py",
    "symbols.py",
    "term.py",
    "theory.py",
    "theory_layout.py",
    "verdict.py",
    "worker.py",
    "workload/attention.py",
    "workload/dims.py",
    "workload/extension.py",
    "workload/inference_block.py",
    "workload/inference_dims.py",
    "workload/inference_memory.py",
    "workload/layout.py",
    "workload/maximum.py",
    "workload/memory.py",
    "workload/operators.py",
    "workload/order.py",
    "workload/plan.py",
    "workload/primitives.py",
    "workload/stack.py",
    "workload/stage.py",
    "workload/symbolic.py",
    "workload/training_block.py",
)
"""The files of the package on which the text of a theorem and its verdict depend, besides the rule's own."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the stored structures."""


class ProvedObligation(_Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One obligation as it was decided. Nothing here differs from run to run."""

    file: str
    digest: str
    verdict: str
    solver: str
    seed: int
    budget: int
    resource: int
    second: str
    core: tuple[int, ...]
    witness: dict[str, int]
    counterexample: dict[str, int]


class ProvedLaw(_Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One form of a law in the cases that lead to the same obligations; the single case "" stands for all."""

    law: str
    form: str
    cases: tuple[str, ...]
    files: tuple[str, ...]


class RuleProofs(_Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`evidence.json` of one rule."""

    rule: str
    rule_source: str
    derivation_source: str
    laws: tuple[ProvedLaw, ...]
    obligations: tuple[ProvedObligation, ...]


@cache
def derivation_source(extension: bytes = b"") -> str:
    """SHA-256 over the derivation's files, names and lengths included, and over an extension's own."""
    package = Path(__file__).parent
    files = {name: (package / name).read_bytes() for name in DERIVATION_SOURCES}
    if extension:
        files["extension.py"] = extension
    total = hashlib.sha256()
    for name, data in files.items():
        for part in (name.encode(), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def evidence_path(proofs: Path, rule: str) -> Path:
    """Where the proofs of a rule lie: proofs/<family>/<rule>/evidence.json."""
    family, stem = rule.split(".")
    return proofs / family / stem / "evidence.json"


def read_proofs(proofs: Path, rule: str) -> RuleProofs | None:
    """The recorded proofs of a rule, or None where there are none that can be read."""
    try:
        return msgspec.json.decode(evidence_path(proofs, rule).read_bytes(), type=RuleProofs)
    except (OSError, msgspec.MsgspecError):
        return None


def is_current(proofs: RuleProofs, rule_source: str, derivation: str) -> bool:
    """Whether proofs speak of this rule and this derivation."""
    return (proofs.rule_source, proofs.derivation_source) == (rule_source, derivation)


class Theorems:
    """Recorded theorems by law, form and case, of the first folder whose record speaks of the rule as it is."""

    def __init__(self, folders: Sequence[Path], sources: Mapping[str, str], extension: bytes = b"") -> None:
        self._folders = folders
        self._sources = sources
        self._derivation = derivation_source(extension)
        self._read: dict[str, RuleProofs | None] = {}

    def lookup(self, rule: str, law: str, form: str, case: str) -> tuple[TheoremStatus, tuple[str, ...]]:
        """The status of the theorem behind a law instance, and the digests of its obligations."""
        proofs = self._rule(rule)
        if proofs is None:
            return TheoremStatus.ABSENT, ()
        digests = {each.file: each.digest for each in proofs.obligations if each.verdict == "proved"}
        for entry in proofs.laws:
            if (entry.law, entry.form) == (law, form) and (case in entry.cases or entry.cases == ("",)):
                found = tuple(digests.get(file, "") for file in entry.files)
                # No files: in this case the law speaks of an empty group, and there was nothing to prove.
                if all(found):
                    return TheoremStatus.RECORDED, found
        return TheoremStatus.ABSENT, ()

    def _rule(self, rule: str) -> RuleProofs | None:
        if rule not in self._read:
            self._read[rule] = self._load(rule)
        return self._read[rule]

    def _load(self, rule: str) -> RuleProofs | None:
        if rule not in self._sources:
            return None
        found = (read_proofs(folder, rule) for folder in self._folders)
        source, derivation = self._sources[rule], self._derivation
        return next((each for each in found if each is not None and is_current(each, source, derivation)), None)
