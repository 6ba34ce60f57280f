"""`python -m blueprint` is the command `blueprint`, whose script starts here too.

Hardly anything is imported before Ctrl-C is heard: the command line itself takes a tenth of a second to load.
"""

import os
import sys

_INTERRUPTED = 130
"""The status of `blueprint.exit`, which may not be loaded yet."""


def main() -> None:
    """Run the command line of this process and exit, with one line and no traceback where loading is interrupted."""
    try:
        from blueprint.cli import main as run  # noqa: PLC0415  (guarded)

        run()
    except KeyboardInterrupt:
        sys.stderr.write("blueprint: interrupted\n")
        sys.exit(_INTERRUPTED)


def _forget_working_folder() -> None:
    """`python -m` puts the working folder first on the path: a file beside a bundle must not pass for a library."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120  (pathlib could be such a file)
    if os.path.realpath(sys.path[0]) == os.path.realpath(os.curdir) != home:
        del sys.path[0]


if __name__ == "__main__":
    _forget_working_folder()
    main()
