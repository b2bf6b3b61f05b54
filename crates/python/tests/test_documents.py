"""The commands of README and manual, through Python."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from support import Run

import merkhet as mk

ROOT = Path(__file__).parents[3]

#: Options that change what is printed, and nothing else, with the number of their values.
PRINTING = {"--stats": 0, "--format": 1, "--trace-file": 1, "--progress": 1}

Command = Tuple[str, List[str], Dict[str, str], Dict[str, Any]]


def read(words: List[str]) -> Command:
    """Returns the model of a command, its queries, constants and options; raises `LookupError` for other commands."""
    model, queries, constants, options = "", [], {}, {}
    known = mk.options()
    rest = iter(words)
    for word in rest:
        if word in PRINTING:
            for _ in range(PRINTING[word]):
                next(rest)
        elif word in ("-q", "-D"):
            value = next(rest)
            if word == "-q":
                queries.append(value)
            else:
                name, _, number = value.partition("=")
                constants[name] = number
        elif word.startswith("-"):
            option = known[word[2:].replace("-", "_")]
            if option.name == "certificate":
                raise KeyError(word)
            value = True if option.kind == "flag" else next(rest)  # type: ignore[assignment]
            options[option.name] = int(value) if option.kind == "number" else value
        elif model:
            raise KeyError(word)
        else:
            model = word
    return model, queries, constants, options


def commands() -> List[Tuple[str, Command]]:
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "manual/src").glob("*.md"))]:
        text = re.sub(r" \\\n> *", " ", page.read_text(encoding="utf-8"))
        for line in re.findall(r"^\$ merkhet verify (.*)$", text, re.MULTILINE):
            words = shlex.split(line)
            end = next((i for i, word in enumerate(words) if re.match(r"[0-9]?>|\|", word)), len(words))
            try:
                command = read(words[:end])
            except (LookupError, StopIteration):
                continue
            if command[0] == "hasty.xta" or (ROOT / command[0]).exists():
                found.append((page.stem, command))
    return found


COMMANDS = commands()


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 20 and sum(page == "README" for page, _ in COMMANDS) == 2


@pytest.mark.parametrize("page, command", COMMANDS, ids=[f"{page}-{number}" for number, (page, _) in enumerate(COMMANDS)])
def test_commands_of_documents_have_the_same_answers_and_counts(
    page: str, command: Command, command_line: Run, tmp_path: Path
) -> None:
    path, queries, constants, options = command
    if path == "hasty.xta":
        # The README makes it of another model.
        text = Path("models/fischer.xta").read_text().replace("x > K", "x >= K").replace("N = 4", "N = 2")
        path = str(tmp_path / path)
        Path(path).write_text(text)
    options = {"threads": 1, **options}
    words = ["verify", path, "--format", "json"]
    words += [word for query in queries for word in ("-q", query)]
    words += [word for name, value in constants.items() for word in ("-D", f"{name}={value}")]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    done: "subprocess.CompletedProcess[str]" = command_line(*words)
    report = json.loads(done.stdout)["results"]
    results = mk.load(path, constants=constants).verify_all(queries or None, **options)
    assert len(results) == len(report) > 0
    for r, expected in zip(results, report):
        assert (r.query, r.answer, r.reason, r.note) == tuple(expected[name] for name in ("query", "answer", "reason", "note"))
        if r.stats is not None and options["threads"] == 1:
            for name in ("explored", "generated", "added", "stored", "refinements"):
                assert getattr(r.stats, name) == expected["stats"][name], (r.query, name)
        assert (r.trace is None) == (expected["trace"] is None)
        if r.estimate is not None:
            assert (r.estimate.estimate, r.estimate.runs) == (expected["value"]["estimate"], expected["value"]["runs"])
