"""Plans whose structure is sound and whose tasks are of no known form: what a binding is asked of them is refuted.

The fault is in the portable plan, from which the demands on the concrete one are read. Ends of buffers and dependencies
are put right again, so that no structural check stops the plan before those demands are made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from blueprint.exit import ExitCode
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Attention, Request, TargetKind
from blueprint.outcome import Outcome
from blueprint.verification import verify_without_replay
from tests.bundles.conftest import JOBS
from tests.bundles.stacks import STEPS, StepDraft
from tests.bundles.test_false_binding import bound, bundle
from tests.bundles.test_false_bundles import codes, exit_code
from tests.reseal import Draft, Plain

PORTABLE = Stage.PORTABLE
REQUESTS = [bound(STEPS, kind, attention=Attention.TILED) for kind in TargetKind]
"""Two blocks of a stage in the middle, which receives and sends; a core that is run as one."""


def task(draft: Draft, name: str) -> Plain:
    return draft.entity(PORTABLE, "tasks", name)


def made_by(draft: Draft, name: str) -> str:
    found: str = task(draft, name)["outputs"][0]
    return found


def softmax_of_nothing(draft: Draft) -> None:
    task(draft, "b1.softmax.forward")["inputs"] = []


def softmax_of_two(draft: Draft) -> None:
    task(draft, "b1.softmax.forward")["inputs"].append(made_by(draft, "b1.query_projection.forward"))


def softmax_of_an_input(draft: Draft) -> None:
    task(draft, "b1.softmax.forward")["inputs"] = [draft.snapshot(PORTABLE)["inputs"][0]]


def softmax_that_nobody_reads(draft: Draft) -> None:
    unread = made_by(draft, "b1.softmax.forward")
    context = task(draft, "b1.context.forward")
    context["inputs"] = [each for each in context["inputs"] if each != unread]


def transfer_of_nothing(draft: Draft) -> None:
    task(draft, "b1.mlp_residual.send")["inputs"] = []


def transfer_of_two(draft: Draft) -> None:
    task(draft, "b1.mlp_residual.send")["inputs"].append(made_by(draft, "b1.attention_residual.forward"))


def computation_as_a_transfer(draft: Draft) -> None:
    task(draft, "b1.up_projection.forward")["kind"] = "point_to_point"


def joined_again(draft: Draft) -> None:
    """Producers, consumers and dependencies as the tasks now have them."""
    plan = draft.snapshot(PORTABLE)
    makers = {made: each["id"] for each in plan["tasks"] for made in each["outputs"]}
    for each in plan["tasks"]:
        each["dependencies"] = list(dict.fromkeys(makers[read] for read in each["inputs"] if read in makers))
    for buffer in plan["buffers"]:
        buffer["consumers"] = [each["id"] for each in plan["tasks"] if buffer["id"] in each["inputs"]]


FAULTS: list[Callable[[Draft], None]] = [
    softmax_of_nothing,
    softmax_of_two,
    softmax_of_an_input,
    softmax_that_nobody_reads,
    transfer_of_nothing,
    transfer_of_two,
    computation_as_a_transfer,
]


@pytest.mark.parametrize("request_", REQUESTS, ids=[kind.value for kind in TargetKind])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_plan_of_no_known_form_is_refuted_and_its_binding_is_still_asked(
    fault: Callable[[Draft], None], request_: Request, tmp_path: Path
) -> None:
    draft = StepDraft(bundle(request_), Branch.PREFILL)
    fault(draft)
    joined_again(draft)
    data = draft.sealed()
    report = verify_without_replay(data, jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert not {code for code in codes(report) if code.startswith("structure.")}, "the binding was not asked"
    asked = [(each.source, each.branch) for each in report.transitions]
    assert ("portable", "prefill") in asked
    assert exit_code(data, tmp_path) == ExitCode.REFUTED
