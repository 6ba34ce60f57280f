"""Put good bundles wrong, one fault at a time, and see what stops each: `make mutate-bundles`.

Everything that depends on a fault is made again: ids, digests, the later stages by the honest passes, and the recorded
reports by an honest run, so that only the meaning is wrong. Each mutant is verified twice: with deterministic replay,
and without, so that the claims and laws alone must stop it. Where only replay stops one, a claim or a law is too weak.

The table says by what. Its targets are enforced: the exit status is 1 under any of them.
"""

from __future__ import annotations

import atexit
import functools
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
import pytest

from blueprint.errors import BlueprintError
from blueprint.frontend.request import deployment_of, inference_request, target_of, training_request
from blueprint.ir.common import Branch, DType, Stage
from blueprint.ir.request import (
    Attention,
    Communication,
    ModelFacts,
    Recompute,
    Request,
    TargetKind,
    Training,
    branches_of,
)
from blueprint.outcome import Outcome, Report, Status
from blueprint.rule import Claim
from blueprint.session import open_rulebook
from blueprint.verification import verify, verify_without_replay
from tests.bundles.branches import BranchDraft
from tests.bundles.conftest import TINY, Memory, lasting_pool, shared
from tests.bundles.stacks import STEPS, good, training_stage_request
from tests.mutation import bundle_bindings, bundle_operators, bundle_records
from tests.mutation.bundle_sites import Operator, Point, Site, shown
from tests.reseal import STAGES, Draft, recorded

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "build" / "mutation-bundles.json"
SEED = 6
LANES = 2

OPERATORS: Final = (*bundle_operators.OPERATORS, *bundle_bindings.OPERATORS, *bundle_records.OPERATORS)

FEWEST_OPERATORS = 25
FEWEST_MUTANTS = 500
INTENDED = 0.95
"""Share of the mutants in the meaning that must be named by the claim, law or check that the operator names."""


# Subjects -------------------------------------------------------------------------------------------------------------


def _bound(
    request: Request, kind: TargetKind, memory: int | None = None, attention: Attention = Attention.UNFUSED
) -> Request:
    """The request with a target, its instructions, and devices of this memory."""
    targeted = msgspec.structs.replace(request, target=target_of(kind, emit=True, attention=attention))
    return msgspec.structs.replace(targeted, deployment=deployment_of(targeted, None, memory))


def _block(recompute: Recompute, communication: Communication, *, zero: int, dtype: DType, feedforward: int) -> Request:
    """One block with H = h d on two ranks; five data-parallel ranks, which do not divide its parameters."""
    model: ModelFacts = msgspec.structs.replace(TINY, feedforward=feedforward)
    return training_request(
        model,
        tensor=2,
        pipeline=2,
        data=5,
        batch=3,
        sequence=8,
        dtype=dtype,
        recompute=recompute,
        communication=communication,
        zero=zero,
    )


def _in_memory(request: Request, memory: int) -> Request:
    return msgspec.structs.replace(request, deployment=deployment_of(request, None, memory))


REDUCE, SPLIT = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL
NONE, SELECTIVE, FULL = Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL
BLOCK_STEPS = inference_request(TINY, batch=3, prompt=4, context=7, tensor=2, pipeline=2)

SUBJECTS: Final[Mapping[str, Request]] = {
    "training block, queue": _bound(
        _block(SELECTIVE, SPLIT, zero=1, dtype=DType.BFLOAT16, feedforward=48), TargetKind.QUEUE, 2**40
    ),
    "inference block, queue": _bound(BLOCK_STEPS, TargetKind.QUEUE, 2**40, Attention.TILED),
    "training stack, slot": _bound(
        training_stage_request(communication=REDUCE, recompute=FULL, stage=0), TargetKind.SLOT
    ),
    "inference stack, slot": _bound(STEPS, TargetKind.SLOT, None, Attention.PAGED),
    "training block": _in_memory(_block(NONE, SPLIT, zero=2, dtype=DType.FLOAT32, feedforward=20), 2**40),
    "training stack, queue": _bound(training_stage_request(zero=3), TargetKind.QUEUE),
    "inference block, slot": _bound(BLOCK_STEPS, TargetKind.SLOT, 2**40),
}
"""Good bundles: training and inference, a block and a stack, queues and slots, with and without all five stages.

Among them are every recompute policy, both communications and all ZeRO stages.
"""


def draft_of(data: bytes, request: Request, branch: Branch) -> Draft:
    """A good bundle, open for changes on one of its branches."""
    return Draft(data) if isinstance(request.workload, Training) else BranchDraft(data, branch)


# Mutants --------------------------------------------------------------------------------------------------------------


class Key(NamedTuple):
    """What tells mutants apart."""

    subject: str
    operator: str
    branch: Branch
    place: str


class Mutant(NamedTuple):
    """One place of an operator in a good bundle."""

    key: Key
    operator: Operator
    site: Site


def mutants_of(subject: str, data: bytes) -> Iterator[Mutant]:
    """One mutant of a good bundle for each operator and cell of places, a draw that is the same in every run."""
    request = SUBJECTS[subject]
    branches = branches_of(request.workload)
    drafts = {branch: draft_of(data, request, branch) for branch in branches}
    for each in OPERATORS:
        for branch in branches[-1:] if each.whole else branches:
            draft = drafts[branch]
            # The model stands once.
            sites = [
                site
                for site in each.sites(draft, request)
                if each.whole or site.stage is not Stage.MODEL or branch is branches[0]
            ]
            cells: dict[tuple[Stage, str, str], Site] = {}
            for site in shuffled(sites, f"{subject} {branch.value} {each.name}"):
                cells.setdefault((site.stage, site.by, site.cell), site)
            for site in cells.values():
                yield Mutant(Key(subject, each.name, branch, f"{site.stage.value}: {site.place}"), each, site)


def shuffled(items: Iterable[T], seed: str) -> list[T]:
    """In an order that is the same in every run."""
    order = list(items)
    random.Random(f"{SEED} {seed}").shuffle(order)  # noqa: S311 -- no secret
    return order


def drawn(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Of each operator as many as it may have, from all cells by turns; and one for each claim in each good bundle."""
    chosen = []
    for each in OPERATORS:
        cells: dict[tuple[Stage, str, str], list[Mutant]] = {}
        for mutant in shuffled((one for one in mutants if one.operator is each), each.name):
            cells.setdefault((mutant.site.stage, mutant.site.by, mutant.site.cell), []).append(mutant)
        turns = [one for turn in zip_longest(*cells.values()) for one in turn if one is not None]
        chosen += turns[: each.most]
    covered = {(one.key.subject, one.site.stage, one.site.by) for one in chosen}
    for mutant in shuffled(mutants, "claims"):
        place = (mutant.key.subject, mutant.site.stage, mutant.site.by)
        if mutant.site.by.startswith("claim.") and place not in covered:
            covered.add(place)
            chosen.append(mutant)
    places = {mutant.key: at for at, mutant in enumerate(mutants)}
    return sorted(chosen, key=lambda mutant: places[mutant.key])


def mutated(mutant: Mutant, data: bytes) -> bytes:
    """The false bundle, sealed; its recorded reports are still those of the good one."""
    request = SUBJECTS[mutant.key.subject]
    site = mutant.site
    if site.carry:
        draft = draft_of(data, request, mutant.key.branch)
        site.change(draft)
        try:
            carry(draft, site.stage)
            return draft.sealed()
        except (BlueprintError, LookupError, ValueError, TypeError, AttributeError, StopIteration):
            # An honest pass can make nothing of it: the later stages stay those of the good bundle.
            pass
    draft = draft_of(data, request, mutant.key.branch)
    site.change(draft)
    return draft.raw() if site.raw else draft.sealed()


def carry(draft: Draft, stage: Stage) -> None:
    """Let the honest passes make the stages after this one again. On a wrong model no later stage is examined."""
    if stage is Stage.MODEL or stage is shown(draft)[-1]:
        return
    following = STAGES[STAGES.index(stage) + 1]
    if following is Stage.PORTABLE:
        draft.derive_again(following)
        following = Stage.CONCRETE
    draft.bind_again(following)


# What stops them ------------------------------------------------------------------------------------------------------


class Column(msgspec.Struct, frozen=True):
    """One verification: the verdict (or `exception`), what refutes, and the findings with the stage they speak of."""

    verdict: str
    by: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True):
    """One line of the table: a mutant, what should name it, and both verifications."""

    subject: str
    operator: str
    branch: str
    place: str
    stage: str
    intended: str
    point: str
    replay: Column
    alone: Column
    laws: tuple[str, ...] = ()
    """Every law that is refuted without replay."""

    @property
    def wanted(self) -> frozenset[str]:
        """The verdicts that stop it."""
        if self.point == Point.FORM.value:
            return frozenset({Outcome.MALFORMED.value})
        if self.point == Point.MISSING.value:
            return frozenset({Outcome.NOT_ESTABLISHED.value})
        return frozenset({Outcome.REFUTED.value})

    @property
    def semantic(self) -> bool:
        """Whether what the bundle says is wrong, and not how it is written down."""
        return self.point == Point.MEANING.value

    @property
    def hit(self) -> bool:
        """Whether what the operator names finds it without replay: a claim at its stage and on its branch."""
        return any(self._meant(*each.partition(" ")[::2]) for each in self.alone.named)

    def _meant(self, code: str, path: str) -> bool:
        parts = path.split("/")
        return code == self.intended and (not path or (self.stage in parts and self.branch in {"", parts[0]}))

    @property
    def sole(self) -> str:
        """The kind of claim that alone stops it without replay; laws that ask the claim's own questions go with it."""
        kinds = {each.partition("@")[0] for each in self.alone.by}
        (kind,) = kinds if len(kinds) == 1 else ("",)
        return kind.removeprefix("claim.") if kind.startswith("claim.") else ""


def stoppers(report: Report) -> list[str]:
    """What refutes a bundle: kinds of claims with their stage, laws that are no claim's own questions, other codes."""
    found: dict[str, None] = {}
    for transition in report.transitions:
        asked: dict[str, set[int]] = {}
        for relation in transition.relations:
            for claim in relation.claims:
                if claim.status is Status.REFUTED:
                    asked.setdefault(claim.kind, set()).add(claim.obligation)
                    found[f"claim.{claim.kind}@{transition.target}"] = None
        for law in transition.laws:
            false = {each for each in law.obligations if report.obligations[each].verdict is Status.REFUTED}
            if law.status is Status.REFUTED and not any(false <= positions for positions in asked.values()):
                found[f"law.{law.id}"] = None
    for finding in report.diagnostics:
        if finding.refutes and finding.code.partition(".")[0] not in {"claim", "law"}:
            found[finding.code] = None
    return list(found)


def refuted_laws(report: Report) -> tuple[str, ...]:
    """Every law that is refuted."""
    laws = (law for transition in report.transitions for law in transition.laws if law.status is Status.REFUTED)
    return tuple(dict.fromkeys(law.id for law in laws))


def column(report: Report) -> Column:
    """A verification in short; findings about claims carry their branch and stage."""
    named = {
        f"{each.code} {'/'.join(each.path.split('/')[:2])}" if each.code.startswith("claim.") else each.code: None
        for each in report.diagnostics
    }
    return Column(report.verdict.value, tuple(stoppers(report)), tuple(named))


def honest(report: Report) -> Report | None:
    """The report on the same bundle with honest records: a wrong record is a finding, and touches no other.

    None where nothing else refutes the bundle, so that the verdict might be another.
    """
    others = tuple(each for each in report.diagnostics if each.code != "report.mismatch")
    refuted = any(each.refutes for each in others)
    return msgspec.structs.replace(report, diagnostics=others) if refuted else None


def attempt(run: Callable[[], Report]) -> Report | Exception:
    """The report of a verification, or what it raised."""
    try:
        return run()
    except Exception as error:  # noqa: BLE001 -- that there is none is what is asked
        return error


def examined(mutant: Mutant, data: bytes) -> Row:
    """Verify a mutant with and without replay, with the records that an honest run of it makes."""
    false = mutated(mutant, data)
    if false == data:
        raise ValueError(f"{mutant.key} changes nothing")
    replay = attempt(lambda: verify(false, jobs=1))
    if mutant.operator.point is not Point.RECORD and isinstance(replay, Report) and replay.subject.stages:
        sealed = recorded(false, replay)
        replay = honest(replay) or attempt(lambda: verify(sealed, jobs=1))
    else:
        sealed = false
    alone = attempt(lambda: verify_without_replay(sealed, jobs=1))
    site, key = mutant.site, mutant.key
    whole = site.stage is Stage.MODEL or mutant.operator.whole
    return Row(
        subject=key.subject,
        operator=key.operator,
        branch="" if whole else key.branch.value,
        place=key.place,
        stage=site.stage.value,
        intended=site.by,
        point=mutant.operator.point.value,
        replay=_column(replay),
        alone=_column(alone),
        laws=refuted_laws(alone) if isinstance(alone, Report) else (),
    )


def _column(found: Report | Exception) -> Column:
    if isinstance(found, Report):
        return column(found)
    return Column("exception", (f"{type(found).__name__}: {found}",))


# The table ------------------------------------------------------------------------------------------------------------

EXCLUDED: Final[Mapping[Key, str]] = {}
"""Mutants that are no faults -> why, in a sentence."""

NEVER_ALONE: Final[Mapping[str, str]] = {
    "operand_traffic": "exact_work speaks of the same bytes, by the primitive's formula; a formula that is wrong "
    "itself, of which operand_traffic speaks, is planted by `make mutate`",
}
"""Kinds of claims that no mutant can need -> why another always stands beside them."""

UNREACHED: Final[Mapping[tuple[str, str], str]] = {}
"""Subject and claim with its stage, or law, that no mutant can break -> why."""


class Asked(NamedTuple):
    """What a good bundle is asked: kinds of claims with their stage, and laws that apply."""

    claims: frozenset[str]
    laws: frozenset[str]


def asked_of(report: Report) -> Asked:
    """What the report on a good bundle decides."""
    claims = {
        f"claim.{claim.kind}@{transition.target}"
        for transition in report.transitions
        for relation in transition.relations
        for claim in relation.claims
    }
    laws = {law.id for transition in report.transitions for law in transition.laws if law.status is Status.PROVED}
    return Asked(frozenset(claims), frozenset(f"law.{law}" for law in laws))


class Result(NamedTuple):
    """Everything that the table is made of."""

    rows: Sequence[Row]
    asked: Mapping[str, Asked]


def problems(result: Result, *, whole: bool = True) -> list[str]:
    """Every target that is missed; of a part of the mutants not those that speak of all."""
    found = [_survivor(row, "with replay", row.replay) for row in result.rows if row.replay.verdict not in row.wanted]
    rows = [row for row in result.rows if row.semantic]
    found += [_survivor(row, "without replay", row.alone) for row in rows if row.alone.verdict not in row.wanted]
    exceptions = [row for row in result.rows if "exception" in {row.replay.verdict, row.alone.verdict}]
    found += [f"stopped by an exception: {_place(row)}" for row in exceptions]
    hits = sum(row.hit for row in rows)
    if hits < INTENDED * len(rows):
        found.append(f"only {hits} of {len(rows)} are named by what their operator names")
    if not whole:
        return found
    operators = {row.operator for row in result.rows}
    if len(operators) < FEWEST_OPERATORS or len(result.rows) < FEWEST_MUTANTS:
        found.append(f"{len(operators)} operators and {len(result.rows)} mutants are too few")
    found += [f"no mutant of the operator {each.name}" for each in OPERATORS if each.name not in operators]
    found += [f"nothing but others stops what claim {kind} stops" for kind in _needless(result.rows)]
    missed = unreached(result)
    found += [f"{subject}: no mutant breaks {name}" for subject, name in missed if (subject, name) not in UNREACHED]
    found += [
        f"listed as never alone, and is: claim {kind}" for kind in NEVER_ALONE if kind in {row.sole for row in rows}
    ]
    stale = set(UNREACHED) - set(missed)
    return found + [f"listed as out of reach, and is not: {name} of {subject}" for subject, name in sorted(stale)]


def _needless(rows: Sequence[Row]) -> list[str]:
    sole = {row.sole for row in rows}
    return [kind.value for kind in Claim if kind.value not in sole and kind.value not in NEVER_ALONE]


def unreached(result: Result) -> list[tuple[str, str]]:
    """What a good bundle is asked and no mutant of it breaks."""
    found = []
    for subject, asked in result.asked.items():
        rows = [row for row in result.rows if row.subject == subject]
        broken = {each for row in rows for each in row.alone.by} | {f"law.{law}" for row in rows for law in row.laws}
        missing = sorted((asked.claims | asked.laws) - broken)
        found += [(subject, name) for name in missing]
    return found


def _place(row: Row) -> str:
    return f"{row.operator}, {row.subject} {row.branch}, {row.place}"


def _survivor(row: Row, how: str, column_: Column) -> str:
    return f"{column_.verdict} {how}: {_place(row)} (should be stopped by {row.intended})"


def table(result: Result) -> Iterator[str]:
    """Operator by operator, then claim by claim and law by law: what stops the mutants."""
    rows = result.rows
    yield f"{'operator':44} {'mutants':>7} {'replay':>7} {'alone':>7} {'named':>7}  stopped without replay by"
    for each in OPERATORS:
        of = [row for row in rows if row.operator == each.name]
        if of:
            by = Counter(name for row in of for name in {one.partition("@")[0] for one in row.alone.by})
            shown_ = ", ".join(f"{name} {count}" for name, count in by.most_common(4))
            yield f"{each.name[:44]:44} {_counts(of)}  {shown_}"
    yield f"{'all':44} {_counts(rows)}"
    meaning = [row for row in rows if row.semantic]
    yield f"{'in the meaning':44} {_counts(meaning)}"
    yield ""
    yield f"{'claim':24} {'stops':>6} {'alone':>6}  by stage (of them alone)"
    for kind in Claim:
        name = f"claim.{kind.value}@"
        of = [row for row in meaning if any(each.startswith(name) for each in row.alone.by)]
        stops = Counter(each.removeprefix(name) for row in of for each in row.alone.by if each.startswith(name))
        alone = Counter(row.stage for row in of if row.sole == kind.value)
        stages = [each.value for each in STAGES if stops[each.value]]
        places = ", ".join(f"{each} {stops[each]} ({alone[each]})" for each in stages)
        note = f"; {NEVER_ALONE[kind.value]}" if kind.value in NEVER_ALONE else ""
        yield f"{kind.value:24} {len(of):>6} {alone.total():>6}  {places}{note}"
    yield ""
    laws = Counter(law for row in meaning for law in row.laws)
    only = Counter(row.alone.by[0] for row in meaning if len(row.alone.by) == 1 and row.alone.by[0].startswith("law."))
    yield f"{'law':32} {'stops':>6} {'alone':>6}"
    for law in sorted({name.removeprefix("law.") for asked in result.asked.values() for name in asked.laws}):
        yield f"{law:32} {laws[law]:>6} {only[f'law.{law}']:>6}"
    yield ""
    others = Counter(name for row in rows for name in row.alone.by if name.partition(".")[0] not in {"claim", "law"})
    yield "other findings: " + ", ".join(f"{name} {count}" for name, count in sorted(others.items()))
    for key, why in EXCLUDED.items():
        yield f"excluded: {key.operator}, {key.subject}, {key.place}: {why}"
    for (subject, name), why in UNREACHED.items():
        yield f"cannot be broken: {name} of {subject}: {why}"


def _counts(rows: Sequence[Row]) -> str:
    with_replay = sum(row.replay.verdict in row.wanted for row in rows)
    alone = sum(row.alone.verdict in row.wanted for row in rows)
    return " ".join(f"{count:>7}" for count in (len(rows), with_replay, alone, sum(row.hit for row in rows)))


# Running --------------------------------------------------------------------------------------------------------------

Known = dict[Key, tuple[Mutant, bytes]]


def known_mutants(bundles: Mapping[str, bytes]) -> Known:
    """Every mutant that is drawn and not excluded, with the good bundle that it is of."""
    found = [mutant for subject, data in bundles.items() for mutant in mutants_of(subject, data)]
    repeated = [key for key, count in Counter(mutant.key for mutant in found).items() if count > 1]
    if repeated:
        raise ValueError(f"a place occurs twice: {repeated[0]}")
    chosen = drawn([mutant for mutant in found if mutant.key not in EXCLUDED])
    return {mutant.key: (mutant, bundles[mutant.key.subject]) for mutant in chosen}


_LANE: Known = {}
"""The mutants of this process."""


@contextmanager
def effort(jobs: int) -> Iterator[None]:
    """One solver pool for all verifications of this process, what it has answered, and the rules, read once."""
    rulebook = functools.cache(open_rulebook)
    with lasting_pool(jobs) as pool, shared(pool, Memory()), pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprint.examine.open_rulebook", rulebook)
        yield


def start_lane(bundles: Mapping[str, bytes], stack: ExitStack = ExitStack()) -> None:  # noqa: B008 -- lives as long as the process
    """Give a process what all its mutants share."""
    stack.enter_context(effort(1))
    atexit.register(stack.close)
    _LANE.update(known_mutants(bundles))


def in_lane(key: Key) -> Row:
    """Examine one mutant in a process that is started."""
    return examined(*_LANE[key])


def run(subjects: Iterable[str], words: Sequence[str], say: Callable[[str], None]) -> Result:
    """Derive the good bundles, verify them, and examine their mutants in lanes beside each other."""
    bundles = {subject: good(SUBJECTS[subject]) for subject in subjects}
    asked = {}
    with effort(LANES):
        for subject, data in bundles.items():
            control(SUBJECTS[subject], data)
            asked[subject] = asked_of(verify(data, jobs=LANES))
    chosen = [key for key in known_mutants(bundles) if all(word in f"{key.operator} {key.place}" for word in words)]
    say(f"{len(chosen)} mutants of {len(bundles)} good bundles")
    rows = []
    with ProcessPoolExecutor(
        LANES, mp_context=get_context("spawn"), initializer=start_lane, initargs=(bundles,)
    ) as lanes:
        for count, row in enumerate(lanes.map(in_lane, chosen, chunksize=8), 1):
            rows.append(row)
            for each in problems(Result([row], {}), whole=False):
                say(each)
            if count % 50 == 0:
                say(f"{count} of {len(chosen)}")
    return Result(rows, asked)


def control(request: Request, data: bytes) -> None:
    """A good bundle is verified, its records are honest, and the hands that put one wrong leave it as it is."""
    report = verify(data, jobs=LANES)
    alone = verify_without_replay(data, jobs=LANES)
    if not report.ok or stoppers(alone) or recorded(data, report) != data:
        raise ValueError("a good bundle is not verified")
    for branch in branches_of(request.workload):
        for stage in STAGES[1:]:
            draft = draft_of(data, request, branch)
            if stage in shown(draft):
                carry(draft, stage)
            if draft.sealed() != data:
                raise ValueError(f"carrying {stage.value} on changes a good bundle")


def main(arguments: Sequence[str]) -> int:
    """Run it and write the table. Words choose the mutants in whose operator or place all of them occur."""
    result = run(SUBJECTS, arguments, _say)
    found = problems(result, whole=not arguments)
    for line in (*table(result), *found):
        sys.stdout.write(f"{line}\n")
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_bytes(msgspec.json.format(msgspec.json.encode(result.rows), indent=1) + b"\n")
    return 1 if found else 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
