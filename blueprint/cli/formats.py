"""The formats of a report, each with the function that renders it. What a format shows never changes the status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from blueprint.outcome import Outcome
    from blueprint.report.sarif import Meaning
    from blueprint.report.subjects import Examined

FORMATS: Final = ("text", "json", "markdown", "sarif", "junit", "github")


def complete_format(incomplete: str) -> list[str]:
    """The formats that begin so, for a shell."""
    return [form for form in FORMATS if form.startswith(incomplete)]


def complete_report(incomplete: str) -> list[str]:
    """The beginnings of `FORMAT=FILE`, for a shell."""
    return [f"{form}=" for form in FORMATS if f"{form}=".startswith(incomplete)]


def rendered(
    form: str,
    subjects: Sequence[Examined],
    paint: Callable[[str, Outcome], str],
    *,
    several: bool,
    evidence: bool = False,
) -> bytes:
    """One document about all subjects.

    form: one of FORMATS.
    several: whether the user asked for any number of bundles, and not for one: a program that reads json must not
        meet another document where a folder happens to hold one bundle.
    evidence: whether text and markdown show every relation.
    """
    # Loaded here, as everything that help and refusals do not need.
    from blueprint.report import github, json, junit, markdown, sarif, text  # noqa: PLC0415

    reports = [each.report for each in subjects]
    match form:
        case "text":
            return text.render_all(subjects, evidence=evidence, paint=paint).encode("ascii")
        case "json":
            return json.render_all(reports) if several else json.render(reports[0])
        case "markdown":
            return markdown.render(subjects, evidence=evidence).encode("ascii")
        case "sarif":
            return sarif.render(subjects, _meaning)
        case "junit":
            return junit.render(subjects).encode("ascii")
        case "github":
            return github.render(subjects).encode("ascii")
        case _:
            raise ValueError(form)


def _meaning(code: str) -> Meaning | None:
    """What a code means, as `blueprint explain` says it; laws say it themselves."""
    from blueprint.explanations.claims import CLAIMS  # noqa: PLC0415
    from blueprint.explanations.codes import CODES  # noqa: PLC0415
    from blueprint.report.sarif import Meaning  # noqa: PLC0415

    entry = CODES.get(code) or CLAIMS.get(code.removeprefix("claim."))
    return Meaning(entry.what, entry.why, entry.remedy) if entry is not None else None
