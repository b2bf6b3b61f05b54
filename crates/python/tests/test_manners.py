"""Threads, signals, progress, memory, and the time that it takes."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List, Mapping

import pytest
from support import Run

import merkhet as mk

#: Takes minutes.
LONG = {"N": 12}


def test_the_interpreter_runs_while_a_search_does() -> None:
    m = mk.load("models/fischer.xta", constants=LONG)
    found: List[mk.Result] = []
    search = threading.Thread(target=lambda: found.append(m.verify("A[] true and not deadlock", time_limit=1)))
    search.start()
    steps = 0
    while search.is_alive():
        steps += 1
    assert steps > 1000 and found[0].answer == "unknown"


def test_several_threads_ask_one_model() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    queries = ["E<> P(1).critical", "A[] not (P(1).critical && P(2).critical)", "E<> P(1).critical && P(2).critical"] * 8
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda query: m.verify(query, certificate=True).answer, queries))
    assert answers == ["satisfied", "satisfied", "not satisfied"] * 8


def interrupt_soon(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_an_interrupt_stops_a_search_and_keeps_what_is_known() -> None:
    m = mk.load("models/fischer.xta", constants=LONG)
    interrupt_soon(0.5)
    with pytest.raises(KeyboardInterrupt) as caught:
        m.verify_all(["E<> P(1).critical", "A[] not deadlock"], threads=1)
    partial: List[mk.Result] = caught.value.partial  # type: ignore[attr-defined]
    assert [r.answer for r in partial] in (["satisfied", "unknown"], ["unknown", "unknown"])
    interrupt_soon(0.5)
    with pytest.raises(KeyboardInterrupt) as caught:
        m.verify("A[] not deadlock")
    assert caught.value.partial.answer == "unknown"  # type: ignore[attr-defined]
    # What was interrupted can be asked again.
    assert m.verify("E<> P(1).critical").holds


@pytest.mark.parametrize("engine", ["zones", "smt"])
def test_exceptions_of_observers_stop_a_search(engine: Any) -> None:
    m = mk.load("models/fischer.xta", constants=LONG)

    def fail(event: Mapping[str, Any]) -> None:
        raise ZeroDivisionError(event["event"])

    with pytest.raises(ZeroDivisionError, match="progress"):
        m.verify("A[] not (P(1).critical && P(2).critical)", progress=fail, engine=engine, time_limit=60)
    assert m.verify("E<> P(1).critical").holds


def test_observers_see_progress_and_answers() -> None:
    events: List[Mapping[str, Any]] = []
    m = mk.load("models/fischer.xta", constants=LONG)
    m.verify("A[] not deadlock", progress=events.append, time_limit=2, threads=1)
    searches = [event["search"] for event in events if event["event"] == "progress"]
    assert searches and searches[-1]["explored"] > 0 and searches[-1]["waiting"] > 0


def test_nothing_is_printed_unless_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    m.verify_all(trace="some", certificate=True)
    m.simulate().random(5)
    with pytest.raises(mk.ModelError):
        mk.loads("process P() { state a; init b; } system Q;")
    assert capfd.readouterr() == ("", "")
    m.verify_all(progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "3/3 queries" in err


def resident() -> int:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not say how much memory is used")
def test_loads_and_searches_leak_nothing() -> None:
    with open("models/fischer.xta", encoding="utf-8") as file:
        text = file.read()
    kept = mk.loads(text, "xta", constants={"N": 2})

    def work() -> None:
        m = mk.loads(text, "xta", constants={"N": 2})
        m.verify("A[] not (P(1).critical && P(2).critical)", certificate=True, threads=1)
        trace = kept.verify("E<> P(2).critical", trace="some", threads=1).trace
        assert trace is not None and kept.replay(trace).ok
        kept.simulate().random(3)
        for wrong in (lambda: mk.loads("process P() { state a; }", "xta"), lambda: kept.verify("E<> Q")):
            with pytest.raises(mk.Error):
                wrong()

    for _ in range(100):
        work()
    before = resident()
    for _ in range(1000):
        work()
    grown = resident() - before
    # The allocator keeps some pages; a leak of a kilobyte each would be seen.
    assert grown < 1 << 20, f"{grown} bytes more"


def seconds(code: str) -> float:
    """The CPU time of a program, without that of the bare interpreter."""

    def used(text: str) -> float:
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", text], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    return used(code) - used("pass")


def test_the_import_is_fast() -> None:
    taken = seconds("import merkhet")
    assert taken < 0.05, f"{taken * 1e3:.1f} ms"


def test_small_models_are_loaded_and_verified_fast() -> None:
    def once() -> float:
        start = time.thread_time() + time.process_time()
        m = mk.load("models/fischer.xta", constants={"N": 2})
        assert m.verify("E<> P(1).critical", threads=1).holds
        return (time.thread_time() + time.process_time() - start) / 2

    taken = min(once() for _ in range(20))
    assert taken < 0.005, f"{taken * 1e3:.1f} ms"


def test_results_can_be_sent_to_other_processes() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    results = m.verify_all(trace="some", certificate=True)
    again = pickle.loads(pickle.dumps((m, results)))
    assert again[1] == results


def test_the_command_line_is_whole(command_line: Run) -> None:
    done = command_line("verify", "models/fischer.xta", "-q", "E<> P(1).critical")
    assert (done.returncode, done.stderr) == (0, "") and "satisfied" in done.stdout
    assert command_line("verify", "none.xta").returncode == 3
    assert command_line("--version").stdout.split()[1] == mk.__version__
    assert command_line("verify", "models/fischer.xta", "-q", "A[] not P(1).critical").returncode == 1
