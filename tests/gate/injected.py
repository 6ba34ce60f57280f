"""An exception or Ctrl-C at every point of a commit, a chain and a command: everything is published, or nothing is.

How many points there are is asserted, and planted faults show that the harness finds what it looks for.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec
import pytest

from blueprint import cli, derivation, files, gate, pipeline, session
from blueprint.analyses import AnalysisKey
from blueprint.codec import encode
from blueprint.errors import BlueprintError
from blueprint.exit import ExitCode
from blueprint.frontend.block import model_ir
from blueprint.gate import CommitGate, Committed
from blueprint.ir.model import ModelIR
from blueprint.passes.protocol import DerivationPass, PassContext
from blueprint.pipeline import DerivationTrace, PassManager
from tests.gate.injection import PACKAGE, Fault, Findings, Injected, Points, inject_again, inject_in_copies
from tests.gate.small import REQUEST, Instant, contents, distributing, gate_of, image, looking, planning, rooted

GATE, PIPELINE, DERIVATION, FILES = (str(inspect.getsourcefile(each)) for each in (gate, pipeline, derivation, files))
SESSION = str(inspect.getsourcefile(session))
COMMAND = f"{PACKAGE}/cli"
LINES = frozenset({GATE, PIPELINE, DERIVATION, FILES})
HERE = frozenset({__file__})


class Live(msgspec.Struct, frozen=True):
    values: tuple[str, ...]


LIVENESS = AnalysisKey("liveness", 1, Live)


def leave(_ir: object, context: PassContext) -> None:
    context.analyses.put(LIVENESS, Live(("x",)))


def read(_ir: object, context: PassContext) -> None:
    context.analyses.get(LIVENESS)


leaving = partial(looking, leave, produces=(LIVENESS,))
reading = partial(distributing, read, requires=(LIVENESS,), keeps=(LIVENESS,))


def every_call(_code: CodeType, _caller: CodeType) -> bool:
    return True


def no_call(_code: CodeType, _caller: CodeType) -> bool:
    return False


def calls_at(*places: str) -> Callable[[CodeType, CodeType], bool]:
    """Calls of the functions in these files and folders, and calls by them."""
    return lambda code, caller: code.co_filename.startswith(places) or caller.co_filename.startswith(places)


def settling(code: CodeType, _caller: CodeType) -> bool:
    """The call in the middle of a commit."""
    return code.co_qualname == "TransitionVerifier.settle"


def first_at(injected: Injected, *files: str) -> bool:
    """Whether it is an interruption, where control came for the first time to a point of these files."""
    came = injected.place.came
    at = {injected.place.code.co_filename, "" if isinstance(came, int) else came.co_filename}
    return injected.kind is KeyboardInterrupt and injected.number == 1 and bool(at & {*files})


def misplaced(injected: Injected, raised: BaseException | None, names: tuple[str, ...]) -> Iterator[str]:
    """What is wrong about the error itself: interruptions go through, and all else in a step says in which."""
    if injected.kind is KeyboardInterrupt and not isinstance(raised, KeyboardInterrupt):
        yield f"an interruption came out as {raised!r}"
    if injected.kind is Fault and "_Transaction.steps" in injected.within:
        if not isinstance(raised, BlueprintError):
            yield f"{raised!r} is no error of ours"
        elif raised.origin.partition(", step")[0] not in names:
            yield f"{raised!r} does not say where it arose, but {raised.origin!r}"


def found_everywhere(found: Findings, least: int, after: int, **by_file: int) -> None:
    """Nothing is wrong, and it was looked for at so many points, and at so many after everything was published."""
    assert found.wrong == []
    assert found.count >= least, f"{found.count} points, {dict(found.files)}"
    assert found.after >= after
    for name, count in by_file.items():
        assert found.files[name] >= count, f"{found.files[name]} points in {name}"


# A commit ------------------------------------------------------------------------------------------------------------


class Commit:
    """One commit by a gate that has published something before."""

    def __init__(self, kind: type[CommitGate] = CommitGate) -> None:
        usual = gate_of()
        self.gate = kind(usual.verifier, usual.context)
        self.source = CommitGate.commit(self.gate, leaving(), rooted(self.gate))
        self.derivation_pass = reading()
        self.before = self.gate.published
        self.content, self.image = contents(self.before), image(self.source)

    def act(self) -> None:
        self.gate.commit(self.derivation_pass, self.source)

    def done(self) -> bool:
        return self.gate.published is not self.before and contents(self.gate.published) == commit_published()

    def mend(self, injected: Injected) -> None:
        """A copy changes its own memory alone."""

    def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
        yield from misplaced(injected, raised, (self.derivation_pass.facts.name,))
        if contents(self.before) != self.content:
            yield "the old store was changed in place"
        if image(self.source) != self.image:
            yield "the input was changed"
            return
        if self.gate.published is not self.before:
            if not injected.done:
                yield "something is published although it was stopped before"
            # What is stopped after publication has published everything, or has undone it as a whole.
            if not self.done():
                yield "a part is published"
        # Any pass shows that gate and input are as they were. The same one follows where the gate was at work itself.
        self.gate.published = self.before
        CommitGate.commit(self.gate, looking(requires=(LIVENESS,), deterministic=False), self.source)
        if first_at(injected, GATE):
            self.gate.published = self.before
            self.act()
            if contents(self.gate.published) != commit_published():
                yield "the next run publishes something else"


@functools.cache
def commit_published() -> object:
    """What is published after a clean commit."""
    subject = Commit()
    subject.act()
    return contents(subject.gate.published)


def commit_by(kind: type[CommitGate]) -> Callable[[], Commit]:
    """To be asked before, so that copies know it."""
    commit_published()
    return lambda: Commit(kind)


def test_a_commit_that_is_stopped_anywhere_publishes_everything_or_nothing() -> None:
    found = inject_in_copies(commit_by(CommitGate), Points(every_call, LINES))
    found_everywhere(found, 1500, 2, gate=300, facts=100, distributed=100, codec=50, verifier=50, contract=20)


# A chain -------------------------------------------------------------------------------------------------------------


class Chain:
    """A chain of passes, of which the first stays within its stage."""

    def __init__(self, kind: type[PassManager] = PassManager) -> None:
        self.gate = gate_of()
        self.gate.commit(looking(), rooted(self.gate))
        self.manager = kind(self.gate, (leaving(), reading(), planning()))
        self.names = tuple(each.facts.name for each in self.manager.passes)
        self.model = model_ir(REQUEST)
        self.before = self.gate.published
        self.content, self.image = contents(self.before), encode(self.model)

    def act(self) -> None:
        self.manager.run(self.model)

    def done(self) -> bool:
        return self.gate.published is not self.before and contents(self.gate.published) == chain_published()

    def mend(self, injected: Injected) -> None:
        """A copy changes its own memory alone."""

    def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
        yield from misplaced(injected, raised, self.names)
        if contents(self.before) != self.content:
            yield "the old store was changed in place"
        if encode(self.model) != self.image:
            yield "the model was changed"
        if self.gate.published is not self.before:
            if not injected.done:
                yield "something is published although it was stopped before"
            if not self.done():
                yield "a part is published"
        self.gate.published = self.before
        self.gate.commit(looking(deterministic=False), self.before.checkpoints[0])
        if first_at(injected, PIPELINE):
            self.gate.published = self.before
            self.act()
            if contents(self.gate.published) != chain_published():
                yield "the next run publishes something else"


@functools.cache
def chain_published() -> object:
    """What is published after a clean run of the chain."""
    subject = Chain()
    subject.act()
    return contents(subject.gate.published)


def chain_by(kind: type[PassManager]) -> Callable[[], Chain]:
    """To be asked before, so that copies know it."""
    chain_published()
    return lambda: Chain(kind)


def test_a_chain_that_is_stopped_anywhere_publishes_everything_or_nothing() -> None:
    """What is below the gate in a commit was stopped above."""
    found = inject_in_copies(chain_by(PassManager), Points(calls_at(PIPELINE), LINES))
    found_everywhere(found, 500, 2, gate=400, pipeline=15)


# A command that writes a file ----------------------------------------------------------------------------------------

OLD = b"an older bundle\n"
OPTIONS = "--tensor 1 --batch 2 --prompt 6 --context 9".split()
SHAPE = {name: getattr(REQUEST.model, name) for name in REQUEST.model.__struct_fields__ if name != "activation"}


class Command:
    """`blueprint derive` into a folder, where there may be an older bundle. A clean run follows what is followed."""

    def __init__(self, folder: Path, old: bytes | None, whole: bytes | None = None, followed: str = "") -> None:
        self.place, self.old, self.whole, self.followed = folder / "out" / "bundle.json", old, whole, followed
        shape = folder / "shape.json"
        if not shape.exists():
            shape.write_text(json.dumps(SHAPE), encoding="utf-8")
        self.arguments = ["derive", "inference", "--model", str(shape), *OPTIONS, "-o", str(self.place)]
        self.code: ExitCode | None = None
        self.clear()

    def clear(self) -> None:
        """The folder as it was before the command."""
        shutil.rmtree(self.place.parent, ignore_errors=True)
        self.place.parent.mkdir()
        if self.old is not None:
            self.place.write_bytes(self.old)

    def act(self) -> None:
        self.code = cli.run(self.arguments)

    def content(self) -> bytes | None:
        return self.place.read_bytes() if self.place.exists() else None

    def done(self) -> bool:
        return self.content() == self.whole

    def mend(self, injected: Injected) -> None:
        """A copy may have written where the run will write."""
        if not injected.done and self.content() != self.old:
            self.clear()

    def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
        # The very first call is before anything that could explain it.
        if raised is not None and injected.place.code is not cli.run.__code__:
            yield f"the command ended with {raised!r}"
        if injected.kind is KeyboardInterrupt and self.code not in {None, ExitCode.INTERRUPTED}:
            yield f"the status of an interruption is {self.code!r}"
        content = self.content()
        if content not in {self.old, self.whole}:
            yield "half a file stands there"
        if content == self.whole and not (injected.done or self.code is ExitCode.VERIFIED):
            yield "the file is written although the command was stopped before"
        if content != self.whole and self.code is ExitCode.VERIFIED:
            yield "the command says that it has written the file"
        if [each for each in self.place.parent.iterdir() if each != self.place]:
            yield "a file is left behind"
        self.clear()
        if first_at(injected, self.followed):
            self.act()
            if (self.code, self.content()) != (ExitCode.VERIFIED, self.whole):
                yield "the next run writes something else"


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What the command writes. Its solver answers at once."""
    monkeypatch.setattr("blueprint.derivation.SolverPool", lambda _jobs: Instant())
    command = Command(tmp_path, None)
    command.act()
    written = command.content()
    assert command.code is ExitCode.VERIFIED
    assert written is not None
    return written


def test_a_command_that_is_stopped_anywhere_leaves_the_file_as_it_was(tmp_path: Path, whole: bytes) -> None:
    """Up to the moment at which the document is handed over: copies would share a file that one of them writes."""
    points = Points(calls_at(COMMAND, DERIVATION, PIPELINE, FILES), LINES, outside="Voice.document")
    found = inject_in_copies(lambda: Command(tmp_path, OLD, whole, SESSION), points)
    found_everywhere(found, 800, 0, gate=400, derivation=100, pipeline=50, files=50)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # what an interruption leaves open is closed without a word
@pytest.mark.parametrize("old", [None, OLD], ids=["new file", "old file"])
def test_a_command_that_is_stopped_while_it_writes_leaves_the_whole_file_or_the_old_one(
    tmp_path: Path, whole: bytes, old: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every passage of every call and of every line of the command, where deriving itself takes no time."""
    monkeypatch.setattr("blueprint.derivation.derive", lambda *_, **__: whole)
    found = inject_again(lambda: Command(tmp_path, old, whole, FILES), Points(calls_at(COMMAND, FILES), LINES))
    found_everywhere(found, 200, 4, files=100, voice=20)


# The harness itself --------------------------------------------------------------------------------------------------


class Toy:
    """Adds to a list, line by line, and calls another function twice for it."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def act(self) -> None:
        self.add(1)
        self.add(2)
        with contextlib.suppress(Fault):
            self.made.extend(self.more())

    def add(self, number: int) -> None:
        self.made.append(number)

    def more(self) -> Iterator[int]:
        yield 3

    def done(self) -> bool:
        return len(self.made) == 3

    def mend(self, injected: Injected) -> None:
        """There is nothing to mend."""

    def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
        yield f"{len(self.made)} {type(raised).__name__} of {injected.kind.__name__}"


def toy_calls(_code: CodeType, caller: CodeType) -> bool:
    return caller is Toy.act.__code__


@pytest.mark.parametrize("harness", [inject_in_copies, inject_again])
def test_the_harness_raises_at_every_line_and_at_every_call(harness: Callable[..., Findings]) -> None:
    found = harness(Toy, Points(no_call, HERE))
    # Four lines of the run, the third again where its block ends; one of `add`, passed twice; one of `more`.
    assert found.count == 2 * (4 + 1 + 2 + 1)
    assert found.after == 2
    # How much was done at each of them. A fault in the third line, or below it, is suppressed.
    said = Counter(each.rpartition(": ")[2] for each in found.wrong)
    assert said == {
        "0 KeyboardInterrupt of KeyboardInterrupt": 2,
        "1 KeyboardInterrupt of KeyboardInterrupt": 2,
        "2 KeyboardInterrupt of KeyboardInterrupt": 3,
        "3 KeyboardInterrupt of KeyboardInterrupt": 1,
        "0 Fault of Fault": 2,
        "1 Fault of Fault": 2,
        "2 Fault of Fault": 1,
        "2 NoneType of Fault": 2,
        "3 Fault of Fault": 1,
    }
    calls = harness(Toy, Points(toy_calls, frozenset()))
    assert calls.count == 0, "these are no functions of ours"


def test_the_harness_says_what_a_copy_says_that_breaks_down() -> None:
    class Broken(Toy):
        def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
            raise LookupError(injected.kind) from raised

    found = inject_in_copies(Broken, Points(no_call, HERE))
    assert len(found.wrong) == found.count
    assert all("LookupError" in each for each in found.wrong)


# Planted faults ------------------------------------------------------------------------------------------------------


class Hasty(CommitGate):
    """Publishes before anything is checked."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        before = self.published
        self.published = dataclasses.replace(before, checkpoints=(*before.checkpoints, source))
        committed = gate._Transaction(self, derivation_pass, source).steps()
        self.published = dataclasses.replace(committed, checkpoints=(*before.checkpoints, committed.checkpoints[-1]))
        return committed.checkpoints[-1]


class Piecewise(CommitGate):
    """Publishes the checkpoint, and then the analyses."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        before = self.published
        super().commit(derivation_pass, source)
        whole, self.published = self.published, before
        self.published = dataclasses.replace(whole, analyses=before.analyses)
        self.published = whole
        return whole.checkpoints[-1]


class InPlace(CommitGate):
    """Changes the store that there is, and restores it when all went well."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        store, before = self.published, self.published.checkpoints
        object.__setattr__(store, "checkpoints", (*before, source))
        committed = super().commit(derivation_pass, source)
        object.__setattr__(store, "checkpoints", before)
        return committed


class Careless(CommitGate):
    """Lets a pass have the committed snapshot itself for a while."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        parent = source.snapshot.header.parent
        committed = super().commit(derivation_pass, source)
        msgspec.structs.force_setattr(source.snapshot.header, "parent", "0" * 64)
        msgspec.structs.force_setattr(source.snapshot.header, "parent", parent)
        return committed


class Deaf(CommitGate):
    """Makes an error of an interruption."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        try:
            return super().commit(derivation_pass, source)
        except KeyboardInterrupt as error:
            raise BlueprintError("interrupted") from error


class Blaming(CommitGate):
    """Says of no error where it arose."""

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        self.published = gate._Transaction(self, derivation_pass, source).steps()
        return self.published.checkpoints[-1]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Hasty, "something is published although it was stopped before"),
        (Piecewise, "a part is published"),
        (InPlace, "the old store was changed in place"),
        (Careless, "the input was changed"),
        (Deaf, "an interruption came out as BlueprintError('interrupted')"),
        (Blaming, "Fault() is no error of ours"),
    ],
)
def test_a_planted_fault_of_a_gate_is_found(kind: type[CommitGate], words: str) -> None:
    found = inject_in_copies(commit_by(kind), Points(settling, HERE))
    assert any(each.endswith(words) for each in found.wrong), found.wrong


def test_nothing_is_found_at_the_same_points_of_the_real_gate() -> None:
    found = inject_in_copies(commit_by(CommitGate), Points(settling, HERE))
    assert found.wrong == []
    assert found.count > 4


class Piecemeal(PassManager):
    """Leaves what its first passes have published where a later one is stopped."""

    def run(self, model: ModelIR) -> DerivationTrace:
        committed = [self.gate.admit(model)]
        for derivation_pass in self.passes:
            committed.append(self.gate.commit(derivation_pass, committed[-1]))
        return DerivationTrace(self.gate.context.branch, tuple(committed))


def test_a_planted_fault_of_a_chain_is_found() -> None:
    found = inject_in_copies(chain_by(Piecemeal), Points(settling, frozenset()))
    assert any("something is published although it was stopped before" in each for each in found.wrong)
    assert inject_in_copies(chain_by(PassManager), Points(settling, frozenset())).wrong == []


def in_place(path: str, data: bytes) -> None:
    """Write over what stands there."""
    with Path(path).open("wb") as stream:
        stream.write(data[:9000])
        stream.write(data[9000:])


def untidy(path: str, data: bytes) -> None:
    """Write beside, and clean up after errors alone."""
    beside = Path(path).with_suffix(".tmp")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except Exception:
        beside.unlink()
        raise


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("write", "words", "kinds"),
    [
        (in_place, "half a file stands there", {"Fault", "KeyboardInterrupt"}),
        (untidy, "a file is left behind", {"KeyboardInterrupt"}),
    ],
)
def test_a_planted_fault_of_writing_is_found(
    tmp_path: Path,
    whole: bytes,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[str, bytes], None],
    words: str,
    kinds: set[str],
) -> None:
    monkeypatch.setattr("blueprint.derivation.derive", lambda *_, **__: whole)
    monkeypatch.setattr("blueprint.cli.voice.write_whole", write)
    found = inject_again(lambda: Command(tmp_path, OLD, whole), Points(no_call, HERE))
    assert {each.partition(" at ")[0] for each in found.wrong if each.endswith(words)} == kinds
