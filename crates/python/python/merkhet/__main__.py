"""The command line: ``python -m merkhet verify …``."""

from __future__ import annotations

import sys
from typing import NoReturn

from . import _merkhet


def main() -> NoReturn:
    """Runs the command line of the process."""
    sys.stdout.flush()
    sys.exit(_merkhet.run(["merkhet", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
