"""Run a pass as its contract says: on a copy of its input, with the analyses and the seed that it declares."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blueprint.analyses import Analyses
from blueprint.bundle import Snapshot, session_seed
from blueprint.codec import decode, encode
from blueprint.passes.protocol import DerivationPass, PassContext


@dataclass(frozen=True)
class Run:
    """What one run gave: its output and the analyses that it left, and whether it changed what it was told."""

    output: object
    analyses: Mapping[str, bytes]
    changed: bool


def run_pass(
    derivation_pass: DerivationPass[Any, Any], source: Snapshot, context: PassContext, given: Mapping[str, bytes]
) -> Run:
    """One run. Raises what the pass raises; the caller's snapshot and request are out of its reach."""
    facts = derivation_pass.facts
    data, asked = encode(source), encode(context.request)
    copy, request = decode(data, type(source)), decode(asked, type(context.request))
    analyses = Analyses(given, [key.text for key in facts.produces])
    seed = session_seed(context.fingerprint) if facts.uses_seed else None
    told = dataclasses.replace(context, request=request, seed=seed, analyses=analyses)
    output = derivation_pass.run(copy, told)
    return Run(output, dict(analyses.produced), changed=encode(copy) != data or encode(request) != asked)


class Replay:
    """Passes of one branch, run again one after another on recorded snapshots, with the analyses that they leave."""

    def __init__(self, context: PassContext) -> None:
        self.context = context
        self.known: dict[str, bytes] = {}

    def run(self, derivation_pass: DerivationPass[Any, Any], source: Snapshot) -> object:
        """What a pass gives now. Raises what the pass raises, and LookupError where a required analysis is missing."""
        facts = derivation_pass.facts
        given = {key.text: self.known[key.text] for key in facts.requires}
        run = run_pass(derivation_pass, source, self.context, given)
        kept = {key: self.known[key] for key in facts.kept(set(self.known))}
        self.known = {**kept, **run.analyses}
        return run.output
