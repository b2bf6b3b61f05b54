"""The command line: ``python -m merkhet verify …``."""

from __future__ import annotations

import sys
from typing import NoReturn

from . import _merkhet
from ._lattices import imported


def main() -> NoReturn:
    """Runs the command line of the process.

    With ``--allow-import`` before the command, models may import lattices: ``extern my.module.Name;``.
    """
    words = sys.argv[1:]
    allowed = words[:1] == ["--allow-import"]
    sys.stdout.flush()
    sys.exit(_merkhet.run(["merkhet", *words[allowed:]], imported if allowed else None))


if __name__ == "__main__":
    main()
