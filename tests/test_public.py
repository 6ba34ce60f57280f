"""The package lists what it offers, without loading it."""

from __future__ import annotations

import subprocess
import sys

import blueprint


def test_the_public_names_are_listed_before_they_are_loaded() -> None:
    script = "import sys, blueprint; print(*dir(blueprint)); assert 'blueprint.derivation' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert set(blueprint.__all__) <= set(done.stdout.split())


def test_every_pass_is_public_and_every_public_name_can_be_had() -> None:
    public = {name: getattr(blueprint, name) for name in blueprint.__all__}
    passes = {name for name in public if name.endswith("Pass")}
    assert passes == {
        "DerivationPass",
        "DistributeTransformerTrainingPass",
        "DistributeTransformerInferencePass",
        "PlanTransformerTrainingPass",
        "PlanTransformerInferencePass",
        "BindReferenceQueueTargetPass",
        "BindReferenceSlotTargetPass",
        "EmitReferenceMachinePass",
    }
    assert all(each.__name__ == name for name, each in public.items())
