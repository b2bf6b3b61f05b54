"""Random models: Python and the binary agree."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Callable

import pytest

import merkhet as mk


def test_random_models_have_the_answers_of_the_binary(cases: Callable[[int], int], tmp_path: Path) -> None:
    binary, samples = os.environ.get("MERKHET_BINARY"), os.environ.get("MERKHET_SAMPLES")
    if not binary or not samples:
        pytest.skip("`check` builds the binary and the program that writes random models")
    count, seed = cases(60), os.environ.get("MERKHET_SEED", "1")
    subprocess.run([samples, str(tmp_path), str(count), seed], check=True)
    models = sorted(path for path in tmp_path.iterdir() if path.suffix != ".q")
    assert len(models) == count
    answers = traces = 0
    for path in models:
        # Some models have more states than anybody waits for, or infinitely many.
        words = [binary, "verify", str(path), "--trace", "some", "--threads", "1", "--state-limit", "3000"]
        words += ["--format", "json"]
        report = json.loads(subprocess.run(words, capture_output=True, check=False).stdout)
        m = mk.load(path)
        results = m.verify_all(trace="some", threads=1, state_limit=3000)
        assert len(results) == len(report["results"])
        for r, expected in zip(results, report["results"]):
            assert (r.answer, r.reason, r.note) == (expected["answer"], expected["reason"], expected["note"]), path
            answers += r.known
            if r.stats is not None:
                for name in ("explored", "generated", "added", "stored"):
                    assert getattr(r.stats, name) == expected["stats"][name], (path, r.query)
            assert (r.trace is None) == (expected["trace"] is None)
            if r.trace is not None:
                assert json.loads(r.trace.to_json())["traces"][0]["trace"] == expected["trace"], (path, r.query)
                if not r.trace.spurious:
                    traces += m.replay(r.trace).ok
    assert answers > count and traces > count // 4
