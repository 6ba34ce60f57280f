"""The report on a subject whose verification itself broke down: verdict `error`, and nothing established."""

from __future__ import annotations

from importlib import metadata

from blueprint.outcome import SCHEMA, Finding, Outcome, Report, SubjectRow, SummaryRow, ToolRow


def failed(finding: Finding, *, shipped: bool) -> Report:
    """A report that says only what went wrong, so that a reader of JSON gets a document in every case."""
    return Report(
        schema=SCHEMA,
        tool=ToolRow(
            version=metadata.version("blueprint-verifier"),
            rulebook_revision="",
            rules_digest="",
            shipped=shipped,
            solvers=(),
        ),
        subject=SubjectRow(bundle_sha256="", derivation_digest="", bindings={}, stages=()),
        verdict=Outcome.ERROR,
        summary=SummaryRow(relations="0", claims="0", laws="0", obligations="0", by_status={}),
        definitions=(),
        transitions=(),
        obligations=(),
        diagnostics=(finding,),
    )
