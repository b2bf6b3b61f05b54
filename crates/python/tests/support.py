"""Types that tests share."""

from __future__ import annotations

import subprocess
from typing import Callable

#: Runs the command line of the package.
Run = Callable[..., "subprocess.CompletedProcess[str]"]
