"""``python -m shapeinfer``."""

from shapeinfer.cli import main

main()
