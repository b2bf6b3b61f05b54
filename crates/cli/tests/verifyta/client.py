"""What people do with PyUPPAAL. The only argument is the program to use as verifyta."""

import os
import sys

import pyuppaal
from pyuppaal import UModel, Verifyta
from pyuppaal.utap import TRACEER_FILE

# The package brings a program that reads traces, and pip installs it without the right to run it.
os.chmod(TRACEER_FILE, 0o755)

pyuppaal.set_verifyta_path(sys.argv[1])
assert Verifyta().get_uppaal_version() == 4

lamp = UModel("lamp.xml")
assert lamp.queries == ["E<> lamp.bright", "A[] lamp.n == 0"]
answers = lamp.verify()
assert " -- Formula is satisfied." in answers and " -- Formula is NOT satisfied." in answers, answers
assert "Writing example trace to lamp-1.xtr" in answers, answers
assert "Writing counter example to lamp-2.xtr" in answers, answers

trace = lamp.easy_verify()
assert trace.actions == trace.untime_pattern == ["press", "glow"], trace.actions
assert trace.states == [["user.idle", "lamp.off"], ["user._id1", "lamp.warm"], ["user._id1", "lamp.bright"]]
assert [v.variables_value for v in trace.global_variables] == [["0"], ["1"], ["1"]]
assert trace.transitions[0].start_process == "user" and trace.transitions[0].end_process == ["lamp"]
assert trace.transitions[1].edges[0].guard == "x > 1"
bounds = {(z.clock1, z.clock2): (z.is_equal, z.bound_value) for z in trace.clock_constraints[1].clockzones}
assert bounds[("t", "t(0)")] == (True, "3"), bounds
assert lamp.load_xtr_trace("lamp-2.xtr").actions == ["press"]
assert len(trace.filter_by_actions(["glow"])) == 1

Verifyta().verify("lamp.xml", trace_path="other.xml", verify_options="-t 2 -o 1")
assert os.path.exists("other1.xml")
assert open(Verifyta().compile_to_if("lamp.xml"), encoding="utf-8").readline() == "layout\n"
shown = Verifyta().cmd(sys.argv[1] + " lamp.xml -t 0 -y")
assert "Showing counter example." in shown and "Transitions:" in shown, shown

# It edits models: queries, then observers that forbid what was found before.
gate = UModel("gate.xml")
gate.queries = ["A[] not deadlock"]
assert gate.easy_verify() is None
gate.queries = ["E<> Train(1).Stop && Train(2).Cross"]
crossing = gate.easy_verify("-t 1 -o 0")
assert crossing.states[-1][1:3] == ["Train(1).Stop", "Train(2).Cross"], crossing.states[-1]
lamp = lamp.copy_as("patterns.xml")
lamp.queries = ["E<> lamp.bright"]
assert lamp.find_a_pattern(["press"]).untime_pattern == ["press"]
patterns = lamp.find_all_patterns(["press", "glow"], keep_tmp_file=False, max_patterns=2)
assert [p.untime_pattern for p in patterns] == [["press", "glow"], ["press", "press", "glow"]], patterns

lamp.queries = ["E<> lamp.brite"]
try:
    lamp.verify()
    sys.exit("a wrong query was taken")
except ValueError as error:
    assert "[error] Process `lamp` has no location or variable `brite`" in str(error), error
print("done")
