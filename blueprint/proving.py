"""Prove every law for all parameters, and keep exactly what was solved.

proofs/<family>/<rule>/ holds one SMT-LIB2 file for each distinct obligation and evidence.json; negative/ holds the
false variants, each with its counterexample; expected.txt lists every obligation that must exist.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from blueprint import smtlib
from blueprint.codec import encode
from blueprint.discharge import Evidence, SolverPool, discharge
from blueprint.errors import InputError, UsageError
from blueprint.extension import load_extension
from blueprint.files import write_whole
from blueprint.outcome import Finding, Outcome, Status
from blueprint.rehearsal import rehearse
from blueprint.rule import Rule
from blueprint.rulebook import Rulebook, shipped
from blueprint.session import cross_checker, open_rulebook, proofs_folder, worker_count
from blueprint.settings import DEFAULT_BUDGET
from blueprint.symbols import ALPHABET
from blueprint.term import evaluate, holds, show
from blueprint.theorems import (
    ProvedLaw,
    ProvedObligation,
    RuleProofs,
    derivation_source,
    evidence_path,
    is_current,
    read_proofs,
)
from blueprint.theory import Theorem, theorems_of
from blueprint.verdict import Obligation, Verdict
from blueprint.words import plain
from blueprint.workload.extension import ElementwiseOperation

SEED: Final = 0
"""The solver's random seed, fixed in solver.py."""

RESOURCE_TOLERANCE: Final = 10
"""Percent by which a solver's step count may differ from the recorded one."""

NEGATIVE: Final = "negative/"
"""The folder of the false variants, beside a rule's proofs."""

_SLUG: Final = re.compile(r"[^a-z0-9]+")


class ProofRow(msgspec.Struct, frozen=True, kw_only=True):
    """One form of a law, over all its cases."""

    rule: str
    law: str
    form: str
    cases: int
    obligations: int
    verdict: Status
    negative: bool
    reason: str


class ProofReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the law book."""

    outcome: Outcome
    rows: tuple[ProofRow, ...]
    findings: tuple[Finding, ...]
    obligations: int
    solvers: tuple[str, ...]
    foreign_rules: str = ""
    """The digest of a rulebook that is not the shipped one."""
    unchanged: tuple[str, ...] = ()
    """Rules that were not decided again, because nothing on which their recorded proofs rest has changed."""


@dataclass(frozen=True)
class _Recorded:
    """One distinct obligation with its file's name and text."""

    file: str
    text: str
    obligation: Obligation
    negative: bool
    evidence: Evidence | None = None


@dataclass(frozen=True)
class _RuleWork:
    """A rule's theorems, and the names of the files that each of them rests on."""

    rule: Rule
    theorems: tuple[tuple[Theorem, tuple[str, ...]], ...]
    records: dict[str, _Recorded]


def prove(
    proofs: str | Path | None = None,
    *,
    rules: str | Path | None = None,
    only: Sequence[str] = (),
    check: bool = False,
    jobs: int | None = None,
    budget: int = DEFAULT_BUDGET,
    cross_check: bool = False,
    everything: bool = False,
) -> ProofReport:
    """Decide the theorems of every rule whose proofs are not recorded as they would be, or of the rules in `only`.

    Proofs lie in `proofs`, by default beside the rules. Without `check` the folder is written; with it, everything is
    decided again and compared with what the folder holds. A rule is unchanged if its file, the derivation, the solver
    and the budget are those of its record; with `everything` or `cross_check` it is decided all the same. `cross_check`
    asks cvc5 too. The rules of a rulebook that is not the shipped one are also held against what the passes derive.
    Raises UsageError for an unknown rule, InputError where the folder holds something that writing would delete, and
    DecidersDisagreeError.
    """
    proofs = proofs_folder(rules) if proofs is None else Path(proofs)
    with SolverPool(worker_count(jobs)) as pool:
        # By its path even if it is the shipped one: only a named rulebook is evaluated in every case.
        rulebook = open_rulebook(shipped("rules") if rules is None else rules)
        chosen = _chosen(rulebook, only)
        decide_all = check or everything or cross_check or bool(only)
        extension = load_extension(rulebook)
        works = [_work(rule, extension.operations) for rule in chosen]
        kept = [] if decide_all else [work.rule.id for work in works if _unchanged(proofs, rulebook, work, budget)]
        works = [work for work in works if work.rule.id not in kept]
        if not check:
            _refuse_foreign_files(proofs, works)
        asked = [record.obligation for work in works for record in work.records.values()]
        found = iter(discharge(asked, pool, budget, cross_checker(asked=cross_check)))
    decided = [_decided(work, found) for work in works]
    findings = [finding for work in decided for finding in _findings(work)]
    if rules is not None:
        findings += rehearse(rulebook, extension)
    expected = _expected(decided)
    if check:
        findings += _compare(proofs, rulebook, decided)
        findings += _compare_expected(proofs, expected, complete=not only, chosen=chosen)
    else:
        # What failed is no proof: the record of before stays, and speaks of another file.
        sound = [work for work in decided if not any(_findings(work))]
        _write(proofs, rulebook, sound)
        if any(work.records for work in sound):
            _write_expected(proofs, _expected(sound), [work.rule for work in sound], rulebook)
    refuted = any(
        record.evidence is not None and record.evidence.verdict is Verdict.REFUTED
        for work in decided
        for record in work.records.values()
        if not record.negative
    )
    evidence = [record.evidence for work in decided for record in work.records.values() if record.evidence]
    return ProofReport(
        outcome=_outcome(findings, established=bool(evidence or kept), evidence=evidence, refuted=refuted),
        rows=tuple(row for work in decided for row in _rows(work)),
        findings=tuple(findings),
        obligations=len(evidence),
        solvers=tuple(sorted({each.decider for each in evidence} | {each.second.decider for each in evidence})),
        foreign_rules="" if rules is None else rulebook.digest,
        unchanged=tuple(kept),
    )


def _chosen(rulebook: Rulebook, only: Sequence[str]) -> list[Rule]:
    known = {rule.id: rule for rule in rulebook.rules}
    for each in only:
        if each not in known:
            raise UsageError(f"no rule {plain(each)!r}; `blueprint laws` lists them")
    return [rule for rule in rulebook.rules if not only or rule.id in only]


def _unchanged(proofs: Path, rulebook: Rulebook, work: _RuleWork, budget: int) -> bool:
    """Whether the record of a rule is that of exactly these theorems, under these sources, solver and budget.

    The verdicts are the record's own word; `check` decides again.
    """
    home, recorded = evidence_path(proofs, work.rule.id).parent, read_proofs(proofs, work.rule.id)
    sources = rulebook.sources[work.rule.id], derivation_source(rulebook.extension_source)
    if recorded is None or not work.records or not is_current(recorded, *sources):
        return False
    solver = f"z3 {'.'.join(metadata.version('z3-solver').split('.')[:3])}: "
    stored = {each.file: each for each in recorded.obligations}
    if (
        recorded.laws != tuple(_laws(work))
        or stored.keys() != work.records.keys()
        or any(theorem.fault for theorem, _ in work.theorems)
    ):
        return False
    return all(
        stored[file].verdict == ("refuted" if record.negative else "proved")
        and stored[file].solver.startswith(solver)
        and stored[file].budget <= budget
        and (home / file).is_file()
        and (home / file).read_bytes() == record.text.encode("ascii")
        for file, record in work.records.items()
    )


def _work(rule: Rule, added: tuple[ElementwiseOperation, ...]) -> _RuleWork:
    theorems: list[tuple[Theorem, tuple[str, ...]]] = []
    records: dict[str, _Recorded] = {}
    # Most cases of the strategy lead to the same questions, which are written down once.
    known: dict[tuple[object, ...], str] = {}
    for theorem in theorems_of(rule, added):
        files = []
        for obligation in theorem.obligations:
            # By everything that is written down or decided; the witness follows from the hypotheses.
            asked = (obligation.hypotheses, obligation.goal, obligation.because)
            key = (theorem.law, theorem.form, theorem.negative, asked)
            if key not in known:
                record = _record(theorem, obligation)
                records.setdefault(record.file, record)
                known[key] = record.file
            files.append(known[key])
        theorems.append((theorem, tuple(files)))
    return _RuleWork(rule, tuple(theorems), records)


def _record(theorem: Theorem, obligation: Obligation) -> _Recorded:
    """The obligation with its law and its symbols as comments: the text that is solved is the text that is stored."""
    names = smtlib.render(obligation).names
    comments = (
        f"law {theorem.law} ({theorem.form}) of rule {theorem.rule}",
        f"{theorem.statement}",
        "a false variant: satisfiable" if theorem.negative else "true for all parameters: unsatisfiable",
        *(f"v{position} is {name}: {ALPHABET[name].meaning}" for position, name in enumerate(names)),
    )
    commented = msgspec.structs.replace(obligation, comments=comments)
    rendered = smtlib.render(commented)
    slug = _SLUG.sub("-", f"{theorem.law}.{theorem.form}".lower()).strip("-")
    prefix = NEGATIVE if theorem.negative else ""
    return _Recorded(f"{prefix}{slug}.{rendered.digest[:12]}.smt2", rendered.text, commented, theorem.negative)


def _decided(work: _RuleWork, found: Iterator[Evidence]) -> _RuleWork:
    records = {
        file: _Recorded(record.file, record.text, record.obligation, record.negative, next(found))
        for file, record in work.records.items()
    }
    return _RuleWork(work.rule, work.theorems, records)


# What was found -----------------------------------------------------------------------------------------------------


def _findings(work: _RuleWork) -> Iterator[Finding]:
    """One finding for each form of a law and way in which it fails: the first case, and how many more there are."""
    failed: dict[tuple[str, str], list[tuple[Theorem, _Recorded | None]]] = {}
    for theorem, files in work.theorems:
        where = f"{theorem.rule}/{theorem.law} ({theorem.form})"
        if theorem.fault or (theorem.negative and not files):
            failed.setdefault((where, "group"), []).append((theorem, None))
        wanted = Verdict.REFUTED if theorem.negative else Verdict.PROVED
        for record in (work.records[file] for file in dict.fromkeys(files)):
            if record.evidence is None or record.evidence.verdict is not wanted:
                said = record.evidence.verdict.value if record.evidence else ""
                failed.setdefault((where, said), []).append((theorem, record))
    for (where, _), group in failed.items():
        theorem, example = group[0]
        others = len({each.case for each, _ in group} - {theorem.case})
        case = f", in the case {theorem.case}" if theorem.case else ""
        more = f" and in {others} others" if others else ""
        if example is None:
            fault = theorem.fault or "a false variant that speaks of no task states nothing"
            yield Finding(code="law.group", message=f"{fault}{case}{more}", path=where)
        else:
            yield Finding(code="law.theorem", message=f"{_disappointment(theorem, example)}{case}{more}", path=where)


def _disappointment(theorem: Theorem, record: _Recorded) -> str:
    """What was found instead, with both sides at the counterexample, whose re-evaluation needs no solver."""
    evidence = record.evidence
    if evidence is None:
        return "not decided"
    wanted = "a false variant must be refuted, and is" if theorem.negative else "is"
    said = f"{theorem.statement}: {wanted} {evidence.verdict.value}"
    values = evidence.counterexample
    if not values:
        return f"{said}: {evidence.reason}" if evidence.reason else said
    goal = next(each for each in record.obligation.goal if not holds(each, values))
    derived, stated = (f"{plain(show(side))} = {evaluate(side, values)}" for side in (goal.left, goal.right))
    point = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"{said}: derived is {derived}, the law has {stated}, at {point}"


def _rows(work: _RuleWork) -> Iterator[ProofRow]:
    groups: dict[tuple[str, str, bool], list[tuple[Theorem, tuple[str, ...]]]] = {}
    for theorem, files in work.theorems:
        groups.setdefault((theorem.law, theorem.form, theorem.negative), []).append((theorem, files))
    for (law, form, negative), members in groups.items():
        files_used = dict.fromkeys(file for _, files in members for file in files)
        evidence = [found for file in files_used if (found := work.records[file].evidence)]
        bad = next((each for each in evidence if (each.verdict is Verdict.REFUTED) is not negative), None)
        fault = next((theorem.fault for theorem, _ in members if theorem.fault), "")
        status = Status.REFUTED if fault or negative else Status.PROVED
        if not evidence and (negative or not fault):
            status = Status.NOT_APPLICABLE
        if bad is not None:
            status = Status(bad.verdict.value)
        unknown = next((each for each in evidence if each.verdict in {Verdict.UNKNOWN, Verdict.VACUOUS}), None)
        if unknown is not None:
            status = Status(unknown.verdict.value)
        yield ProofRow(
            rule=work.rule.id,
            law=law,
            form=form,
            cases=sum(bool(files) for _, files in members),
            obligations=len(files_used),
            verdict=status,
            negative=negative,
            reason=fault or (unknown.reason if unknown else ""),
        )


def _outcome(findings: Sequence[Finding], evidence: Sequence[Evidence], *, established: bool, refuted: bool) -> Outcome:
    """`established` says whether anything was decided now or is recorded, `refuted` whether a law has a counterexample.

    A false variant that is not refuted is no counterexample, but a finding all the same.
    """
    if not findings:
        return Outcome.VERIFIED if established else Outcome.NOT_ESTABLISHED
    undecided = any(each.verdict in {Verdict.UNKNOWN, Verdict.VACUOUS} for each in evidence)
    only_undecided = undecided and all(finding.code == "law.theorem" for finding in findings)
    return Outcome.NOT_ESTABLISHED if only_undecided and not refuted else Outcome.REFUTED


# The folder ---------------------------------------------------------------------------------------------------------


def _proofs_of(rulebook: Rulebook, work: _RuleWork) -> RuleProofs:
    return RuleProofs(
        rule=work.rule.id,
        rule_source=rulebook.sources[work.rule.id],
        derivation_source=derivation_source(rulebook.extension_source),
        laws=tuple(_laws(work)),
        obligations=tuple(_stored(record) for _, record in sorted(work.records.items()) if record.evidence is not None),
    )


def _laws(work: _RuleWork) -> Iterator[ProvedLaw]:
    groups: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for theorem, files in work.theorems:
        groups.setdefault((theorem.law, theorem.form, files), []).append(theorem.case)
    for (law, form, files), cases in groups.items():
        yield ProvedLaw(law=law, form=form, cases=tuple(cases), files=files)


def _stored(record: _Recorded) -> ProvedObligation:
    evidence = record.evidence
    if evidence is None:
        raise UsageError(f"{record.file} was not decided")
    second = evidence.second
    return ProvedObligation(
        file=record.file,
        digest=evidence.digest,
        verdict=evidence.verdict.value,
        solver=f"{evidence.decider}: {evidence.said.value}",
        seed=SEED,
        budget=evidence.budget,
        resource=evidence.resource,
        second=f"{second.decider}: {second.verdict.value}",
        core=evidence.core,
        witness=dict(record.obligation.witness),
        counterexample=dict(evidence.counterexample),
    )


def _refuse_foreign_files(proofs: Path, works: Iterable[_RuleWork]) -> None:
    """A rule's folder is replaced as a whole, so it must hold nothing but proofs: nobody's files are deleted."""
    for home in (evidence_path(proofs, work.rule.id).parent for work in works if work.records):
        for path in home.rglob("*"):
            is_ours = path.suffix == ".smt2" or path in (home / "evidence.json", home / "negative")
            if not is_ours:
                raise InputError("is no proof, and recording proofs would delete it; move it away", path=plain(path))


def _write(proofs: Path, rulebook: Rulebook, works: Iterable[_RuleWork]) -> None:
    """Write each rule's folder beside the old one, then put it in its place: an interrupt loses no proof."""
    for work in works:
        home = evidence_path(proofs, work.rule.id).parent
        if not work.records:
            continue
        fresh = home.with_name(f".{home.name}.new")
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            (fresh / "negative").mkdir(parents=True)
            for file, record in work.records.items():
                write_whole(fresh / file, record.text.encode("ascii"))
            write_whole(fresh / "evidence.json", _pretty(_proofs_of(rulebook, work)))
            shutil.rmtree(home, ignore_errors=True)
            fresh.rename(home)
        except OSError as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise InputError(f"the proofs cannot be written: {plain(error.strerror)}", path=plain(home)) from None


def _pretty(proofs: RuleProofs) -> bytes:
    return msgspec.json.format(encode(proofs), indent=1) + b"\n"


def _expected(works: Iterable[_RuleWork]) -> list[str]:
    return sorted(f"{_folder(work.rule)}/{file}" for work in works for file in work.records)


def _folder(rule: Rule) -> str:
    return rule.id.replace(".", "/")


def _read_expected(proofs: Path) -> list[str]:
    path = proofs / "expected.txt"
    try:
        return path.read_text(encoding="ascii").splitlines() if path.is_file() else []
    except (OSError, UnicodeError):
        raise InputError("the list of expected obligations cannot be read", path=plain(path)) from None


def _write_expected(proofs: Path, expected: list[str], chosen: Sequence[Rule], rulebook: Rulebook) -> None:
    """The list anew: lines of other rules stay, and none of what is no rule."""
    others = tuple(f"{_folder(rule)}/" for rule in rulebook.rules if rule not in chosen)
    kept = [line for line in _read_expected(proofs) if line.startswith(others)]
    write_whole(proofs / "expected.txt", "".join(f"{line}\n" for line in sorted({*kept, *expected})).encode("ascii"))


def _compare_expected(
    proofs: Path, expected: list[str], *, complete: bool, chosen: Sequence[Rule]
) -> Iterator[Finding]:
    folders = tuple(f"{_folder(rule)}/" for rule in chosen)
    listed = {line for line in _read_expected(proofs) if complete or line.startswith(folders)}
    stored = {
        path.relative_to(proofs).as_posix()
        for path in proofs.rglob("*.smt2")
        if complete or path.relative_to(proofs).as_posix().startswith(folders)
    }
    for name, have in (("expected.txt", listed), ("the folder", stored)):
        for line in sorted(set(expected) - have):
            yield Finding(code="proofs.missing", message=f"{name} lacks this obligation", path=line)
        for line in sorted(have - set(expected)):
            yield Finding(code="proofs.extra", message=f"{name} has an obligation that no law states", path=plain(line))


def _compare(proofs: Path, rulebook: Rulebook, works: Iterable[_RuleWork]) -> Iterator[Finding]:
    for work in works:
        if not work.records:
            continue
        path = evidence_path(proofs, work.rule.id)
        for file, record in work.records.items():
            stored = path.parent / file
            if stored.is_file() and stored.read_bytes() != record.text.encode("ascii"):
                yield Finding(code="proofs.text", message="the stored text is not what was solved", path=file)
        if not path.is_file():
            yield Finding(code="proofs.missing", message="there is no evidence.json", path=work.rule.id)
            continue
        try:
            recorded = msgspec.json.decode(path.read_bytes(), type=RuleProofs)
        except msgspec.MsgspecError as error:
            yield Finding(code="proofs.evidence", message=plain(error), path=work.rule.id)
            continue
        yield from _differences(work.rule.id, recorded, _proofs_of(rulebook, work))


def _differences(rule: str, recorded: RuleProofs, fresh: RuleProofs) -> Iterator[Finding]:
    """Everything but step counts must be equal; those may differ by a tenth."""
    if _without_resources(recorded) != _without_resources(fresh):
        yield Finding(code="proofs.evidence", message="evidence.json differs from what this run found", path=rule)
        return
    for old, new in zip(recorded.obligations, fresh.obligations, strict=True):
        if abs(old.resource - new.resource) * 100 > RESOURCE_TOLERANCE * max(old.resource, new.resource):
            message = f"the solver took {new.resource} steps, {old.resource} are recorded"
            yield Finding(code="proofs.resource", message=message, path=f"{rule}/{old.file}")


def _without_resources(proofs: RuleProofs) -> RuleProofs:
    bare = tuple(msgspec.structs.replace(each, resource=0) for each in proofs.obligations)
    return msgspec.structs.replace(proofs, obligations=bare)
