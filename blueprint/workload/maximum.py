"""The largest of several numbers: beside what rounds up and aligns, the place where a derivation has cases.

Its contract is all that a proof knows of it: the result is at least every arm, and one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from blueprint.workload.dims import N

Maximum = Callable[[Sequence[N]], N]
"""What a derivation is given: `largest` for integers, a fresh symbol under the contract for symbols."""


def largest(arms: Sequence[int]) -> int:
    """The largest arm. The contract is asserted on what is returned."""
    found = max(arms)
    if found not in arms or any(found < arm for arm in arms):
        raise ArithmeticError("the largest of several numbers breaks its contract")
    return found
