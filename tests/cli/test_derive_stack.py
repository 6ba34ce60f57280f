"""`derive ... --scope stack`: a whole pipeline stage from the command line, and what is refused of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprint.frontend.request import MAX_BLOCKS
from tests.cli.conftest import Run

GPT2 = ["--model=gpt2", "--tensor=2"]
TRAINING = ["derive", "training", *GPT2, "--microbatch=1", "--sequence=128"]
INFERENCE = ["derive", "inference", *GPT2, "--batch=2", "--prompt=8", "--context=16"]
WORKLOADS = pytest.mark.parametrize("line", [TRAINING, INFERENCE], ids=["training", "inference"])

LAYERS = 12
"""Of gpt2."""


def _refused(blueprint: Run, arguments: list[str], *words: str) -> None:
    done = blueprint(*arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: ")
    assert done.err.count("\n") == 1
    assert [word for word in words if word not in done.err] == []


@WORKLOADS
@pytest.mark.parametrize(("pipeline", "stage"), [(12, 0), (12, 7), (6, 5)])
def test_a_stage_is_derived_and_verified(
    line: list[str], pipeline: int, stage: int, blueprint: Run, tmp_path: Path
) -> None:
    path = tmp_path / "stage.json"
    options = ["--scope=stack", f"--pipeline={pipeline}", f"--pipeline-stage={stage}"]
    assert blueprint(*line, *options, "-o", str(path)).code == 0
    bundle = json.loads(path.read_bytes())
    strategy = bundle["request"]["strategy"]
    assert (strategy["scope"], strategy["pipeline"], strategy["stage"]) == ("stack", pipeline, stage)
    model = bundle["stages"][0]["snapshot"]
    assert {each["block"] for each in model["operations"]} == set(range(LAYERS // pipeline))
    done = blueprint("verify", str(path), "--expect", f"blocks={LAYERS // pipeline}", "--expect", f"stage={stage}")
    assert done.code == 0
    shown = done.out.decode()
    assert f"of pipeline stage {stage} and one " in shown
    assert "for one block and" not in shown


@WORKLOADS
def test_edges_are_those_of_inner_stages_alone(line: list[str], blueprint: Run, tmp_path: Path) -> None:
    training = line is TRAINING
    found = []
    for stage in range(3):
        path = tmp_path / f"{stage}.json"
        options = ["--scope=stack", "--pipeline=3", f"--pipeline-stage={stage}", "-o", str(path)]
        assert blueprint(*line, *options).code == 0
        tasks = json.loads(path.read_bytes())["stages"][1]["snapshot"]["tasks"]
        found.append(sorted(each["name"].rpartition(".")[2] for each in tasks if each["phase"] == "stage_boundary"))
    backward = {"receive": ["send_gradient"], "send": ["receive_gradient"]}
    wanted = [["send"], ["receive", "send"], ["receive"]]
    assert found == [
        sorted([*names, *(each for name in names if training for each in backward[name])]) for names in wanted
    ]


@WORKLOADS
def test_a_stage_is_derived_twice_alike(line: list[str], blueprint: Run) -> None:
    options = ["--scope=stack", "--pipeline=6", "--pipeline-stage=3", "-o", "-"]
    one, two = blueprint(*line, *options), blueprint(*line, *options)
    assert one.code == two.code == 0
    assert one.out == two.out != b""


@WORKLOADS
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scope=stack", "--pipeline=3", "--pipeline-stage=3"], "pipeline stage 3 does not exist: with p = 3"),
        (["--scope=stack", "--pipeline-stage=1"], "pipeline stage 1 does not exist: with p = 1"),
        (["--scope=stack", "--pipeline=4", "--pipeline-stage=65535"], "pipeline stage 65535 does not exist"),
        (["--scope=stack", "--pipeline=4", "--pipeline-stage=65536"], "--pipeline-stage: 65536 is not from 0 to 65535"),
        (["--pipeline=3", "--pipeline-stage=1"], "--pipeline-stage: is of a stack: add --scope stack"),
        (["--scope=block", "--pipeline=3", "--pipeline-stage=2"], "--pipeline-stage: is of a stack: add --scope stack"),
        (["--scope=stack", "--pipeline=5"], "layers L = 12 is not divisible by pipeline degree p = 5"),
        (["--scope=stack", "--pipeline=24"], "layers L = 12 is not divisible by pipeline degree p = 24"),
        (["--scope=stage"], '--scope: "stage" is not known; choose block or stack'),
        (["--scope=Stack"], '--scope: "Stack" is not known'),
        (["--scope=stack", "--pipeline-stage=-1"], "--pipeline-stage: "),
        (["--scope=stack", "--pipeline-stage=01"], "--pipeline-stage: "),
        (["--scope=stack", "--pipeline-stage=1.0"], "--pipeline-stage: "),
    ],
)
def test_a_stage_without_meaning_is_refused(line: list[str], options: list[str], words: str, blueprint: Run) -> None:
    _refused(blueprint, [*line, *options], words)


@pytest.mark.parametrize("layers", [MAX_BLOCKS + 1, 2 * MAX_BLOCKS])
@pytest.mark.parametrize("pipeline", [1, 2])
def test_a_stack_has_an_upper_bound(layers: int, pipeline: int, blueprint: Run, tmp_path: Path) -> None:
    config = {
        "model_type": "gpt2",
        "n_embd": 8,
        "n_head": 2,
        "n_layer": layers * pipeline,
        "n_positions": 8,
        "vocab_size": 7,
        "activation_function": "gelu_new",
    }
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    line = ["derive", "training", f"--model={path}", "--tensor=2", "--microbatch=1", "--sequence=8"]
    _refused(blueprint, [*line, "--scope=stack", f"--pipeline={pipeline}"], f"more than {MAX_BLOCKS} blocks")


def test_lists_of_ranks_have_an_upper_bound(blueprint: Run) -> None:
    """96 blocks exchange over 65536 ranks, three times each and in two stages; nothing of it is made."""
    line = ["derive", "training", "--model=gpt3-175b", "--tensor=1", "--microbatch=1", "--sequence=1", "--scope=stack"]
    ranks = 96 * (166 * 1 + 2 * 3 * 65536)
    words = f"blocks = 96 with tensor degree t = 1 and data degree D = 65536 list {ranks} ranks or more"
    _refused(blueprint, [*line, "--data=65536", "--zero=3"], words, "more than 4000000 values cannot be read")


def test_the_memory_of_all_blocks_must_fit(blueprint: Run, tmp_path: Path) -> None:
    """What one block needs and two do not fit in; both numbers are in the message."""
    path = tmp_path / "bundle.json"
    scope = ["--scope=stack", "--pipeline=6", "-o", str(path)]
    assert blueprint(*TRAINING, *scope).code == 0
    memory = json.loads(path.read_bytes())["stages"][2]["snapshot"]["memory"]
    needed = sum(size for name, size in memory.items() if name not in {"parameters", "kind"})
    assert blueprint(*TRAINING, *scope, f"--device-memory={needed}").code == 0
    assert blueprint(*TRAINING, "--pipeline=6", f"--device-memory={needed - 1}", "-o", str(path)).code == 0
    done = blueprint(*TRAINING, *scope, f"--device-memory={needed - 1}")
    assert done.code != 0
    assert str(needed) in done.err
    assert str(needed - 1) in done.err


@pytest.mark.parametrize("workload", ["training", "inference"])
def test_help_names_the_scope_and_the_stage(workload: str, blueprint: Run) -> None:
    done = blueprint("derive", workload, "--help")
    assert done.code == 0
    shown = " ".join(done.out.decode().split())
    assert "--scope block|stack" in shown
    assert "One block, or all blocks of a pipeline stage." in shown
    assert "--pipeline-stage N" in shown
    assert "Which stage a stack is of, from 0." in shown
