"""One target under the fuzzer: `python -m tests.fuzz.run TARGET [options of libFuzzer] [corpora]`."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["blueprint"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    """Fuzz until the time is up or something is found, which ends the process with another status than 0."""
    name, *options = sys.argv[1:]
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
