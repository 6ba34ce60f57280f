"""One finding for people: a stable code, one plain sentence, and the place that it speaks of."""

from __future__ import annotations

import msgspec


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """`code` is stable and explained by `blueprint explain`; `path` names a JSON path or an entity."""

    code: str
    message: str
    path: str = ""
