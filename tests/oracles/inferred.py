"""What `derive inference` emitted, read back branch by branch, and how an oracle's shape becomes a request."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from blueprint import cli
from blueprint.bundle import read_bundle
from blueprint.derivation import derive
from blueprint.errors import DomainError
from blueprint.exit import ExitCode
from blueprint.frontend.request import inference_request
from blueprint.ir.common import Branch, LineageKind, Phase, Role
from blueprint.ir.distributed import DistributedTaskIR, EffectKind, Task
from blueprint.ir.model import ModelIR, OperationKind
from blueprint.ir.portable import InferenceMemory, PortablePlanIR
from blueprint.ir.request import Activation, ModelFacts, Request
from tests.oracles.cases import DTYPES
from tests.oracles.derived import MATMULS, Derived

QKV = (OperationKind.QUERY_PROJECTION, OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION)

KINDS: dict[str, tuple[OperationKind, ...]] = {
    "qkv": QKV,
    "qk": (OperationKind.SCORES,),
    "softmax": (OperationKind.SOFTMAX,),
    "av": (OperationKind.CONTEXT,),
    "out_proj": (OperationKind.OUTPUT_PROJECTION,),
    "fc1": (OperationKind.UP_PROJECTION,),
    "gelu": (OperationKind.ACTIVATION,),
    "fc2": (OperationKind.DOWN_PROJECTION,),
    "layernorm1": (OperationKind.ATTENTION_NORM,),
    "layernorm2": (OperationKind.MLP_NORM,),
    "residual1": (OperationKind.ATTENTION_RESIDUAL,),
    "residual2": (OperationKind.MLP_RESIDUAL,),
}
"""PyTorch's operations -> ours. Its fused q, k, v projection is three of ours."""


class Step(NamedTuple):
    """The step of inference that a case describes, by the letters of the laws: elements, degree t, e bytes."""

    b: int
    q: int
    c: int
    H: int
    F: int
    h: int
    k: int
    d: int
    t: int
    e: int = 2

    @property
    def branch(self) -> Branch:
        """Where a derivation has this step: a single new token, or the prompt at once."""
        if self.q == 1:
            return Branch.FINAL_DECODE
        assert self.q == self.c, "no branch goes on with a prompt whose beginning is cached already"
        return Branch.PREFILL

    def model(self, *, biases: bool = True) -> ModelFacts:
        """One block of these widths."""
        return ModelFacts(
            name="test",
            hidden=self.H,
            feedforward=self.F,
            heads=self.h,
            key_value_heads=self.k,
            head_width=self.d,
            layers=1,
            vocabulary=1,
            positions=1,
            biases=biases,
            activation=Activation.GELU,
        )

    def request(self, *, prompt: int | None = None, biases: bool = True) -> Request:
        """The request whose derivation has this step. Raises where no law covers it."""
        return inference_request(
            self.model(biases=biases),
            batch=self.b,
            prompt=self.q if prompt is None else prompt,
            context=self.c,
            dtype=DTYPES[self.e],
            tensor=self.t,
        )

    @property
    def indivisible(self) -> str:
        """The dimension that the degree does not divide, in the words of a refusal; empty if there is none."""
        streams = (("", self.b * self.q * self.H), ("", self.b * self.H))
        for letter, size in (("h", self.h), ("k", self.k), ("F", self.F), *streams):
            if size % self.t:
                return f"{letter} = {size} is not divisible by tensor degree t = {self.t}"
        return ""


def step_of(case: dict[str, Any]) -> Step:
    """The step of a case in PyTorch's files."""
    letters = {letter: case[letter] for letter in ("b", "q", "c", "H", "F", "h", "d", "t", "e")}
    step = Step(**letters, k=case["kv_heads"])
    assert case["phase"] != "decode" or step.q == 1
    assert case["phase"] != "prefill" or step.q == step.c
    return step


@functools.cache
def inferred(request: Request) -> dict[Branch, Derived]:
    """The full way: `derive` through the gate, and its bundle decoded; one chain a branch, all from one model."""
    shared, *rest = read_bundle(derive(request)).stages
    assert isinstance(shared.snapshot, ModelIR)
    found: dict[Branch, Derived] = {}
    for before, after in zip(rest[::2], rest[1::2], strict=True):
        assert before.branch is after.branch
        distributed, portable = before.snapshot, after.snapshot
        assert isinstance(distributed, DistributedTaskIR)
        assert isinstance(portable, PortablePlanIR)
        found[before.branch] = Derived(shared.snapshot, distributed, portable)
    assert list(found) == [Branch.PREFILL, Branch.FINAL_DECODE]
    return found


def emitted_step(step: Step) -> Derived:
    """The step as `derive inference` emits it."""
    return inferred(step.request())[step.branch]


def tasks(emitted: Derived, kinds: Iterable[OperationKind]) -> list[Task]:
    """The tasks that operations of these kinds are lowered to; a collective is generated, not lowered."""
    found = emitted.tasks((Phase.FORWARD,), (), tuple(kinds))
    return [task for task in found if task.lineage.kind is LineageKind.LOWERED]


def products(emitted: Derived, kinds: Sequence[OperationKind] = ()) -> int:
    """Operations of the matrix products on one rank."""
    return sum(task.work.operations for task in emitted.tasks((Phase.FORWARD,), MATMULS, tuple(kinds)))


def effects(found: Iterable[Task], kind: EffectKind) -> int:
    """Bytes that tasks read of caches, or append to them."""
    return sum(each.size for task in found for each in task.effects if each.kind is kind)


def buffer_bytes(emitted: Derived, names: Iterable[str]) -> int:
    """Bytes of the plan's buffers of these local names, each of which is there."""
    sizes = {buffer.name: buffer.size for buffer in emitted.portable.buffers}
    return sum(sizes[name] for name in names)


def parameter_bytes(emitted: Derived, found: Iterable[Task]) -> int:
    """Bytes of the parameters that tasks read."""
    sizes = {each.source_value: each.size for each in emitted.portable.buffers if each.role is Role.PARAMETER}
    return sum(sizes.get(value, 0) for task in found for value in task.inputs)


def memory(emitted: Derived) -> InferenceMemory:
    """What one rank holds for the block."""
    assert isinstance(emitted.portable.memory, InferenceMemory)
    return emitted.portable.memory


def uncovered(step: Step, folder: Path, capsys: pytest.CaptureFixture[str], *, gated: bool = False) -> bool:
    """Whether no law covers a step; then that it is refused, and in which words, is checked here by command line.

    A gated network is no fact that a request could hold: the file that describes such a model is refused.
    """
    if gated:
        words, facts = "gated feed-forward network", _llama(step)
    elif step.indivisible:
        words, facts = step.indivisible, _facts(step)
        with pytest.raises(DomainError):
            step.request()
    elif step.k != step.h:
        words, facts = f"grouped-query attention (key/value heads k = {step.k}, heads h = {step.h})", _facts(step)
    else:
        return False
    path = folder / "model.json"
    path.write_text(json.dumps(facts), encoding="ascii")
    numbers = {"tensor": step.t, "batch": step.b, "prompt": step.q, "context": step.c}
    options = [f"--{name}={size}" for name, size in numbers.items()]
    code = cli.run(("derive", "inference", f"--model={path}", *options, "-o", str(folder / "none.json")))
    said = capsys.readouterr().err
    assert code == ExitCode.INPUT
    assert words in said
    assert not (folder / "none.json").exists()
    return True


def _facts(step: Step) -> dict[str, object]:
    """A facts file of the step's widths."""
    sizes = {"hidden": step.H, "feedforward": step.F, "heads": step.h, "key_value_heads": step.k, "head_width": step.d}
    return {**sizes, "layers": 1, "vocabulary": 1, "positions": 1}


def _llama(step: Step) -> dict[str, object]:
    """A config.json of the step's widths, of a family whose feed-forward network is gated."""
    return {
        "model_type": "llama",
        "hidden_size": step.H,
        "intermediate_size": step.F,
        "num_attention_heads": step.h,
        "num_key_value_heads": step.k,
        "num_hidden_layers": 1,
        "vocab_size": 1,
        "max_position_embeddings": 1,
        "hidden_act": "silu",
    }
