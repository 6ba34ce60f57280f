"""Derive refuses to make what no reader accepts."""

from __future__ import annotations

import pytest

import blueprint
from blueprint import codec
from blueprint.errors import DomainError
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request


def test_a_bundle_over_a_limit_of_the_readers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    request = training_request(builtin("gpt2"), sequence=64)
    bundle = blueprint.derive(request, jobs=2)
    for limit, size, unit in (("VALUE_LIMIT", bundle.count(b","), "values"), ("BUNDLE_LIMIT", len(bundle), "bytes")):
        with monkeypatch.context() as patch:
            patch.setattr(codec, limit, size)
            assert blueprint.derive(request, jobs=2) == bundle
            patch.setattr(codec, limit, size - 1)
            words = f"the bundle would have more than {size - 1} {unit}, which no reader accepts"
            with pytest.raises(DomainError, match=words):
                blueprint.derive(request, jobs=2)
