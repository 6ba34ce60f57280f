"""Analyses: facts about a snapshot that passes compute for one another. No claim and no law rests on one.

An analysis is addressed by its snapshot's digest, its key and the session. It is encoded when it enters and decoded
for every reader, so that nobody can change what another was given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from blueprint.codec import decode, encode
from blueprint.errors import AnalysisError, CodecError

T = TypeVar("T", bound=msgspec.Struct)

Address = tuple[str, str, str]
"""Digest of the snapshot, key with its version, and session fingerprint."""


@dataclass(frozen=True)
class AnalysisKey(Generic[T]):
    """The name of an analysis with its version, and the structure that its values have."""

    name: str
    version: int
    schema: type[T]

    @property
    def text(self) -> str:
        """The key as contracts and addresses carry it, such as `liveness/1`."""
        return f"{self.name}/{self.version}"


@dataclass
class Analyses:
    """What one run of a pass may read of its input, and what it must leave about its output."""

    given: Mapping[str, bytes] = field(default_factory=dict)
    promised: Collection[str] = ()
    produced: dict[str, bytes] = field(default_factory=dict)

    def get(self, key: AnalysisKey[T]) -> T:
        """A copy of a required analysis. Raises AnalysisError for one that the pass does not declare."""
        if key.text not in self.given:
            raise AnalysisError(f"the analysis {key.text} is not among those that the pass requires")
        try:
            return decode(self.given[key.text], key.schema)
        except CodecError as error:
            raise AnalysisError(f"the analysis {key.text} is of another structure: {error.message}") from error

    def put(self, key: AnalysisKey[T], value: T) -> None:
        """Leave an analysis of the output. Raises AnalysisError for one that is not declared, or given twice."""
        if key.text not in self.promised:
            raise AnalysisError(f"the analysis {key.text} is not among those that the pass produces")
        if key.text in self.produced:
            raise AnalysisError(f"the analysis {key.text} is produced twice")
        if not isinstance(value, key.schema):
            raise AnalysisError(f"the analysis {key.text} is not of its own structure")
        try:
            data = encode(value)
            # As every reader will: nothing else has looked at the fields.
            decode(data, key.schema)
        except CodecError as error:
            raise AnalysisError(f"the analysis {key.text} is not of its own structure: {error.message}") from error
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise AnalysisError(f"the analysis {key.text} cannot be encoded") from error
        self.produced[key.text] = data


def joined(known: Mapping[Address, bytes], found: Mapping[Address, bytes]) -> dict[Address, bytes]:
    """Both together. Raises AnalysisError where one address would have two values."""
    for address, value in found.items():
        if known.get(address, value) != value:
            raise AnalysisError(f"the analysis {address[1]} is already known of this snapshot, with another value")
    return {**known, **found}
