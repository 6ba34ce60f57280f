"""`blueprint derive`: a model and a strategy -> a bundle, through the same gate as everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import NoProgressOption, chosen, command, maybe_rules, maybe_whole, voice_of, whole
from blueprint.cli.completing import complete_model, offering
from blueprint.cli.voice import place_of_document
from blueprint.errors import UsageError
from blueprint.exit import ExitCode

if TYPE_CHECKING:
    from blueprint.ir.request import Request

DTYPES = ("float32", "float16", "bfloat16")
RECOMPUTE = ("none", "selective", "full")
SCOPES = ("block", "stack")
MAX_DEGREE = 65_536
ATTENTION = ("unfused", "tiled", "paged")
TARGETS = ("none", "queue", "slot")
COMMUNICATION = ("all-reduce", "sequence-parallel")

ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME|FILE",
        help="A built-in model, a config.json, or `-`.",
        autocompletion=complete_model,
    ),
]
PipelineOption = Annotated[str, typer.Option("--pipeline", metavar="N", help="Pipeline-parallel degree p.")]
DTypeOption = Annotated[
    str, typer.Option("--dtype", metavar="|".join(DTYPES), help="Element type.", autocompletion=offering(*DTYPES))
]
ScopeOption = Annotated[
    str,
    typer.Option(
        "--scope",
        metavar="|".join(SCOPES),
        help="One block, or all blocks of a pipeline stage.",
        autocompletion=offering(*SCOPES),
    ),
]
StageOption = Annotated[str, typer.Option("--pipeline-stage", metavar="N", help="Which stage a stack is of, from 0.")]
TargetOption = Annotated[
    str,
    typer.Option("--target", metavar="|".join(TARGETS), help="Target to bind to.", autocompletion=offering(*TARGETS)),
]
EmitOption = Annotated[bool, typer.Option("--emit", help="Emit the target's instructions too.")]
DevicesOption = Annotated[
    str | None,
    typer.Option(
        "--devices",
        metavar="N",
        help="Devices of the deployment; as many as the plan needs if absent.",
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--device-memory", metavar="BYTES", help="Memory of one device; what does not fit is refused."),
]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", metavar="DIR|NAME", help="Another rulebook: a folder, or one of a package. It is run as code."
    ),
]
BundleOption = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Where the bundle goes; `-` is standard output."),
]
TensorOption = Annotated[str, typer.Option("--tensor", metavar="N", help="Tensor-parallel degree t.")]

HELP = """Derive one training step.

\b
Examples:
  blueprint derive training --model gpt3-175b --tensor 8 --microbatch 1 --sequence 2048 -o bundle.json
  blueprint derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 1024 --target queue --emit -o queue.json
  blueprint derive training --model gpt2 --tensor 2 --pipeline 4 --microbatch 1 --sequence 1024 --scope stack \\
    --pipeline-stage 1 -o stack.json
  blueprint derive training --model ./config.json --tensor 2 --microbatch 1 --sequence 1024 -o own.json
"""

app = typer.Typer(
    help="Derive a bundle from a model and a strategy.",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _workload(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        raise UsageError("no workload is given; `blueprint derive --help` lists them")


@app.command(name="training", help=HELP)
@command
def training(
    context: typer.Context,
    *,
    model: ModelOption,
    tensor: TensorOption,
    microbatch: Annotated[str, typer.Option("--microbatch", metavar="N", help="Sequences in one microbatch, B.")],
    sequence: Annotated[str, typer.Option("--sequence", metavar="N", help="Tokens of one sequence, S.")],
    pipeline: PipelineOption = "1",
    data: Annotated[str, typer.Option("--data", metavar="N", help="Data-parallel degree D.")] = "1",
    dtype: DTypeOption = "bfloat16",
    recompute: Annotated[
        str,
        typer.Option(
            "--recompute",
            metavar="|".join(RECOMPUTE),
            help="What is computed again.",
            autocompletion=offering(*RECOMPUTE),
        ),
    ] = "none",
    communication: Annotated[
        str,
        typer.Option(
            "--communication",
            metavar="|".join(COMMUNICATION),
            help="How activations are exchanged.",
            autocompletion=offering(*COMMUNICATION),
        ),
    ] = "all-reduce",
    zero: Annotated[
        str, typer.Option("--zero", metavar="0..3", help="ZeRO stage.", autocompletion=offering("0", "1", "2", "3"))
    ] = "0",
    gradient_bytes: Annotated[
        str | None,
        typer.Option(
            "--gradient-bytes",
            metavar="2|4",
            help="Bytes of a gradient element; those of --dtype if absent.",
            autocompletion=offering("2", "4"),
        ),
    ] = None,
    shard_checkpoint: Annotated[
        bool, typer.Option("--shard-checkpoint", help="Split stored activations over the tensor group.")
    ] = False,
    microbatches: Annotated[str, typer.Option("--microbatches", metavar="N", help="Microbatches of one step.")] = "1",
    scope: ScopeOption = "block",
    stage: StageOption = "0",
    target: TargetOption = "none",
    emit: EmitOption = False,
    devices: DevicesOption = None,
    device_memory: MemoryOption = None,
    rules: RulesOption = None,
    output: BundleOption = None,
    _no_progress: NoProgressOption = False,
) -> ExitCode:
    """Derive one training step."""
    _require_target(target, emit=emit)
    place = place_of_document(output)
    request = _training_request(
        model=model,
        numbers={
            "tensor": whole("--tensor", tensor, 1, MAX_DEGREE),
            "pipeline": whole("--pipeline", pipeline, 1, MAX_DEGREE),
            "data": whole("--data", data, 1, MAX_DEGREE),
            "batch": whole("--microbatch", microbatch, 1),
            "sequence": whole("--sequence", sequence, 1),
            "microbatches": whole("--microbatches", microbatches, 1),
            "zero": whole("--zero", zero, 0, 3),
            "stage": _stage(stage, scope),
        },
        scope=chosen("--scope", scope, SCOPES),
        dtype=chosen("--dtype", dtype, DTYPES),
        recompute=chosen("--recompute", recompute, RECOMPUTE),
        communication=chosen("--communication", communication, COMMUNICATION),
        gradient_bytes=maybe_whole("--gradient-bytes", gradient_bytes, 2, 4),
        device_memory=maybe_whole("--device-memory", device_memory, 1),
        shard_checkpoint=shard_checkpoint,
        devices=maybe_whole("--devices", devices, 1),
        target=target,
        emit=emit,
    )
    return _derived(context, request, place, maybe_rules(rules))


INFERENCE_HELP = """Derive two steps of generation: the whole prompt, and the last token of the context.

\b
Examples:
  blueprint derive inference --model gpt3-175b --tensor 8 --batch 8 --prompt 2048 --context 4096 -o bundle.json
  blueprint derive inference --model gpt2 --tensor 2 --batch 2 --prompt 16 --context 32 --target slot -o slot.json
  blueprint derive inference --model gpt2 --tensor 2 --batch 2 --prompt 16 --context 32 --scope stack -o stack.json
  blueprint derive inference --model ./config.json --tensor 2 --batch 2 --prompt 16 --context 32 -o own.json
"""


@app.command(name="inference", help=INFERENCE_HELP)
@command
def inference(
    context: typer.Context,
    *,
    model: ModelOption,
    tensor: TensorOption,
    batch: Annotated[str, typer.Option("--batch", metavar="N", help="Sequences in the batch, b.")],
    prompt: Annotated[str, typer.Option("--prompt", metavar="N", help="Tokens of one prompt.")],
    tokens: Annotated[
        str,
        typer.Option(
            "--context", metavar="N", help="Tokens that the last step sees, c: prompt, all generated ones, its own."
        ),
    ],
    dtype: DTypeOption = "bfloat16",
    pipeline: PipelineOption = "1",
    scope: ScopeOption = "block",
    stage: StageOption = "0",
    target: TargetOption = "none",
    attention: Annotated[
        str,
        typer.Option(
            "--attention",
            metavar="|".join(ATTENTION),
            help="Implementation of the target's attention core.",
            autocompletion=offering(*ATTENTION),
        ),
    ] = "unfused",
    emit: EmitOption = False,
    devices: DevicesOption = None,
    device_memory: MemoryOption = None,
    rules: RulesOption = None,
    output: BundleOption = None,
    _no_progress: NoProgressOption = False,
) -> ExitCode:
    """Derive two steps of generation."""
    _require_target(target, emit=emit, attention=attention)
    place = place_of_document(output)
    request = _inference_request(
        model=model,
        numbers={
            "tensor": whole("--tensor", tensor, 1, MAX_DEGREE),
            "batch": whole("--batch", batch, 1),
            "prompt": whole("--prompt", prompt, 1),
            "context": whole("--context", tokens, 1),
            "pipeline": whole("--pipeline", pipeline, 1, MAX_DEGREE),
            "stage": _stage(stage, scope),
        },
        scope=chosen("--scope", scope, SCOPES),
        dtype=chosen("--dtype", dtype, DTYPES),
        device_memory=maybe_whole("--device-memory", device_memory, 1),
        devices=maybe_whole("--devices", devices, 1),
        target=target,
        attention=chosen("--attention", attention, ATTENTION),
        emit=emit,
    )
    return _derived(context, request, place, maybe_rules(rules))


def _stage(text: str, scope: str) -> int:
    """The pipeline stage, which only a stack is of."""
    stage = whole("--pipeline-stage", text, 0, MAX_DEGREE - 1)
    if stage and chosen("--scope", scope, SCOPES) == "block":
        raise UsageError("is of a stack: add --scope stack", path="--pipeline-stage")
    return stage


def _require_target(target: str, *, emit: bool, attention: str = "unfused") -> None:
    """A target is a known kind; instructions are emitted for one, and one chooses how attention is computed."""
    chosen("--target", target, TARGETS)
    if emit and target == "none":
        raise UsageError("needs a target: add --target queue or --target slot", path="--emit")
    if attention != "unfused" and target == "none":
        raise UsageError("needs a target: add --target queue or --target slot", path="--attention")


def _derived(context: typer.Context, request: Request, place: str, rules: str | None) -> ExitCode:
    """Derive, say how large the bundle is, and write it where it goes."""
    import hashlib  # noqa: PLC0415

    from blueprint.derivation import derive  # noqa: PLC0415  (lazy: refusals above need no solver)

    voice = voice_of(context)
    with voice.progress("deriving"):
        bundle = derive(request, rules=rules)
    voice.say(f"derived {len(bundle)} bytes, sha256 {hashlib.sha256(bundle).hexdigest()}")
    return voice.document(bundle, place, ExitCode.VERIFIED)


def _inference_request(
    *,
    model: str,
    numbers: dict[str, int],
    scope: str,
    dtype: str,
    device_memory: int | None,
    devices: int | None,
    target: str,
    attention: str,
    emit: bool,
) -> Request:
    """The options as a checked request."""
    from blueprint.frontend.config import load_model  # noqa: PLC0415
    from blueprint.frontend.request import inference_request  # noqa: PLC0415
    from blueprint.ir.common import DType  # noqa: PLC0415
    from blueprint.ir.request import Attention, Scope, TargetKind  # noqa: PLC0415

    return inference_request(
        load_model(model),
        batch=numbers["batch"],
        prompt=numbers["prompt"],
        context=numbers["context"],
        tensor=numbers["tensor"],
        pipeline=numbers["pipeline"],
        stage=numbers["stage"],
        scope=Scope(scope),
        dtype=DType(dtype),
        device_memory=device_memory,
        devices=devices,
        target=None if target == "none" else TargetKind(target),
        attention=Attention(f"attention.{attention}"),
        emit=emit,
    )


def _training_request(
    *,
    model: str,
    numbers: dict[str, int],
    scope: str,
    dtype: str,
    recompute: str,
    communication: str,
    gradient_bytes: int | None,
    device_memory: int | None,
    shard_checkpoint: bool,
    devices: int | None,
    target: str,
    emit: bool,
) -> Request:
    """The options as a checked request."""
    from blueprint.frontend.config import load_model  # noqa: PLC0415
    from blueprint.frontend.request import training_request  # noqa: PLC0415
    from blueprint.ir.common import DType  # noqa: PLC0415
    from blueprint.ir.request import Communication, Recompute, Scope, TargetKind  # noqa: PLC0415

    return training_request(
        load_model(model),
        sequence=numbers["sequence"],
        batch=numbers["batch"],
        microbatches=numbers["microbatches"],
        tensor=numbers["tensor"],
        pipeline=numbers["pipeline"],
        data=numbers["data"],
        zero=numbers["zero"],
        stage=numbers["stage"],
        scope=Scope(scope),
        dtype=DType(dtype),
        recompute=Recompute(recompute),
        communication=Communication(communication),
        gradient_bytes=gradient_bytes,
        device_memory=device_memory,
        shard_checkpoint=shard_checkpoint,
        devices=devices,
        target=None if target == "none" else TargetKind(target),
        emit=emit,
    )
