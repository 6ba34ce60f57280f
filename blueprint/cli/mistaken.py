"""What a file is that was given as a bundle and is none: people are told, and the verdict stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.outcome import Report


def told(report: Report, source: str | bytes) -> Report:
    """The report on malformed bytes, whose finding says what they are instead where that is known."""
    import msgspec  # noqa: PLC0415  (lazy: --help needs none of it)

    known = known_as(_bytes(source))
    if not known or not report.diagnostics:
        return report
    first, *others = report.diagnostics
    named = msgspec.structs.replace(first, message=plain(f"{known} ({first.message})", 400))
    return msgspec.structs.replace(report, diagnostics=(named, *others))


def known_as(data: bytes) -> str:
    """What bytes are that are no bundle, in words; empty where that is not known.

    Of a document only the keys that tell are read, because it may be large, and made to be.
    """
    import msgspec  # noqa: PLC0415

    telling = ("schema", "runs", "version", "model_type", "hidden", "heads", "layers")
    kind = msgspec.defstruct("Document", [(key, msgspec.Raw, msgspec.Raw()) for key in telling])
    try:
        document = msgspec.structs.asdict(msgspec.json.decode(data, type=kind))
        schema = msgspec.json.decode(document["schema"] or b'""')
    except (msgspec.DecodeError, RecursionError, ValueError):
        return ""
    return _kind(schema if isinstance(schema, str) else "", {key for key in telling if document[key]})


def _kind(schema: str, keys: set[str]) -> str:
    if schema.startswith(("blueprint.report/", "blueprint.reports/")):
        return "this is a report, not a bundle"
    if schema.startswith("blueprint."):
        return f"this is {plain(schema, 60)}, which Blueprint writes, and not a bundle"
    if {"runs", "version"} <= keys:
        return "this is a report in SARIF, not a bundle"
    if "model_type" in keys or {"hidden", "heads", "layers"} <= keys:
        return "this is no bundle, but a model file? `blueprint derive` makes a bundle of one by --model"
    return ""


def _bytes(source: str | bytes) -> bytes:
    """The bytes once more; none of a stream, which is read to its end, or of a file that went away."""
    from blueprint.codec import BUNDLE_LIMIT  # noqa: PLC0415
    from blueprint.errors import InputError  # noqa: PLC0415
    from blueprint.files import STREAM, read_bounded  # noqa: PLC0415

    if isinstance(source, bytes):
        return source
    try:
        return b"" if source == STREAM else read_bounded(source, BUNDLE_LIMIT)
    except InputError:
        return b""
