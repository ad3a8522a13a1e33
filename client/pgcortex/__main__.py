"""`python -m pgcortex` is the command line."""

from pgcortex.cli import main

main()
