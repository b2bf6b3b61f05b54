//! The binary in place of UPPAAL's `verifyta`.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::{Run, command, finish, run_in, scratch};

/// Creates a folder with the model of a lamp.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let lamp = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifyta/lamp.xml");
    fs::copy(lamp, folder.join("lamp.xml")).unwrap();
    folder
}

/// Runs `merkhet verifyta` with these arguments.
fn verifyta(folder: &Path, words: &str) -> Run {
    let words: Vec<&str> = ["verifyta"].into_iter().chain(words.split_whitespace()).collect();
    run_in(folder, &words)
}

/// Runs `merkhet verifyta` on a model in XTA with some queries.
fn ask(folder: &Path, model: &str, queries: &str, words: &str) -> Run {
    fs::write(folder.join("m.xta"), model).unwrap();
    fs::write(folder.join("m.q"), queries).unwrap();
    verifyta(folder, &format!("{words} m.xta m.q"))
}

#[track_caller]
fn says(run: &Run, status: i32, out: &str, err: &str) {
    assert_eq!((run.status, run.out.as_str(), run.err.as_str()), (status, out, err));
}

/// The answers without `-s`: formulas and verdicts overwrite a line that shows the progress of the
/// search.
fn erasing(answers: &str) -> String {
    answers.replace("\nVerifying", "\x1b[2K\nVerifying").replace(" -- Formula", "\x1b[2K -- Formula")
}

const OPTIONS: &str = "Options for the verification:
  Generating no trace
  Search order is breadth first
  Using conservative space optimisation
  Seed is 0
  State space representation uses minimal constraint systems
";

const ANSWERS: &str = "
Verifying formula 1 at /nta/queries/query[1]/formula
 -- Formula is satisfied.

Verifying formula 2 at /nta/queries/query[2]/formula
 -- Formula is NOT satisfied.
";

#[test]
fn traces_with_large_constants_are_written() {
    let folder = scratch("verifyta-wide");
    let model = "clock x; process P() { state a, b; init a; trans a -> b { guard x >= 1000000001 && x < 1000000004; }; } system P;";
    for (words, file) in [("-q -s -t0 -f t", "t-1.xtr"), ("-q -s -t0 -X t", "t1.xml")] {
        let run = ask(&folder, model, "E<> P.b", words);
        assert!(run.succeeds().contains("Formula is satisfied"), "{run:?}");
        let text = fs::read_to_string(folder.join(file)).unwrap();
        // The lower bound. `.xtr` files contain twice the bound.
        assert!(text.contains("-1000000001") || text.contains("-2000000002"), "{words}: {text}");
    }
    for words in ["-q -s -t0", "-q -s -t0 -y"] {
        let run = ask(&folder, model, "E<> P.b", words);
        assert!(run.err.contains("1000000001") && !run.err.contains("note"), "{words}: {run:?}");
    }
}

#[test]
fn answers_are_uppaals_lines_and_the_status_is_not_a_verdict() {
    let folder = folder("verifyta-answers");
    says(&verifyta(&folder, "lamp.xml"), 0, &format!("{OPTIONS}{}", erasing(ANSWERS)), "");
    says(&verifyta(&folder, "-sq lamp.xml"), 0, ANSWERS, "");
    fs::write(folder.join("lamp.q"), "// a remark\nE<> lamp.n == 3\n\nA<> lamp.bright\n").unwrap();
    let expected = "\nVerifying formula 1 at lamp.q:2\n -- Query name : a remark\n -- Formula is satisfied.\n\n\
                    Verifying formula 2 at lamp.q:4\n -- Formula is NOT satisfied.\n";
    says(&verifyta(&folder, "lamp.xml -qs lamp.q"), 0, expected, "");
    let run = finish(command(&folder).args(["verifyta", "-qs", "lamp.xml", "-"]), b"E[] lamp.off");
    says(&run, 0, "\nVerifying formula 1 at <stdin>:1\n -- Formula is satisfied.\n", "");
    let other = verifyta(&folder, "-o2 -t2 -T -S2 -C -r 7 -A lamp.xml lamp.q");
    let expected = "Cannot reuse state space when trace length optimisation is used.
Options for the verification:
  Generating fastest trace
  Search order is random depth first
  Using aggressive space optimisation
  Using reuse optimisation
  Seed is 7
  State space representation uses difference bound matrices
";
    assert!(other.succeeds().starts_with(expected), "{other:?}");
}

#[test]
fn one_query_can_be_chosen_and_keeps_its_number() {
    let folder = folder("verifyta-index");
    let second = ANSWERS.split_at(ANSWERS.rfind("\nVerifying").unwrap()).1;
    says(&verifyta(&folder, "-qs lamp.xml --query-index 1"), 0, second, "");
    // Errors in the other queries do not matter.
    fs::write(folder.join("i.q"), "E<> lamp.brite\n// the second\nE<> lamp.bright\n").unwrap();
    let run = verifyta(&folder, "-qs lamp.xml i.q --query-index=1 -t1 -f i");
    let answer = "\nVerifying formula 2 at i.q:3\n -- Query name : the second\n -- Formula is satisfied.\n";
    says(&run, 0, answer, "Writing example trace to i-2.xtr\n");
    verifyta(&folder, "lamp.xml i.q --query-index 0").refuses("`brite`");
}

#[test]
fn options_of_other_versions_are_accepted() {
    let folder = folder("verifyta-versions");
    let run = verifyta(&folder, "-s -t3 -S 3 lamp.xml");
    let expected = OPTIONS.replace("no trace", "best trace").replace("conservative", "extreme");
    assert!(run.succeeds().starts_with(&expected), "{run:?}");
    // Without costs the best trace is the fastest.
    assert_eq!(run.err, verifyta(&folder, "-s -t2 lamp.xml").err);
    assert!(run.err.contains("Transitions:"), "{run:?}");
}

#[test]
fn the_name_of_the_program_decides() {
    let folder = folder("verifyta-name");
    let program = named(&folder);
    let run = finish(Command::new(&program).current_dir(&folder).args(["lamp.xml", "-qs"]), b"");
    says(&run, 0, ANSWERS, "");
    let version = finish(Command::new(&program).arg("-v"), b"");
    let words: Vec<&str> = version.succeeds().split(' ').collect();
    assert_eq!(words[1..3], ["UPPAAL", "4.1.25-5"]);
    let help = finish(Command::new(&program).arg("--help"), b"");
    assert!(help.succeeds().starts_with("Usage: verifyta [OPTION]... MODEL QUERY\n"), "{help:?}");
    assert!(help.out.contains("  -h [ --help ]\n"), "{help:?}");
    assert_eq!(help.out, verifyta(&folder, "-h").out);
}

/// The binary under the name `verifyta`.
fn named(folder: &Path) -> PathBuf {
    let program = folder.join(if cfg!(windows) { "verifyta.exe" } else { "verifyta" });
    fs::hard_link(env!("CARGO_BIN_EXE_merkhet"), &program)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_merkhet"), &program).map(drop))
        .unwrap();
    program
}

#[test]
fn statistics_come_on_demand() {
    let folder = folder("verifyta-statistics");
    let run = verifyta(&folder, "-squ lamp.xml");
    let lines: Vec<&str> = run.succeeds().lines().collect();
    assert_eq!(lines[2], " -- Formula is satisfied.");
    let starts = [
        "States stored : ",
        "States explored : ",
        "CPU user time used : ",
        "Virtual memory used : ",
        "Resident memory used : ",
    ];
    for (line, (start, unit)) in lines[3..].iter().zip(starts.into_iter().zip(["states", "states", "ms", "KiB", "KiB"]))
    {
        let rest = line.strip_prefix(" -- ").and_then(|rest| rest.strip_prefix(start)).unwrap();
        let (number, found) = rest.split_once(' ').unwrap();
        assert!(number.parse::<u64>().is_ok() && found == unit, "{line}");
    }
    assert_eq!(lines[8], "");
}

#[test]
fn bounds_follow_the_verdict() {
    let folder = folder("verifyta-bounds");
    let queries =
        "sup{lamp.warm}: lamp.x, lamp.n\ninf{lamp.bright}: lamp.x\nsup: t\nbounds: lamp.n\nsup{lamp.n > 5}: t\n";
    fs::write(folder.join("b.q"), queries).unwrap();
    let run = verifyta(&folder, "-qs lamp.xml b.q -t0");
    let expected = [
        "sup{lamp.warm}:\nlamp.x <= 3\nlamp.n <= 3\n",
        "inf{lamp.bright}:\nlamp.x > 1\n",
        "sup:\nt < inf\n",
        "bounds:\nlamp.n >= 0\nlamp.n <= 3\n",
        "sup{lamp.n > 5}:\n",
    ];
    let text: String = (1..)
        .zip(expected)
        .map(|(i, values)| format!("\nVerifying formula {i} at b.q:{i}\n -- Formula is satisfied.\n{values}"))
        .collect();
    says(&run, 0, &text, "");
}

#[test]
fn traces_go_to_the_standard_error() {
    let folder = folder("verifyta-text");
    fs::write(folder.join("q.q"), "E<> lamp.bright\n").unwrap();
    let out = "\nVerifying formula 1 at q.q:1\n -- Formula is satisfied.\nShowing example trace.\n";
    let start = "\nState:\n( user.idle lamp.off )\n";
    let press = "\nTransitions:\n  user.idle->user._id1 { 1, press!, t := 0 }\n  \
                 lamp.off->lamp.warm { 1, press?, x := 0, n := (n + 1) % 4 }\n\nState:\n( user._id1 lamp.warm )\n";
    let glow = "\nTransitions:\n  lamp.warm->lamp.bright { x > 1, on!, 1 }\n\nState:\n( user._id1 lamp.bright )\n";
    let values = format!(
        "{start}t=0 lamp.x=0 lamp.n=0 #depth=0 \n{press}t=0 lamp.x=0 lamp.n=1 #depth=1 \n\nDelay: 2\n\nState:\n\
         ( user._id1 lamp.warm )\nt=2 lamp.x=2 lamp.n=1 #depth=1 \n{glow}t=2 lamp.x=2 lamp.n=1 #depth=2 \n"
    );
    let constraints = |warm: &str| {
        format!(
            "{start}t(0)-t<=0 t-lamp.x<=0 lamp.x-t<=0 lamp.n=0 #depth=0 \n{press}{warm}t<=3 t-lamp.x<=0 lamp.x-t<=0 lamp.n=1 \
             #depth=1 \n{glow}t(0)-t<-1 t-lamp.x<=0 lamp.x-t<=0 lamp.n=1 #depth=2 \n"
        )
    };
    says(&verifyta(&folder, "-qs -t0 lamp.xml q.q"), 0, out, &values);
    says(&verifyta(&folder, "-qs -t1 -y lamp.xml q.q"), 0, out, &constraints("t(0)-t<=0 "));
    says(&verifyta(&folder, "-qs -t1 -Y lamp.xml q.q"), 0, out, &constraints("t(0)-t<-1 "));
    says(&verifyta(&folder, "-qs -y lamp.xml q.q"), 0, out.trim_end_matches("Showing example trace.\n"), "");
    let refuted = verifyta(&folder, "-qs -t1 lamp.xml");
    assert!(refuted.succeeds().ends_with(" -- Formula is NOT satisfied.\nShowing counter example.\n"), "{refuted:?}");
}

#[test]
fn fractional_moments_have_a_decimal_point() {
    let folder = scratch("verifyta-fractions");
    let model = "clock x, y; process P() { state a, b { y < 1 }, c; init a; \
                 trans a -> b { guard x > 0 && x < 1; assign y = 0; }, b -> c { guard x > 0 && x < 1 && y > 0; }; } system P;";
    let run = ask(&folder, model, "E<> P.c", "-t0");
    let delays: Vec<f64> = run.err.lines().filter_map(|line| line.strip_prefix("Delay: ")?.parse().ok()).collect();
    assert_eq!(delays, [0.5, 0.25], "{run:?}");
    assert!(run.err.contains("\nx=0.75 y=0.25 #depth=1 \n"), "{run:?}");
}

const XTR: &str = "0 0 \n.\n0 1 0\n.\n1 2 0\n.\n2 1 0\n.\n.\n0 \n.\n\
                   1 1 \n.\n0 1 0\n.\n1 0 6\n.\n1 2 0\n.\n2 1 0\n.\n.\n1 \n.\n0 0 ; 1 0 ; \n.\n\
                   1 2 \n.\n0 1 -1\n.\n1 2 0\n.\n2 1 0\n.\n.\n1 \n.\n1 1 ; \n.\n.\n";

const IF: &str = "layout
0:clock:0:t(0)
1:clock:1:t
2:clock:2:lamp.x
3:var:0:3:0:0:lamp.n
4:location::idle
5:location::_id1
6:location::off
7:location::warm
8:location::bright

instructions

processes
0:4:user
1:6:lamp

locations
4:0:0
5:0:0
6:1:0
7:1:4
8:1:0

edges
0:4:5:0:1:2
0:5:4:3:1:0
1:6:7:0:5:6
1:7:8:7:8:0
1:8:6:0:5:0

expressions
0:0:0: 1
1:0:0: press!
2:0:0: t = 0
3:0:0: t >= 2
4:0:0: x <= wait
5:0:0: press?
6:0:0: x = 0, n = (n + 1) % 4
7:0:0: x > 1
8:0:0: on!

";

#[test]
fn traces_and_models_are_files_that_tracers_read() {
    let folder = folder("verifyta-files");
    let run = verifyta(&folder, "lamp.xml -qs -f out -t 1");
    says(&run, 0, ANSWERS, "Writing example trace to out-1.xtr\nWriting counter example to out-2.xtr\n");
    assert_eq!(fs::read_to_string(folder.join("out-1.xtr")).unwrap(), XTR);
    let compiled = finish(command(&folder).args(["verifyta", "lamp.xml", "-"]).env("UPPAAL_COMPILE_ONLY", "1"), b"");
    says(&compiled, 0, IF, "");
    let not = finish(command(&folder).args(["verifyta", "lamp.xml", "-qs"]).env("UPPAAL_COMPILE_ONLY", ""), b"");
    says(&not, 0, ANSWERS, "");
    // Without -t no trace is written.
    fs::remove_file(folder.join("out-1.xtr")).unwrap();
    fs::remove_file(folder.join("out-2.xtr")).unwrap();
    says(&verifyta(&folder, "lamp.xml -qs -f out -X out"), 0, ANSWERS, "");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn symmetry_can_be_disabled() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folder = scratch("verifyta-symmetry");
    let stored = |value: &str| {
        let file = models.join("fischer_scalar.xta").display().to_string();
        let queries = models.join("fischer_scalar.q").display().to_string();
        let words = ["verifyta", "-u", "-q", &file, &queries];
        let run = finish(command(&folder).args(words).env("UPPAAL_DISABLE_SYMMETRY", value), b"");
        run.succeeds().lines().find(|line| line.contains("States stored")).unwrap().to_owned()
    };
    assert_eq!(stored(""), " -- States stored : 34 states");
    assert_eq!(stored("1"), " -- States stored : 356 states");
}

#[test]
fn traces_are_xml_on_demand() {
    let folder = folder("verifyta-xml");
    let run = verifyta(&folder, "-o0 -t1 -qs -y -Xlamp_trace_ lamp.xml");
    let mut expected = ANSWERS.replace("is satisfied.\n", "is satisfied.\nXMLTrace outputted to: lamp_trace_1.xml\n");
    expected.push_str("XMLTrace outputted to: lamp_trace_2.xml\n");
    says(&run, 0, &expected, "");
    let text = fs::read_to_string(folder.join("lamp_trace_1.xml")).unwrap();
    for line in [
        "<trace initial_node=\"State1\" trace_options=\"symbolic\">",
        "<clock id=\"sys.t\" name=\"t\"/>",
        "<process id=\"lamp\" name=\"lamp\">",
        "<clock id=\"lamp.x\" name=\"x\"/>",
        "<variable id=\"lamp.n\" name=\"n\"/>",
        "<location id=\"lamp.warm\" name=\"warm\"><![CDATA[x <= wait]]></location>",
        "<edge id=\"lamp.Edge2\" from=\"lamp.warm\" to=\"lamp.bright\"><guard><![CDATA[x > 1]]></guard>\
         <sync><![CDATA[on!]]></sync><update><![CDATA[1]]></update></edge>",
        "<location_vector id=\"LocVec2\" locations=\"user._id1 lamp.warm \"/>",
        "<variable_state variable=\"lamp.n\" value=\"1\"/>",
        "<node id=\"State2\" location_vector=\"LocVec2\" dbm_instance=\"DBM2 \" variable_vector=\"varvec.2\"/>",
        "<clockbound clock1=\"sys.t\" clock2=\"sys.t(0)\" bound=\"3\" comp=\"&lt;=\"/>",
        "<clockbound clock1=\"sys.t(0)\" clock2=\"lamp.x\" bound=\"-1\" comp=\"&lt;\"/>",
        "<transition from=\"State1\" to=\"State2\" edges=\"user.Edge1 lamp.Edge1 \"/>",
        "<transition from=\"State2\" to=\"State3\" edges=\"lamp.Edge2 \"/>",
    ] {
        assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
    }
    assert_eq!(text.matches("<node ").count(), 3);
    assert_eq!(text.matches("<dbm_instance ").count(), 3);
    // All nine entries of each matrix, including the infinite ones and the diagonal.
    assert_eq!(text.matches("<clockbound ").count(), 27);
    let unbounded = "<clockbound clock1=\"lamp.x\" clock2=\"sys.t(0)\" bound=\"inf\" comp=\"&lt;\"/>";
    assert!(text.lines().any(|line| line == unbounded), "{text}");
}

/// A model in the intermediate format, as readers of traces see it.
struct Compiled {
    clocks: usize,
    variables: usize,
    /// The positions of the locations of each process in the layout.
    locations: Vec<Vec<usize>>,
    /// The edges of each process: source and target.
    edges: Vec<Vec<(usize, usize)>>,
}

fn number(text: &str) -> usize {
    text.trim().parse().unwrap()
}

impl Compiled {
    fn read(text: &str) -> Compiled {
        let mut sections: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
        for section in text.trim_end().split("\n\n") {
            let mut lines = section.lines();
            let name = lines.next().unwrap();
            sections.insert(name, lines.map(|line| line.split(':').collect()).collect());
        }
        let kinds = |wanted: &[&str]| sections["layout"].iter().filter(|cell| wanted.contains(&cell[1])).count();
        let processes = 0..sections["processes"].len();
        let locations =
            |p: usize| sections["locations"].iter().filter(move |l| number(l[1]) == p).map(|l| number(l[0]));
        let edges = |p: usize| sections["edges"].iter().filter(move |e| number(e[0]) == p);
        Compiled {
            clocks: kinds(&["clock"]),
            variables: kinds(&["var", "meta"]),
            locations: processes.clone().map(|p| locations(p).collect()).collect(),
            edges: processes.map(|p| edges(p).map(|e| (number(e[1]), number(e[2]))).collect()).collect(),
        }
    }

    /// Reads a state and returns the location of each process.
    fn state<'t>(&self, lines: &mut impl Iterator<Item = &'t str>) -> Vec<usize> {
        let at: Vec<usize> = lines.next().unwrap().split_whitespace().map(number).collect();
        assert_eq!((at.len(), lines.next()), (self.locations.len(), Some(".")));
        while let Some(line) = lines.next().filter(|line| *line != ".") {
            let parts: Vec<i64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let within = parts[..2].iter().all(|&clock| (clock as usize) < self.clocks);
            assert!(parts.len() == 3 && parts[0] != parts[1] && within, "{line}");
            assert_eq!(lines.next(), Some("."));
        }
        assert_eq!((lines.next().unwrap().split_whitespace().count(), lines.next()), (self.variables, Some(".")));
        at
    }

    /// Follows a trace from location to location. Returns its number of transitions.
    fn follow(&self, trace: &str) -> usize {
        let mut lines = trace.lines().map(str::trim).peekable();
        let mut at = self.state(&mut lines);
        let mut steps = 0;
        while lines.peek() != Some(&".") {
            let next = self.state(&mut lines);
            let transition = lines.next().unwrap();
            assert_eq!(lines.next(), Some("."));
            for edge in transition.split(';').filter(|edge| !edge.trim().is_empty()) {
                let words: Vec<usize> = edge.split_whitespace().map(number).collect();
                let (p, (source, target)) = (words[0], self.edges[words[0]][words[1]]);
                assert_eq!(self.locations[p][at[p]], source, "the edge has another source");
                at[p] = self.locations[p].iter().position(|&l| l == target).unwrap();
            }
            assert_eq!(at, next);
            steps += 1;
        }
        assert_eq!((lines.next(), lines.next()), (Some("."), None));
        steps
    }
}

#[test]
fn traces_of_the_examples_can_be_followed_in_their_files() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut steps = 0;
    for name in ["fischer", "fischer_scalar", "bridge", "train_gate", "round_robin"] {
        let folder = scratch(&format!("verifyta-{name}"));
        let file = |ending: &str| models.join(format!("{name}.{ending}")).display().to_string();
        let run = run_in(&folder, &["verifyta", "-t1", "-f", "p", &file("xta"), &file("q")]);
        run.succeeds();
        let model = finish(command(&folder).args(["verifyta", &file("xta")]).env("UPPAAL_COMPILE_ONLY", "1"), b"");
        let compiled = Compiled::read(model.succeeds());
        for written in run.err.lines() {
            let trace = written.strip_prefix("Writing example trace to ").unwrap();
            steps += compiled.follow(&fs::read_to_string(folder.join(trace)).unwrap());
        }
    }
    // The bridge alone takes eleven.
    assert!(steps > 11, "{steps}");
}

#[test]
fn branches_and_choices_have_numbers_in_files() {
    let folder = scratch("verifyta-branches");
    let model = "int n; process P() { state a, b, c; branchpoint q; init a; \
                 trans a -> b { guard n > 9; }, a -> q { select i : int[3,4]; guard n == 0; assign n = i; }, \
                 q -> b { probability 1; assign n = n + 10; }, q -> c { probability 2; assign n = n + 20; }; } system P;";
    let run = ask(&folder, model, "E<> P.c && n == 24", "-q -t0 -f p");
    assert_eq!(run.err, "Writing example trace to p-1.xtr\n", "{run:?}");
    assert!(fs::read_to_string(folder.join("p-1.xtr")).unwrap().ends_with("2 \n.\n.\n24 \n.\n0 2 4 ; \n.\n.\n"));
    let shown = ask(&folder, model, "E<> P.c && n == 24", "-q -t0");
    assert!(shown.err.contains("  P.a->P.c { n == 0, tau, n := i, n := n + 20 }\n"), "{shown:?}");
    let compiled = finish(command(&folder).args(["verifyta", "m.xta"]).env("UPPAAL_COMPILE_ONLY", "1"), b"");
    let trace = fs::read_to_string(folder.join("p-1.xtr")).unwrap();
    assert_eq!(Compiled::read(compiled.succeeds()).follow(&trace), 1);
}

#[test]
fn answers_that_may_be_wrong_say_so() {
    let folder = scratch("verifyta-may");
    // The invariant x - z == y - w always holds, but no zone expresses it while two clocks are
    // stopped.
    let stopwatch = "clock x, y, z, w; process P() { state a, b, c { y' == 0 && w' == 0 }, d; init a; \
                     trans a -> b { guard x <= 1; assign z = 0, w = 0; }, b -> c { }, \
                     c -> d { guard x == 3 && z == 2 && y == 1 && w == 1; }; } system P;";
    let run = ask(&folder, stopwatch, "E<> P.d\nA[] not P.d\nE<> P.c && x > 9\n", "-qs");
    let verdicts: Vec<&str> = run.succeeds().lines().filter(|line| line.starts_with(" -- ")).collect();
    let expected = [" -- Formula MAY be satisfied.", " -- Formula MAY NOT be satisfied.", " -- Formula is satisfied."];
    assert_eq!(verdicts, expected, "{run:?}");
    // The delays of the trace are unknown, so it has constraints instead.
    let shown = ask(&folder, stopwatch, "E<> P.d", "-qs -t0");
    assert!(shown.succeeds().ends_with("MAY be satisfied.\nShowing example trace.\n"), "{shown:?}");
    assert!(shown.err.contains("( P.d )\nt(0)-x<=-3 ") && !shown.err.contains("Delay: "), "{shown:?}");
}

#[test]
fn queries_in_a_model_have_their_own_options() {
    let folder = folder("verifyta-own");
    let model = fs::read_to_string(folder.join("lamp.xml")).unwrap();
    let with = |option: &str| {
        let text = model.replacen("<comment></comment>", &format!("<comment></comment>{option}"), 1);
        fs::write(folder.join("own.xml"), text).unwrap();
    };
    with("<option key=\"--diagnostic\" value=\"0\"/><option key=\"--alpha\" value=\"0.05\"/>");
    let run = verifyta(&folder, "-q own.xml");
    assert_eq!(run.succeeds().matches("Showing").count(), 1, "{run:?}");
    assert!(run.err.starts_with("\nState:\n"), "{run:?}");
    with("<option key=\"--diagnostic\" value=\"-1\"/>");
    let run = verifyta(&folder, "-q -t1 own.xml");
    assert_eq!(run.succeeds().matches("Showing").count(), 1, "{run:?}");
    assert!(run.out.ends_with("Showing counter example.\n"), "{run:?}");
    with("<option key=\"--search-order\" value=\"5\"/>");
    let why =
        "own.xml:/nta/queries/query[1]/formula:1: [error] The argument ('5') for option '--search-order' is invalid.";
    let run = verifyta(&folder, "own.xml");
    run.refuses(why);
    assert_eq!(run.out, "");
}

#[test]
fn errors_go_to_the_standard_error_with_status_3() {
    let folder = folder("verifyta-wrong");
    for (words, why) in [
        ("", "no model is given\nTry `verifyta --help`.\n"),
        ("-k lamp.xml", "unrecognised option '-k'\n"),
        ("lamp.xml --serach-order 1", "unrecognised option '--serach-order'; did you mean '--search-order'?\n"),
        ("lamp.xml -t", "the required argument for option '--diagnostic' is missing\n"),
        (
            "lamp.xml --query-index 2",
            "lamp.xml: [error] There is no query with index 2: the last of 2 has the index 1.\n",
        ),
        ("lamp.xml -t 7", "the argument ('7') for option '--diagnostic' is invalid\n"),
        ("none.xml", "none.xml: [error] Can't read `none.xml`: "),
        ("lamp.xml none.q", "none.q: [error] Can't read `none.q`: "),
    ] {
        let run = verifyta(&folder, words);
        assert_eq!((run.status, run.out.as_str()), (3, ""), "{words}");
        assert!(run.err.starts_with(why), "{words}: {run:?}");
    }
    // All mistakes are reported, and no query is answered until they are fixed.
    fs::write(folder.join("w.q"), "E<> lamp.bright\nE<> lamp.brite\nE<> lamp.n <\n").unwrap();
    let run = verifyta(&folder, "lamp.xml w.q -t1 -f t");
    run.refuses("w.q::2: [error] Process `lamp` has no location or variable `brite`. (line 2, column 10)\n");
    // Clients use these words to distinguish syntax errors from other errors.
    assert!(run.err.contains("w.q::3: [error] syntax error: unexpected "), "{run:?}");
    assert_eq!((run.out.as_str(), run.err.lines().count()), ("", 2), "{run:?}");
    let broken = fs::read_to_string(folder.join("lamp.xml")).unwrap().replace("x &gt; 1", "z &gt; 1");
    fs::write(folder.join("broken.xml"), broken).unwrap();
    let run = verifyta(&folder, "broken.xml");
    run.refuses("broken.xml:/nta/template[2]/transition[2]/label[1]:1: [error] Unknown name `z`. (line ");
    // An unsupported query does not prevent the other answers.
    fs::write(folder.join("s.q"), "Pr[<=10](<> lamp.bright) under s\nE<> lamp.bright\n").unwrap();
    let run = verifyta(&folder, "-qs lamp.xml s.q");
    run.refuses("s.q::1: [error] Not supported: games and strategies.");
    let expected = "\nVerifying formula 1 at s.q:1\n\nVerifying formula 2 at s.q:2\n -- Formula is satisfied.\n";
    assert_eq!(run.out, expected);
    let run = verifyta(&folder, "lamp.xml -q -t0 -f none/t");
    run.refuses("can't write `none/t-1.xtr`: ");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4, "no other files remain");
}

#[test]
fn a_run_time_error_ends_it_all() {
    let folder = scratch("verifyta-run-time");
    let model = "int[0,2] n; process P() { state a; init a; trans a -> a { assign n++; }; } system P;";
    let run = ask(&folder, model, "E<> n == 1\nA[] n <= 2\nE<> n == 2\n", "-qs");
    run.refuses("m.xta::1: [error] Run-time error: ");
    let expected = "\nVerifying formula 1 at m.q:1\n -- Formula is satisfied.\n\nVerifying formula 2 at m.q:2\n";
    assert_eq!(run.out, expected);
}
