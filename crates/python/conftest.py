"""What all tests share. Documents name models from the root of the repository, and so do tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.fixture
def cases() -> Callable[[int], int]:
    """How many random cases a test draws: `MERKHET_CASES`, or the usual number."""
    return lambda usual: int(os.environ.get("MERKHET_CASES", usual))


@pytest.fixture
def command_line() -> "Callable[..., subprocess.CompletedProcess[str]]":
    """Runs the command line of the package in a process of its own."""

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-m", "merkhet", *words], capture_output=True, text=True, check=False)

    return run
