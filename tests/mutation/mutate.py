"""Plant one fault at a time in the laws and in the derivation, and see what catches it: `make mutate`.

Every mutant is put to two questions, each in a folder of its own with nothing recorded beside it:

- prove: does a fresh `prove` refute a theorem (with a counterexample), or find a law's group at fault?
- derive: does the commit gate refuse what is derived? Where a mutated derivation gets through the gate, does `verify`
  of the unmutated engine, with replay off, refute the bundle?

Both must say so. A bound holds for all values and has no instance in a plan, so that prove alone is asked; a changed
hint (premise, reason or witness) need not make it false, and counts where the bound is no longer proved. A requirement
has no theorem: it is asked whether a plan that fits exactly, or lacks one byte, is still judged as it was.

A crash is no answer: such a mutant is `stillborn` and listed apart, as is one in EQUIVALENT, which
has a proof that it changes nothing. All others survive, and the exit status is 1.

Two shortcuts save time and no question. Theorems are decided in portions, and the first portion with a refutation is
the last. A strategy in which the mutated derivation computes the same as the unmutated one is not derived again.
A mutant that changes nothing of which a theorem speaks in any case (compared at large arguments) cannot be refuted by
one: its first column is `unaffected`, and only the second is asked for.
"""

from __future__ import annotations

import ast
import dataclasses
import gc
import hashlib
import importlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Self, TypeVar

import msgspec

import blueprint
from blueprint import normalform, obligation, smtlib, symbols
from blueprint.case import Case, Workload, all_cases, stage_cases, workload_of
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError, DecidersDisagreeError, GateError, NotEstablishedError, PassFailedError
from blueprint.frontend.request import deployment_of, inference_request, target_of, training_request
from blueprint.ir.common import DType, Phase
from blueprint.ir.request import (
    Activation,
    Attention,
    Communication,
    Inference,
    ModelFacts,
    Recompute,
    Request,
    Scope,
    Target,
    TargetKind,
    blocks_of,
    branches_of,
)
from blueprint.proving import ProofReport
from blueprint.session import open_rulebook
from blueprint.verdict import Answer
from blueprint.worker import Batch
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.faults import (
    ATTENTION,
    HINTS,
    MAXIMUM,
    MEMORY,
    PLAN,
    PRIMITIVES,
    STACK,
    STAGE,
    STEP,
    STEP_DIMS,
    STEP_MEMORY,
    Mutant,
    installed,
    mutants,
)

T = TypeVar("T")

TOTALS: Final = ("training.total", "inference.total")

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "build" / "mutation.json"
LIKELY: Final = {
    PRIMITIVES: "primitives.",
    PLAN: "planning.",
    MEMORY: "planning.",
    STEP: "inference.",
    STEP_DIMS: "inference.",
    STEP_MEMORY: "planning.",
    MAXIMUM: "planning.",
    STAGE: "stage.",
    STACK: "stage.",
    ATTENTION: "planning.",
}
"""Where a fault of the derivation is likely to be refuted."""

LATE: Final = frozenset(
    (MAXIMUM, ATTENTION, *(f"rules/planning/{name}.py" for name in ("cache", "workspace", "fused_attention")))
)
"""Files of inference alone whose names do not say so."""

LANES = 2
PATIENCE = 600
"""Seconds after which a mutant is given up; it then counts as a survivor."""


# Strategies -----------------------------------------------------------------------------------------------------------


def _model(*, hidden: int, feedforward: int, biases: bool) -> ModelFacts:
    """A small classical block, H = h d at hidden = 40, whose sizes are all different on every rank."""
    return ModelFacts(
        name="mutated",
        hidden=hidden,
        feedforward=feedforward,
        heads=8,
        key_value_heads=8,
        head_width=5,
        layers=2,
        vocabulary=11,
        positions=64,
        biases=biases,
        activation=Activation.GELU,
    )


def _request(
    recompute: Recompute,
    communication: Communication,
    tensor: int,
    *,
    zero: int = 0,
    biases: bool = True,
    hidden: int = 40,
    feedforward: int = 52,
    dtype: DType = DType.BFLOAT16,
    gradient: int = 4,
    data: int = 3,
) -> Request:
    return training_request(
        _model(hidden=hidden, feedforward=feedforward, biases=biases),
        tensor=tensor,
        pipeline=1,
        data=data,
        batch=3,
        sequence=28,
        microbatches=1,
        dtype=dtype,
        recompute=recompute,
        communication=communication,
        zero=zero,
        gradient_bytes=gradient,
        shard_checkpoint=False,
    )


def _inference(
    tensor: int,
    *,
    prompt: int,
    context: int,
    biases: bool = True,
    hidden: int = 40,
    feedforward: int = 52,
    dtype: DType = DType.BFLOAT16,
) -> Request:
    return inference_request(
        _model(hidden=hidden, feedforward=feedforward, biases=biases),
        tensor=tensor,
        batch=3,
        prompt=prompt,
        context=context,
        dtype=dtype,
    )


def _strategies() -> tuple[Request, ...]:
    """Every recompute, communication and t = 1 or t > 1; with and without biases, sharding, H = h d and F = 4H."""
    reduce, split = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL
    none, selective, full = Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL
    return (
        _request(selective, split, 4),
        _request(full, reduce, 4, zero=1),
        _request(full, split, 4, biases=False),
        _request(none, reduce, 4, zero=2, biases=False, hidden=36),
        _request(none, split, 4, zero=1, dtype=DType.FLOAT32),
        _request(selective, reduce, 4, dtype=DType.FLOAT32, gradient=2),
        _request(none, reduce, 1),
        _request(none, split, 1, zero=3),
        _request(selective, reduce, 1, hidden=36),
        _request(selective, split, 1, biases=False),
        _request(full, reduce, 1, biases=False),
        _request(full, split, 1),
        _request(none, split, 4, feedforward=160),
        _request(selective, reduce, 4, feedforward=160),
        _request(full, split, 4, feedforward=160),
    )


def _inference_strategies() -> tuple[Request, ...]:
    """t = 1 or t > 1, with and without biases and H = h d; in the workspace each of its three arms is the largest."""
    return (
        _inference(4, prompt=28, context=31),
        _inference(4, prompt=7, context=9, biases=False),
        # A step of two tokens, beside the one of a token that decoding has.
        _inference(4, prompt=2, context=3),
        _inference(4, prompt=7, context=9, feedforward=160, dtype=DType.FLOAT32),
        _inference(4, prompt=28, context=31, hidden=36, biases=False),
        _inference(4, prompt=7, context=9, hidden=36, dtype=DType.FLOAT32),
        _inference(4, prompt=7, context=9, hidden=36, feedforward=160),
        _inference(1, prompt=28, context=31, biases=False),
        _inference(1, prompt=7, context=9, hidden=36),
    )


def _bound(request: Request, kind: TargetKind, attention: Attention) -> Request:
    """The same step bound to a target that fuses attention."""
    bound = msgspec.structs.replace(request, target=target_of(kind, emit=False, attention=attention))
    return msgspec.structs.replace(bound, deployment=deployment_of(bound, None, None))


def _heads_of(request: Request, width: int) -> Request:
    """Heads of so many columns."""
    return msgspec.structs.replace(request, model=msgspec.structs.replace(request.model, head_width=width))


def _staged(request: Request, pipeline: int, stage: int) -> Request:
    """All blocks of a stage: with six layers, six divided by p."""
    model = msgspec.structs.replace(request.model, layers=6)
    strategy = msgspec.structs.replace(request.strategy, pipeline=pipeline, stage=stage, scope=Scope.STACK)
    return msgspec.structs.replace(request, model=model, strategy=strategy)


def _stages() -> tuple[Request, ...]:
    """The first, a middle and the last stage; every ZeRO stage with both communications; and steps of inference."""
    reduce, split = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL
    none, selective, full = Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL
    return (
        _staged(_request(selective, split, 4, gradient=2), 3, 1),
        _staged(_request(full, split, 4, zero=3, biases=False), 3, 0),
        _staged(_request(none, reduce, 4, zero=1), 3, 2),
        _staged(_request(full, reduce, 4, zero=3), 2, 0),
        _staged(_request(none, split, 4, zero=2), 2, 1),
        _staged(_request(selective, reduce, 4, biases=False, gradient=2), 1, 0),
        _staged(_request(none, split, 1, zero=1), 3, 1),
        _staged(_request(none, split, 4, gradient=2, data=1), 2, 1),
        # Gradients wider than activations, and reduced whole.
        _staged(_request(none, reduce, 4, gradient=4), 2, 0),
        _staged(_inference(4, prompt=28, context=31), 3, 1),
        _staged(_inference(4, prompt=2, context=33, biases=False), 2, 0),
        # d e = 2, where the rows of tiled attention need as much as q, k and v.
        _staged(_heads_of(_inference(4, prompt=2, context=2, feedforward=4), 1), 3, 1),
        # One head on a rank: the page table is larger than everything else.
        _staged(_inference(8, prompt=1, context=64, feedforward=56), 2, 1),
    )


STRATEGIES: Final = _strategies()
STAGED: Final = _stages()
INFERENCE: Final = _inference_strategies()
BOUND: Final = (
    _bound(INFERENCE[0], TargetKind.QUEUE, Attention.TILED),
    # Of seven columns the square is more than three times two bytes each.
    _bound(_heads_of(INFERENCE[1], 7), TargetKind.SLOT, Attention.PAGED),
)
FITTED: Final = (STRATEGIES[0], STRATEGIES[2], INFERENCE[0])
"""Strategies whose memory facts are together all above 0: without a checkpoint, with one, and for inference."""

CAPACITY: Final = {
    Workload.TRAINING: "law capacity (this plan)",
    Workload.INFERENCE: "law inference-capacity (this plan)",
}
"""What refuses a plan that does not fit."""


def _words(request: Request) -> str:
    strategy, model, workload = request.strategy, request.model, request.workload
    shape = "H = hd" if model.hidden == model.heads * model.head_width else "H != hd"
    if isinstance(workload, Inference):
        bound = f", {request.target.name}" if isinstance(request.target, Target) else ""
        return (
            f"inference{bound}, prompt {workload.prompt}, context {workload.context}, t={strategy.tensor}, "
            f"{'biases' if model.biases else 'no biases'}, {shape}, F = {model.feedforward}, {workload.dtype.value}"
        )
    return (
        f"{strategy.recompute.value}, {strategy.communication.value}, t={strategy.tensor}, zero={strategy.zero}, "
        f"{'biases' if model.biases else 'no biases'}, {shape}, F = {model.feedforward}, {request.workload.dtype.value}"
    )


# One lane: the unmutated sources, warm, and a fork of their process for each mutant ---------------------------------


class Column(msgspec.Struct, frozen=True):
    """One column of the table: what became of the mutant, and by which theorem, claim or law.

    `prove`: refuted, proved, undecided, crash, unaffected, no theorem. `derive`: refused, refuted, derived, undecided,
    crash, no instance, differs (a requirement lets a plan pass that it refused).
    """

    verdict: str
    by: tuple[str, ...] = ()
    note: str = ""


class Found(msgspec.Struct, frozen=True):
    """Both columns of one mutant; `works` and `blocks` identify what its derivation computes."""

    prove: Column
    derive: Column
    works: str = ""
    blocks: tuple[str, ...] = ()
    bundles: tuple[bytes, ...] = ()


class Pool(SolverPool):
    """One solver worker for a whole lane, which remembers what it has answered: equal texts have equal answers."""

    def __init__(self) -> None:
        super().__init__(1)
        self.known: dict[tuple[bool, int, str], Answer] = {}

    def __exit__(self, *_: object) -> None:
        """Stays open for the next mutant."""

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        """Ask what is not known yet."""
        asked = [(batch.ground, batch.budget, question) for batch in batches for question in batch.questions]
        keys = [(ground, budget, question.text) for ground, budget, question in asked]
        new = {key: question for key, (_, _, question) in zip(keys, asked, strict=True) if key not in self.known}
        alone = [(key, Batch((question,), key[0], key[1])) for key, question in new.items()]
        self.known.update(zip((key for key, _ in alone), super().solve([batch for _, batch in alone]), strict=True))
        return [self.known[key] for key in keys]

    def renew(self) -> None:
        """Start the worker again if it has died."""
        if any(worker.process.poll() is not None for worker in self.workers):
            self.close()
        self.start()

    def inherit(self) -> None:
        """In a fork: the worker is the parent's child, so that its end cannot be asked for here."""
        for worker in self.workers:
            setattr(worker.process, "poll", lambda: None)  # noqa: B010 -- a method is replaced


class Lane:
    """Answers for one mutant after another. The control, without a mutant, comes first and warms the caches."""

    def __init__(self, base: Path, count: int) -> None:
        if not Path(blueprint.__file__).is_relative_to(base):
            raise SystemExit(f"imported {blueprint.__file__}, which is not in {base}")
        sys.dont_write_bytecode = True
        self.base = base
        self.requests = STRATEGIES[:count] + INFERENCE[:count] + STAGED[:count] + BOUND[:count]
        self.fitting = tuple(_fitting(each) for each in FITTED)
        self.books: dict[str, Any] = {}
        self.laws = {
            rule.id: tuple(law.id for law in getattr(rule, "laws", ())) or ("",) for rule in open_rulebook(None).rules
        }
        self.rules = tuple(self.laws)
        self.derivation = _dependents(base / "blueprint", "blueprint.workload")
        self.pool = Pool()
        self.pool.start()
        _remember()
        self.control = self.attempt(None)
        refuted = self.verify(self.control.bundles)
        if refuted:
            self.control = msgspec.structs.replace(self.control, derive=Column("refuted", refuted))

    def answer(self, mutant: Mutant) -> Found:
        """Plant the mutant in the lane's own sources, ask in a fork, and mend the sources."""
        path = self.base / installed(mutant.path)
        sound = path.read_bytes()
        # A compiled form is told from an old one by time and size alone, so there is to be none.
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        path.write_text(mutant.text, encoding="utf-8")
        try:
            data = self.fork(lambda: self.attempt(mutant))
        finally:
            path.write_bytes(sound)
        if data is None:
            late = Column("undecided", note=f"the process died, or gave no answer within {PATIENCE} s")
            return Found(late, late)
        found = msgspec.msgpack.decode(data, type=Found)
        if mutant.in_rule or not found.bundles or found.derive.verdict == "refused":
            return found
        # The gate let bundles of a mutated derivation through: the unmutated engine is asked.
        data = self.fork(lambda: self.verify(found.bundles))
        refuted = msgspec.msgpack.decode(data, type=tuple[str, ...]) if data is not None else ()
        return msgspec.structs.replace(found, derive=Column("refuted", refuted)) if refuted else found

    def fork(self, action: Callable[[], object]) -> bytes | None:
        """The encoded outcome of an action in a process of its own; None if it gives none."""
        self.pool.renew()
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                signal.alarm(PATIENCE)
                self.pool.inherit()
                data = msgspec.msgpack.encode(action())
                with os.fdopen(writer, "wb") as outgoing:
                    outgoing.write(data)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as incoming:
            data = incoming.read()
        os.waitpid(process, 0)
        if not data:
            self.pool.close()
        return data or None

    def attempt(self, mutant: Mutant | None) -> Found:
        """Both columns for the sources as they lie in the folder."""
        self.books = {}
        if mutant is not None and mutant.asked == "instance":
            return Found(Column("no theorem"), self.fit())
        if mutant is not None and not mutant.in_rule:
            for name in self.derivation:
                sys.modules.pop(name, None)
            works, blocks = _outcome(_works), tuple(_outcome(partial(_block, each)) for each in self.requests)
            same = works == self.control.works
            proved = Column("unaffected") if same else self.prove(self.portions(mutant))
            if mutant.asked == "theorem":
                return Found(proved, Column("no instance"))
            changed = [
                each
                for each, block, sound in zip(self.requests, blocks, self.control.blocks, strict=True)
                if block != sound
            ]
            derived, bundles = self.derive(_likely_first(changed, mutant))
            return Found(proved, derived, works, blocks, bundles)
        proved = self.prove(self.portions(mutant))
        if mutant is not None and mutant.asked == "theorem":
            return Found(proved, Column("no instance"))
        derived, bundles = self.derive(_likely_first(self.requests, mutant))
        if mutant is not None:
            return Found(proved, derived)
        if (fits := self.fit()).verdict != "derived":
            derived = fits
        return Found(
            proved, derived, _outcome(_works), tuple(_outcome(partial(_block, each)) for each in self.requests), bundles
        )

    def portions(self, mutant: Mutant | None) -> Iterator[tuple[tuple[str, ...], str]]:
        """Rules to prove, and the one law that is asked for if any, those first that are likely to refute."""
        if mutant is None:
            yield self.rules, ""
            return
        if mutant.in_rule:
            family, stem = mutant.path.removeprefix("rules/").removesuffix(".py").split("/")
            yield from (((f"{family}.{stem}",), law) for law in self.laws[f"{family}.{stem}"])
            return
        first = LIKELY.get(mutant.path, "training.")
        yield tuple(each for each in self.rules if each.startswith(first) and each not in TOTALS), ""
        yield from (((total,), law) for total in TOTALS for law in self.laws[total])
        yield tuple(each for each in self.rules if not each.startswith(first) and each not in TOTALS), ""

    def prove(self, portions: Iterable[tuple[tuple[str, ...], str]]) -> Column:
        """A fresh `prove` of one portion of the theorems after another, until one refutes something."""
        crashes: list[str] = []
        undecided: list[str] = []
        for rules, law in portions:
            with tempfile.TemporaryDirectory() as empty:
                try:
                    report = self.prove_one(Path(empty), rules, law)
                except DecidersDisagreeError as error:
                    undecided.append(error.message)
                    continue
                except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
                    crashes.append(_crash(error))
                    continue
            # A theorem that is no longer true; not a false variant that has become one.
            refuted = [
                each.path
                for each in report.findings
                if each.code == "law.group" or (each.code == "law.theorem" and ": is refuted" in each.message)
            ]
            if refuted:
                return Column("refuted", tuple(dict.fromkeys(refuted)))
            undecided += [each.message for each in report.findings]
        if crashes:
            return Column("crash", note=crashes[0])
        return Column("undecided", note=undecided[0]) if undecided else Column("proved")

    def prove_one(self, empty: Path, rules: tuple[str, ...], law: str) -> ProofReport:
        module, theory = self.module("proving"), self.module("theory")
        module.theorems_of = lambda rule, added=(): theory.theorems_of(_only(rule, law), added)
        report: ProofReport = module.prove(empty, only=rules, jobs=1)
        return report

    def derive(self, requests: Iterable[Request]) -> tuple[Column, tuple[bytes, ...]]:
        """Derive through the gate, strategy by strategy, until the gate refuses; and the bundles that got through."""
        crashes: list[str] = []
        undecided: list[str] = []
        bundles: list[bytes] = []
        for request in requests:
            where = f"in {_words(request)}"
            try:
                bundles.append(self.module("derivation").derive(request, jobs=1))
            except PassFailedError as error:
                crashes.append(f"{error.message} {where}")
            except GateError as error:
                # A law without the tasks of which it speaks is vacuous; everything else undecided is no answer.
                if isinstance(error, NotEstablishedError) and "has no member" not in error.message:
                    undecided.append(f"{error.message} {where}")
                else:
                    return Column("refused", (_refuser(error),), f"{error.message} {where}"), ()
            except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
                crashes.append(f"{_crash(error)} {where}")
        if undecided:
            return Column("undecided", note=undecided[0]), tuple(bundles)
        if crashes:
            return Column("crash", note=crashes[0]), tuple(bundles)
        return Column("derived"), tuple(bundles)

    def fit(self) -> Column:
        """Whether a plan fits a device of exactly its size, and not one of a byte less."""
        for request, size in self.fitting:
            capacity = CAPACITY[workload_of(request)]
            for lacking in (0, 1):
                device = deployment_of(request, None, size - lacking)
                derived, _ = self.derive([msgspec.structs.replace(request, deployment=device)])
                wanted = "refused" if lacking else "derived"
                if derived.verdict == "derived" != wanted:
                    return Column("differs", (capacity,), f"a device that lacks one byte passes in {_words(request)}")
                if derived.verdict != wanted or (lacking and capacity not in derived.by):
                    return derived
        return Column("derived")

    def verify(self, bundles: Iterable[bytes]) -> tuple[str, ...]:
        """What this process's engine refutes of bundles, with replay off."""
        self.module("examine")
        refuted: dict[str, None] = {}
        for bundle in bundles:
            report = self.module("verification").verify_without_replay(bundle, jobs=1)
            for each in report.diagnostics:
                family, _, name = each.code.partition(".")
                if family in {"claim", "law", "coverage", "lineage", "structure"} and name not in {
                    "unknown",
                    "vacuous",
                }:
                    refuted[each.code] = None
        return tuple(refuted)

    def module(self, name: str) -> Any:
        """A module of the sources as they lie in the folder, with the lane's solver."""
        module = importlib.import_module(f"blueprint.{name}")
        if hasattr(module, "SolverPool"):
            setattr(module, "SolverPool", lambda _jobs: self.pool)  # noqa: B010
        if hasattr(module, "open_rulebook"):
            setattr(module, "open_rulebook", self.open_rulebook)  # noqa: B010
        return module

    def open_rulebook(self, path: Path | None) -> Any:
        """The rulebook as it lies in the folder, read once for each mutant."""
        key = str(path)
        if key not in self.books:
            self.books[key] = importlib.import_module("blueprint.session").open_rulebook(path)
        return self.books[key]


def _only(rule: Any, law: str) -> Any:
    """A rule with one of its laws, or with all."""
    return dataclasses.replace(rule, laws=tuple(each for each in rule.laws if each.id == law)) if law else rule


def _likely_first(requests: Sequence[Request], mutant: Mutant | None) -> list[Request]:
    """The strategies in which a fault is likely to show before the others."""
    inference = mutant is not None and ("inference" in mutant.path or mutant.path in LATE)
    staged = mutant is not None and ("rules/stage/" in mutant.path or mutant.path in {STACK, STAGE})

    def late(each: Request) -> tuple[bool, bool]:
        return (each.strategy.scope is Scope.STACK) is not staged, isinstance(each.workload, Inference) is not inference

    return sorted(requests, key=late)


def _fitting(request: Request) -> tuple[Request, int]:
    """A request with the bytes that its plan needs of a device: of its branches, the one that needs most."""
    module = _workload()
    if isinstance(request.workload, Inference):
        needed = []
        for branch in branches_of(request.workload):
            step = module.inference_dims.inference_dims_of(request, branch)
            memory = module.inference_memory.inference_memory(step, module.maximum.largest)
            needed.append(memory.weights + memory.kv + memory.workspace)
        return request, max(needed)
    shape = module.dims.dims_of(request)
    held = module.memory.block_memory(shape, module.training_block.training_block(shape))
    return request, sum(vars(held.state).values()) + held.stored + held.working + held.checkpoint


def _dependents(package: Path, root: str) -> frozenset[str]:
    """The modules below `root`, and all that import one of them, directly or not."""
    imports: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        names = imports[".".join(part for part in parts if part != "__init__")] = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
            elif isinstance(node, ast.Import):
                names |= {each.name for each in node.names}
    found = {name for name in imports if name == root or name.startswith(f"{root}.")}
    while more := {name for name, names in imports.items() if names & found} - found - {package.name}:
        found |= more
    return frozenset(found)


def _remember() -> None:
    """Give each pure function on which much time goes a memory, by its whole argument; and write nothing to disk."""
    for name in ("proving", "derivation", "verification", "examine"):
        importlib.import_module(f"blueprint.{name}")
    replaced: dict[object, object] = {
        symbols.to_term: cache(symbols.to_term),
        obligation.theorem: _remembering(obligation.theorem),
        smtlib.render: _remembering(smtlib.render),
        normalform.decide: _remembering(normalform.decide),
        os.fsync: lambda _file: None,
    }
    for module in [os, *(each for name, each in sys.modules.items() if name.startswith("blueprint."))]:
        for name, value in list(vars(module).items()):
            if callable(value) and getattr(value, "__hash__", None) and value in replaced:
                setattr(module, name, replaced[value])


def _remembering(function: Callable[..., T]) -> Callable[..., T]:
    known: dict[bytes, T] = {}

    def remembering(*arguments: object) -> T:
        key = msgspec.msgpack.encode(arguments)
        if key not in known:
            known[key] = function(*arguments)
        return known[key]

    return remembering


def _outcome(compute: Callable[[], object]) -> str:
    """The digest of what a function returns, or the name of what it raises."""
    try:
        return hashlib.sha256(repr(compute()).encode()).hexdigest()
    except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
        return type(error).__name__


def _works() -> object:
    """What theorems speak of, in every case, at two points with large arguments that satisfy the domain's equations.

    What every task does, the sizes of what it reads and writes and of what it does to a cache, what waits for the
    backward pass, memory facts.
    """
    module = _workload()
    found: list[object] = []
    for turn in ("first", "second"):
        large = {each.name: _large(f"{turn} {each.name}") for each in fields(module.dims.Factors)}
        for case in all_cases():
            ranks = large["tensor"] if case.tensor_parallel else 1
            batch = large["batch"] * ranks
            shard = large["batch"] * large["sequence"] * large["hidden"]
            if case.inference:
                found += _step_works(module, case, turn, {**large, "tensor": ranks, "batch": batch, "shard": shard})
                continue
            factors = module.dims.Factors(**{**large, "tensor": ranks, "batch": batch, "shard": shard})
            shape = module.dims.Dims.of(case, factors)
            derived = module.training_block.training_block(shape)
            found.append(_tasks(derived))
            forward = [each for each in derived.steps if each.phase is Phase.FORWARD]
            made = {name for each in forward for name in each.writes} | {"x.forward"}
            later = {name for each in derived.steps if each.phase is not Phase.FORWARD for name in each.reads}
            waiting = [each for each in derived.tensors if each.name in made & later]
            found.append(sorted(module.memory.tensor_bytes(shape, each) for each in waiting))
            held = module.memory.block_memory(shape, derived)
            found.append(held)
        for case in stage_cases():
            found.append(_stage_works(module, case, turn, large))
        found.append(module.plan.plan_work(*(_large(f"{turn} {each}") for each in range(4))))
        found.append(module.plan.buffer_size((large["batch"], large["hidden"]), large["element"]))
        found.append(_fused(module, turn))
    return found


def _fused(module: Any, turn: str) -> int:
    """The operations of three tasks that are run as one, as attention is."""
    operations: int = module.attention.fused_operations([_large(f"{turn} {name}") for name in "abc"])
    return operations


def _step_works(module: Any, case: Case, turn: str, large: dict[str, int]) -> list[object]:
    """The same of one step of inference, and each arm of its workspace."""
    shape = _step(module, case, turn, large)
    arms: list[object] = []

    def maximum(of: Sequence[int]) -> int:
        arms.append(tuple(of))
        return _large(f"{turn} largest arm")

    memory = module.inference_memory.inference_memory(shape, maximum)
    chosen = [(each.name, tuple(each.arms)) for each in module.attention.implementations(shape)]
    return [_tasks(module.inference_block.inference_block(shape)), memory, arms, chosen]


def _step(module: Any, case: Case, turn: str, large: dict[str, int]) -> Any:
    return module.inference_dims.InferenceDims(
        case=case,
        b=large["batch"],
        q=large["sequence"],
        c=_large(f"{turn} context"),
        H=large["hidden"],
        h_t=large["heads"],
        k_t=large["key_value_heads"],
        d=large["head_width"],
        F_t=large["feedforward"],
        t=large["tensor"],
        shard=large["shard"],
        e=large["element"],
    )


def _stage_works(module: Any, case: Case, turn: str, large: dict[str, int]) -> object:
    """The same of what a stage of one block has besides; theorems find these tasks by their phase."""
    ranks = large["tensor"] if case.tensor_parallel else 1
    batch = large["batch"] * ranks
    shard = large["batch"] * large["sequence"] * large["hidden"]
    sizes = {**large, "tensor": ranks, "batch": batch, "shard": shard}
    if case.inference:
        derived = module.stage.inference_stage(_step(module, case, turn, sizes), 1)
    else:
        derived = module.stage.training_stage(module.dims.Dims.of(case, module.dims.Factors(**sizes)), 1)
    edges, exchanges = [
        [each for each in _tasks(derived) if each[1] == phase.value]
        for phase in (Phase.STAGE_BOUNDARY, Phase.SYNCHRONIZATION)
    ]
    # Of exchanges theorems say what they do in all, of edges also of which primitive they are and what they move.
    return [each[1:] for each in edges], sorted(repr(each[3]) for each in exchanges)


def _tasks(derived: Any) -> Sequence[tuple[object, ...]]:
    """What every task does, and the sizes of what it reads and writes."""
    sizes = {each.name: (each.local.elements, each.element) for each in derived.tensors}
    return sorted(
        (each.source, each.phase.value, each.primitive.value, repr(each.work),
         [sizes[name] for name in each.reads], [sizes[name] for name in each.writes],
         [(use.use.value, sizes[use.tensor], use.size) for use in each.cache])
        for each in derived.steps
    )  # fmt: skip


def _workload() -> Any:
    """The modules of the derivation as they lie in the folder, by name."""
    names = (
        *("training_block", "dims", "plan", "memory", "stage", "attention"),
        *("inference_block", "inference_dims", "inference_memory", "maximum"),
    )
    return SimpleNamespace(**{name: importlib.import_module(f"blueprint.workload.{name}") for name in names})


def _large(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")


def _block(request: Request) -> object:
    """Everything of the derivation on which a pass depends, for one request."""
    module = _workload()
    planned = (
        module.plan.plan_work(*map(_large, "abcd")),
        module.plan.buffer_size((_large("a"), _large("b")), _large("c")),
    )
    blocks, stack = blocks_of(request.model, request.strategy), request.strategy.scope is Scope.STACK
    if isinstance(request.workload, Inference):
        steps = []
        for branch in branches_of(request.workload):
            step = module.inference_dims.inference_dims_of(request, branch)
            alone = module.inference_memory.inference_memory(step, module.maximum.largest)
            memory = module.inference_memory.stack_memory(alone, blocks)
            derived = (
                module.stage.inference_stage(step, blocks) if stack else module.inference_block.inference_block(step)
            )
            steps.append((derived, memory, module.attention.implementations(step)))
        fused = _fused(module, "bound") if isinstance(request.target, Target) else 0
        return steps, module.inference_block.CACHED, planned, fused
    shape = module.dims.dims_of(request)
    block = module.training_block
    alone = block.training_block(shape)
    derived = module.stage.training_stage(shape, blocks) if stack else alone
    memory = module.memory.stack_memory(module.memory.block_memory(shape, alone), blocks)
    return derived, block.ENTERS, block.LEAVES, planned, memory


def _crash(error: Exception) -> str:
    words = error.message if isinstance(error, BlueprintError) else str(error)
    return f"{type(error).__name__}: {words}"


def _refuser(error: GateError) -> str:
    """The claim or law that a refusal names; for a structural fault its code."""
    words = error.message.partition("steps 9 to 12, ")[2]
    if words.startswith("claim "):
        return words.partition(" is ")[0]
    if words.startswith("law "):
        return words.partition(",")[0] + (" (vacuous)" if isinstance(error, NotEstablishedError) else "")
    return f"coverage: {words}" if error.code == "gate.refuted" else f"structure: {error.code}"


def _serve(base: Path, count: int) -> None:
    """One lane: the control's columns, then the columns of each mutant that comes in, one a line."""
    lane = Lane(base, count)
    gc.freeze()
    control = msgspec.structs.replace(lane.control, bundles=(), blocks=())
    sys.stdout.buffer.write(msgspec.json.encode(control) + b"\n")
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        found = lane.answer(msgspec.json.decode(line, type=Mutant))
        sys.stdout.buffer.write(msgspec.json.encode(msgspec.structs.replace(found, bundles=(), blocks=())) + b"\n")
        sys.stdout.flush()


# The run --------------------------------------------------------------------------------------------------------------


class Row(msgspec.Struct, frozen=True):
    """One mutant with what became of it: killed, survived, stillborn or equivalent."""

    kind: str
    operator: str
    place: str
    before: str
    after: str
    prove: Column
    derive: Column
    fate: str
    proof: str = ""


class Laboratory:
    """A snapshot of the sources for each lane, so that nobody's editing disturbs the run."""

    def __init__(self, folder: Path, *, lanes: int = LANES, count: int = len(STRATEGIES)) -> None:
        self.bases = [folder / f"lane{number}" for number in range(lanes)]
        first = self.bases[0]
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "blueprint", first / "blueprint", ignore=ignore)
        # Laid out as installed: rules lie in the package. Proofs are left out.
        shutil.copytree(ROOT / "rules", first / "blueprint" / "rules", ignore=ignore)
        for other in self.bases[1:]:
            shutil.copytree(first, other)
        self.count = count
        self.lanes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        # Coverage of a mutant means nothing, and would slow it down.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "COV_"))}
        self.lanes = [
            subprocess.Popen(
                [sys.executable, "-P", __file__, "--lane", str(base), str(self.count)],
                cwd=base,
                env={**kept, "PYTHONPATH": os.pathsep.join((str(base), str(ROOT)))},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for base in self.bases
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for lane in self.lanes:
            lane.kill()
            lane.communicate()

    def mutants(self) -> list[Mutant]:
        """Every mutant of the snapshot."""
        return mutants(self.bases[0])

    def control(self) -> Found:
        """The unmutated sources must be proved, derived and not refuted; else no kill would mean anything."""
        found = [self._next(lane) for lane in self.lanes]
        for each in found:
            if (each.prove.verdict, each.derive.verdict) != ("proved", "derived"):
                raise SystemExit(f"the unmutated sources: prove {_cell(each.prove)}, derive {_cell(each.derive)}")
        return found[0]

    def examine(self, chosen: Sequence[Mutant], say: Callable[[str], None]) -> list[Row]:
        """The rows of these mutants, in their order."""
        free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        for lane in self.lanes:
            free.put(lane)
        start = time.monotonic()

        def one(mutant: Mutant) -> Row:
            lane = free.get()
            try:
                return _judge(mutant, self._ask(lane, mutant))
            finally:
                free.put(lane)

        rows: list[Row] = []
        with ThreadPoolExecutor(len(self.lanes)) as threads:
            for row in threads.map(one, chosen):
                rows.append(row)
                spent = time.monotonic() - start
                say(f"{len(rows)}/{len(chosen)} {spent:.0f} s {row.fate}: {row.place} {row.after}")
        return rows

    def _ask(self, lane: subprocess.Popen[bytes], mutant: Mutant) -> Found:
        if lane.stdin is None:
            raise RuntimeError("a lane has no pipes")
        lane.stdin.write(msgspec.json.encode(mutant) + b"\n")
        lane.stdin.flush()
        return self._next(lane)

    def _next(self, lane: subprocess.Popen[bytes]) -> Found:
        line = lane.stdout.readline() if lane.stdout is not None else b""
        if not line:
            raise SystemExit("a lane has died")
        return msgspec.json.decode(line, type=Found)


_STOPPED: Final = frozenset(("refused", "refuted", "differs"))


def _judge(mutant: Mutant, found: Found) -> Row:
    """Killed only if all that is asked says so; equivalent only if listed, and then it must not be killed there."""
    proved, derived = found.prove.verdict, found.derive.verdict
    unproved = "undecided" if mutant.operator in HINTS.values() else "refuted"
    by_proof = proved in {"refuted", "unaffected", "no theorem", unproved}
    by_derivation = derived in {*_STOPPED, "no instance"}
    scope, proof = EQUIVALENT.get(mutant.key, ("", ""))
    if by_proof and by_derivation:
        fate = "wrongly listed" if scope else "killed"
    elif (
        (scope == "both" and proved != "refuted" and derived not in _STOPPED)
        or (scope == "derive" and by_proof)
        or (scope == "prove" and proved != "refuted" and by_derivation)
    ):
        fate = "equivalent"
    elif "crash" in {proved, derived} and (by_proof or proved == "crash") and (by_derivation or derived == "crash"):
        fate = "stillborn"
    else:
        fate = "survived"
    place = f"{mutant.path}:{mutant.line}"
    columns = (found.prove, found.derive)
    return Row(mutant.kind, mutant.operator, place, mutant.before, mutant.after, *columns, fate, proof)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The kill table as lines: every mutant, then those that are not killed once more, then the counts."""
    for row in rows:
        yield from _lines(row)
    for fate in ("equivalent", "stillborn", "survived", "wrongly listed"):
        found = [row for row in rows if row.fate == fate]
        if found:
            yield f"\n{fate}: {len(found)}\n"
        for row in found:
            yield from _lines(row)
    heads = ("mutants", "killed", "by prove", "not proved", "unaffected", "by derive", "structure")
    yield ""
    yield f"{'kind':<12}{''.join(f'{head:>12}' for head in heads)}  others"
    for kind in dict.fromkeys(row.kind for row in rows):
        yield _count_line(kind, [row for row in rows if row.kind == kind])
    yield _count_line("all", rows)


def _lines(row: Row) -> Iterator[str]:
    yield f"{row.fate} {row.kind} ({row.operator}) {row.place}"
    yield f"    {row.before}"
    yield f" -> {row.after}"
    yield f"    prove:  {_cell(row.prove)}"
    yield f"    derive: {_cell(row.derive)}"
    if row.proof:
        yield f"    proof:  {row.proof}"


def _cell(column: Column) -> str:
    words = f" by {'; '.join(column.by[:3])}" if column.by else ""
    more = f" and {len(column.by) - 3} more" if len(column.by) > 3 else ""
    note = f" ({column.note})" if column.note and not column.by else ""
    return f"{column.verdict}{words}{more}{note}"


def _count_line(kind: str, rows: Sequence[Row]) -> str:
    fates = Counter(row.fate for row in rows)
    proved = Counter(row.prove.verdict for row in rows)
    stopped = [row.derive.by[0] for row in rows if row.derive.verdict in _STOPPED]
    unproved = sum(row.fate == "killed" and row.prove.verdict == "undecided" for row in rows)
    structure = sum(each.startswith("structure: ") for each in stopped)
    others = ", ".join(f"{count} {fate}" for fate, count in fates.items() if fate != "killed")
    counts = (len(rows), fates["killed"], proved["refuted"], unproved, proved["unaffected"], len(stopped), structure)
    return f"{kind:<12}{''.join(f'{count:>12}' for count in counts)}  {others}".rstrip()


def main(arguments: Sequence[str]) -> int:
    """Run the mutants that are asked for, and print the table.

    Words with a slash name files by how their paths begin, any of which is meant; all other words must stand in the
    file or the lines of a mutant. Without a word all mutants are run.
    """
    if arguments[:1] == ["--lane"]:
        _serve(Path(arguments[1]), int(arguments[2]))
        return 0
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder, Laboratory(Path(folder)) as laboratory:
        files = tuple(word for word in arguments if "/" in word)
        words = [word for word in arguments if "/" not in word]
        chosen = [
            each
            for each in laboratory.mutants()
            if (not files or each.path.startswith(files)) and all(word in " ".join(each.key) for word in words)
        ]
        laboratory.control()
        _say("the unmutated sources are proved, derived and not refuted")
        rows = laboratory.examine(chosen, _say)
    stale = set() if arguments else set(EQUIVALENT) - {each.key for each in chosen}
    for line in (*table(rows), *(f"listed as equivalent, but no mutant: {' '.join(key)}" for key in sorted(stale))):
        sys.stdout.write(f"{line}\n")
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
    bad = any(row.fate not in {"killed", "equivalent", "stillborn"} for row in rows)
    return 1 if bad or stale else 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
