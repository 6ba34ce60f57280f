"""The canonical order of a snapshot's graph: topological, ties by local name."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence


def canonical_order(names: Mapping[str, str], dependencies: Mapping[str, Sequence[str]]) -> list[str]:
    """Order the keys of `names` (key -> local name) after their dependencies, smallest local name first.

    Keys that lie on a cycle or behind one are left out, so a shorter result means a cycle.
    """
    waiting = {key: len(set(dependencies[key])) for key in names}
    followers: dict[str, list[str]] = {key: [] for key in names}
    for key in names:
        for source in set(dependencies[key]):
            followers[source].append(key)
    ready = [(names[key], key) for key, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        _, key = heapq.heappop(ready)
        order.append(key)
        for follower in followers[key]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(ready, (names[follower], follower))
    return order
