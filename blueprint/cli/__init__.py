"""The command `blueprint`: parse, call, print, and one of a fixed set of exit statuses.

Nothing heavy is imported before a command needs it, and every error that leaves a command is handled in one place.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from blueprint.cli import derive, explain, explore, laws, models, prove, report, verify
from blueprint.cli.command import chosen, voice_of
from blueprint.cli.completing import offering
from blueprint.cli.voice import PROGRAM, Voice, forget_stdout
from blueprint.errors import BlueprintError, UsageError
from blueprint.exit import ExitCode, exit_of_error, worst
from blueprint.files import STREAM

HELP = """Derive plans of large models and prove that their work, memory and communication are right.

Exit status: 0 verified, 1 refuted, 2 wrong usage or input, 3 not established, 4 internal error, 130 interrupted.
"""

COLLECTED_AFTER = 500_000
"""New containers before cycles among them are looked for."""

VERSIONS = ("blueprint-verifier", "z3-solver", "cvc5", "sympy", "msgspec")
"""The packages that a verdict depends on; cvc5 only where it is asked for."""

COLORS = ("auto", "always", "never")

COMPLETING = f"_{PROGRAM.upper()}_COMPLETE"
"""The variable by which a shell asks what may stand at a place of a command line."""

app = typer.Typer(
    help=HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(derive.app, name="derive")
app.command(name="verify", help=verify.HELP)(verify.verify)
app.command(name="report", help=report.HELP)(report.report)
app.command(name="explore", help=explore.HELP)(explore.explore)
app.command(name="prove", help=prove.HELP)(prove.prove)
app.command(name="laws", help=laws.HELP)(laws.laws)
app.command(name="models", help=models.HELP)(models.models)
app.command(name="explain", help=explain.HELP)(explain.explain)


def _print_versions(context: typer.Context, asked: bool) -> None:  # noqa: FBT001  (typer's signature)
    """The versions, from the packages' own records: importing the solvers takes a second."""
    if not asked:
        return
    from importlib import metadata  # noqa: PLC0415  (only --version pays for it)

    def version(package: str) -> str:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return "not installed"

    names = {package: package.removesuffix("-verifier").removesuffix("-solver") for package in VERSIONS}
    lines = "".join(f"{name} {version(package)}\n" for package, name in names.items())
    raise typer.Exit(voice_of(context).document(lines.encode("ascii"), STREAM, ExitCode.VERIFIED))


def _print_config(context: typer.Context, asked: bool) -> None:  # noqa: FBT001  (typer's signature)
    """What the nearest pyproject.toml demands of every run."""
    if not asked:
        return
    from blueprint.cli.config import load  # noqa: PLC0415  (only --show-config pays for it)

    lines = "".join(f"{line}\n" for line in load().lines())
    raise typer.Exit(voice_of(context).document(lines.encode("ascii"), STREAM, ExitCode.VERIFIED))


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    *,
    color: Annotated[
        str,
        typer.Option(
            "--color", metavar="|".join(COLORS), help="Colour of the verdict.", autocompletion=offering(*COLORS)
        ),
    ] = "auto",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only errors on standard error.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say more on standard error.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_versions, help="Print versions and exit.")
    ] = False,
    _config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            is_eager=True,
            callback=_print_config,
            help="Print what pyproject.toml demands of every run, and exit.",
        ),
    ] = False,
) -> None:
    if not isinstance(context.obj, Voice):
        raise TypeError("the command line is started by `run`")
    if quiet and verbose:
        raise UsageError("cannot be combined with --verbose", path="--quiet")
    context.obj.color = chosen("--color", color, COLORS)
    context.obj.quiet, context.obj.verbose = quiet, verbose
    if context.invoked_subcommand is None:
        raise UsageError(f"no command is given; `{PROGRAM} --help` lists them")


def run(arguments: Sequence[str] | None = None) -> ExitCode:
    """Run one command line, by default the process's own, and return its exit status. Never raises."""
    voice = Voice()
    try:
        return _invoke(sys.argv[1:] if arguments is None else arguments, voice)
    except BaseException as error:  # noqa: BLE001  (no traceback reaches a user, and no rule's code ends the run)
        return _explain(error, voice)


def main() -> None:
    """The entry point: run the process's command line and exit."""
    # A run is short and leaves hardly a cycle; looking for them takes a third of the time that imports take.
    gc.set_threshold(COLLECTED_AFTER)
    code = run()
    gc.freeze()  # nor is there anything to look for at the exit
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_stdout()
    except OSError:
        # A full disk or a lost reader, noticed only now: Python's own exit would turn it into status 120.
        forget_stdout()
        code = worst((code, ExitCode.INPUT))
    sys.exit(int(code))


def _invoke(arguments: Sequence[str], voice: Voice) -> ExitCode:
    """Parse and run. Not by typer's own `main`, which turns every broken pipe into status 1."""
    group = typer.main.get_command(app)
    if instruction := os.environ.get(COMPLETING):
        from typer.completion import shell_complete  # noqa: PLC0415  (only a shell pays for it)

        return ExitCode(shell_complete(group, {"obj": voice}, PROGRAM, COMPLETING, instruction))
    try:
        context = group.make_context(PROGRAM, list(arguments), obj=voice)
    except typer.Exit as leaving:
        return ExitCode(leaving.exit_code)
    except SystemExit as leaving:
        # Typer's own options for completion leave the program; no command has run, and no rule's code.
        return ExitCode.INPUT if leaving.code else ExitCode.VERIFIED
    try:
        with context:
            group.invoke(context)
    except typer.Exit as leaving:
        return ExitCode(leaving.exit_code)
    raise TypeError("a command ended without a status")


def _explain(error: BaseException, voice: Voice) -> ExitCode:
    """One line about what ended a run, and the status that it stands for."""
    code = ExitCode.INTERNAL
    match error:
        case BlueprintError():
            voice.error(error.diagnostics())
            code = exit_of_error(error)
        case typer.TyperException():
            voice.error(_usage_words(error))
            code = ExitCode.INPUT
        case KeyboardInterrupt() | typer.Abort():
            voice.say("interrupted")
            code = ExitCode.INTERRUPTED
        case BrokenPipeError():
            # The help has no reader any more, which is no failure. Commands turn this error into SystemFaultError.
            forget_stdout()
            code = ExitCode.VERIFIED
        case OSError():
            voice.error(f"the help cannot be written: {error.strerror}")
            forget_stdout()
            code = ExitCode.INPUT
        case _:
            voice.internal(error)
    return code


def _usage_words(error: typer.TyperException) -> str:
    """What typer refuses, and where help is."""
    context = getattr(error, "ctx", None)
    hint = f" (see `{context.command_path} --help`)" if context is not None else ""
    return f"{error.format_message().rstrip('.')}{hint}"
