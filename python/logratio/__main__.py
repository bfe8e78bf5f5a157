"""``python -m logratio``: the command line."""

from .command import main

main()
