"""`python -m blueprint` is the command `blueprint`."""

import sys
from pathlib import Path

# `python -m` puts the working folder first on the path: a file beside a bundle must not pass for a library.
if Path(sys.path[0]).resolve() == Path.cwd() != Path(__file__).resolve().parent.parent:
    del sys.path[0]

from blueprint.cli import main

main()
