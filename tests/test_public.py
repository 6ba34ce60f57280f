"""The package lists what it offers, without loading it."""

from __future__ import annotations

import subprocess
import sys

import blueprint


def test_the_public_names_are_listed_before_they_are_loaded() -> None:
    script = "import sys, blueprint; print(*dir(blueprint)); assert 'blueprint.derivation' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert set(blueprint.__all__) <= set(done.stdout.split())
