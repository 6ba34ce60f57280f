"""`python -m blueprint` is the command `blueprint`."""

from blueprint.cli import main

main()
