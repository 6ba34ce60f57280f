"""`blueprint explore`: a bundle -> the page on which one looks around in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import command, voice_of, whole
from blueprint.cli.examining import RulesOption, effort_of, examined, refuse_clashes, tell, tell_of_rulebook
from blueprint.cli.mistaken import known_as
from blueprint.cli.voice import Voice, place_of_document
from blueprint.errors import InputError, UsageError
from blueprint.exit import ExitCode, exit_of, worst
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.explorer.serve import PageServer

HELP = """Verify a bundle and write the page on which its stages, boundaries and evidence can be looked at.

\b
Examples:
  blueprint explore bundle.json -o page.html
  blueprint explore bundle.json --serve
  blueprint explore bundle.json --roofline reference -o page.html

The page is one file that needs no network and changes nothing. A bundle that does not verify gets a page too, with
what is wrong at its head. The exit status is that of `blueprint verify`; bytes that are no bundle (2) get no page.
"""

MAX_PORT = 65_535


@command
def explore(
    context: typer.Context,
    *,
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle; `-` is standard input.")],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="PAGE", help="Where the page goes; `-` is standard output."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the page at an address of this machine until Ctrl-C.")
    ] = False,
    port: Annotated[str, typer.Option("--port", metavar="N", help="Port of --serve; 0 takes a free one.")] = "0",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="With --serve, open no browser.")] = False,
    overlay: Annotated[
        list[str] | None,
        typer.Option("--overlay", metavar="FILE", help="Numbers to show beside entities, in JSON. Repeatable."),
    ] = None,
    roofline: Annotated[
        str | None,
        typer.Option(
            "--roofline", metavar="PROFILE", help="Show least times on a device: `reference`, or a profile in JSON."
        ),
    ] = None,
    rules: RulesOption = None,
) -> ExitCode:
    """Verify a bundle and write the page on which it can be looked at."""
    number = whole("--port", port, 0, MAX_PORT)
    if not serve and (number or no_browser):
        raise UsageError("needs --serve", path="--port" if number else "--no-browser")
    place = None if serve and output is None else place_of_document(output)
    refuse_clashes(
        [bundle], [] if place is None else [place], [*(overlay or ()), *([] if roofline is None else [roofline])]
    )
    from blueprint.cli.config import load  # noqa: PLC0415  (lazy: --help needs none of it)
    from blueprint.codec import BUNDLE_LIMIT  # noqa: PLC0415
    from blueprint.explorer.explore import explorer_page, require_fit  # noqa: PLC0415
    from blueprint.explorer.roofline import read_profile  # noqa: PLC0415
    from blueprint.files import read_bounded  # noqa: PLC0415

    effort = effort_of(rules=rules, jobs=None, budget=None, cross_check=None, expect=None, config=load())
    voice = voice_of(context)
    data = read_bounded(bundle, BUNDLE_LIMIT)
    profile = None if roofline is None else read_profile(roofline)
    _require_bundle(bundle, data)
    require_fit(data, overlay or ())
    with voice.progress(f"verifying {plain(bundle)}", 2) as step:
        step(f"verifying {plain(bundle)}")
        subject = examined(bundle, data, effort, voice)
        step(f"writing the page of {plain(bundle)}")
        page = explorer_page(data, subject.report, rules=effort.rules, overlays=overlay or (), profile=profile)
    tell([subject], voice)
    code = exit_of(subject.report.verdict)
    if place is not None:
        code = voice.document(page, place, code)
    if serve:
        code = worst((code, _served(page, number, voice, browser=not no_browser)))
    tell_of_rulebook([subject], voice)
    return code


def _require_bundle(name: str, data: bytes) -> None:
    """Raise InputError, with the file's name, for bytes that are no bundle, and say what they are if that is known."""
    from blueprint.bundle import read_bundle  # noqa: PLC0415

    try:
        read_bundle(data)
    except InputError as error:
        known = known_as(data)
        error.message = f"{known} ({error.message})" if known else error.message
        error.path = ": ".join(part for part in (plain(name), error.path.removeprefix("$")) if part)
        raise


def _served(page: bytes, port: int, voice: Voice, *, browser: bool) -> ExitCode:
    """Serve the page until Ctrl-C, which is how it ends and no failure."""
    from blueprint.explorer.page import own_policy  # noqa: PLC0415
    from blueprint.explorer.serve import PageServer  # noqa: PLC0415

    try:
        server = PageServer(page, own_policy(), port)
    except OSError as error:
        raise UsageError(f"cannot be had: {plain(error.strerror or error)}", path=f"--port {port}") from error
    with server:
        voice.say(f"serving at {server.url} until Ctrl-C")
        if browser:
            _open(server)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            voice.say("stopped serving")
    return ExitCode.VERIFIED


def _open(server: PageServer) -> None:
    import webbrowser  # noqa: PLC0415

    webbrowser.open(server.url)
