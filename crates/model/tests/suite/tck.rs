//! TChecker's models are translated with TChecker's semantics.

use model::{
    Formula, Model, Property,
    machine::{FaultKind, Machine},
    system::{EdgeId, LocationId, ProcessId, Sync, System},
    vector::Joint,
};
use syntax::{Diagnostic, Format, Sources};

fn try_load(text: &str) -> Result<Model, Vec<Diagnostic>> {
    oracle::read_model(text, Format::Tck).map(|(_, model)| model).map_err(|(_, diagnostics)| diagnostics)
}

#[track_caller]
fn load(text: &str) -> Model {
    try_load(text).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// A model of one process with one location, and these attributes on its loop.
fn with_edge(attributes: &str) -> String {
    format!(
        "system:s\nevent:a\nclock:1:x\nclock:2:y\nint:1:0:9:0:i\nint:3:0:9:5:v\nint:1:-9:9:0:n\nprocess:P\n\
         location:P:l{{initial:}}\nedge:P:l:l:a{{{attributes}}}\n"
    )
}

/// Returns the variables `i`, `v[0]` to `v[2]` and `n` after the update, and how many clocks it
/// changed.
fn after(update: &str) -> Result<(Vec<i32>, usize), FaultKind> {
    let model = load(&with_edge(&format!("do: {update}")));
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    machine.execute(system.edges[0].update.unwrap()).map_err(|fault| fault.kind)?;
    Ok((machine.row()[1..].to_vec(), machine.changes.len()))
}

#[test]
fn updates_run_as_written() {
    let row = |i, v: [i32; 3], n| vec![i, v[0], v[1], v[2], n];
    for (update, expected, clocks) in [
        ("i = 3; v[i-1] = i*2; x = 0", row(3, [5, 5, 6], 0), 1),
        ("i = (if v[0] == 5 && i == 0 then 7 else 8)", row(7, [5; 3], 0), 0),
        ("n = -3; n = n - -1; n = n--1", row(0, [5; 3], -1), 0),
        ("n = -7 / 2; i = 7 % 3", row(1, [5; 3], -3), 0),
        ("while i < 3 do v[i] = i; i = i + 1 end", row(3, [0, 1, 2], 0), 0),
        ("if i == 0 then n = 1 else n = 2 end; if i then n = n + 5 end", row(0, [5; 3], 1), 0),
        ("local k = 4; local w[2]; w[1] = k + k; i = w[1] + w[0]", row(8, [5; 3], 0), 0),
        ("while i < 2 do local k; k = k + 1; n = n + k; i = i + 1 end", row(2, [5; 3], 2), 0),
        ("local k = 1000000; i = k / 200000", row(5, [5; 3], 0), 0),
        ("i[0] = 4; n[i-4] = i[n]", row(4, [5; 3], 4), 0),
        ("y[1] = 2; x = y[0] + 1; x[0] = 0; y[i] = x", row(0, [5; 3], 0), 4),
        ("nop; i = 1 : do: i = i + 1", row(2, [5; 3], 0), 0),
    ] {
        assert_eq!(after(update), Ok((expected, clocks)), "{update}");
    }
}

/// TChecker's documentation says that a transition with an illegal assignment is disabled. Its
/// virtual machine ends the run instead: nothing between `VM_FAILNOTIN` in `vm.hh` and `tck-reach`
/// catches the error. Merkhet does the same.
#[test]
fn illegal_updates_are_faults() {
    assert_eq!(after("i = 10"), Err(FaultKind::Range { value: 10, low: 0, high: 9 }));
    assert_eq!(after("i = n - 1"), Err(FaultKind::Range { value: -1, low: 0, high: 9 }));
    assert_eq!(after("i = 9; v[i] = 0"), Err(FaultKind::Index { index: 9, low: 0, length: 3 }));
    assert_eq!(after("n = 1; i[n] = 0"), Err(FaultKind::Index { index: 1, low: 0, length: 1 }));
    assert_eq!(after("i = 1 / n"), Err(FaultKind::DivisionByZero));
    assert_eq!(after("x = n - 1"), Err(FaultKind::NegativeClock(-1)));
    assert_eq!(after("while 1 do nop end"), Err(FaultKind::Endless));
}

#[test]
fn guards_and_invariants() {
    let clocks = |text: &str| {
        let model = load(&with_edge(text));
        let guard = &model.system.edges[0].guard;
        (guard.condition.is_some(), guard.clocks.len())
    };
    assert_eq!(clocks("provided: x < 3 && i == 0"), (true, 1));
    assert_eq!(clocks("provided: 1 <= x < 5 && x == y[0]"), (false, 4));
    assert_eq!(clocks("provided: x - y[i] <= v[2]*2 && x[0] > (if i then 1 else 2)"), (false, 2));
    assert_eq!(clocks("provided: !i == 3"), (true, 0));
    // UPPAAL's languages refuse `==` in an invariant, TChecker's does not.
    let model = load("system:s\nclock:1:x\nprocess:P\nlocation:P:l{initial: : invariant: x == 3 && x <= 4}\n");
    assert_eq!(model.system.locations[0].invariant.clocks.len(), 3);
}

#[test]
fn processes_locations_and_variables_may_share_names() {
    let mut model = load(
        "system:s\nevent:a\nprocess:a\nint:1:0:1:1:a\nint:1:0:1:1:INT8_MAX\nlocation:a:a{initial:}\nlocation:a:state\n\
         edge:a:a:state:a{provided: a == 1 && INT8_MAX == 1 : do: a = 0}\n",
    );
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    // The guard reads the variable, not the location.
    assert!(machine.test(system.edges[0].guard.condition.unwrap()).unwrap());
    machine.execute(system.edges[0].update.unwrap()).unwrap();
    assert!(!machine.test(system.edges[0].guard.condition.unwrap()).unwrap());
    assert_eq!(initially(&mut model, "E<> a.a"), Ok(true));
    assert_eq!(initially(&mut model, "E<> a.state"), Ok(false));
}

/// Returns the joint transitions from the initial row: vectors, and the edges by their number in
/// the text.
fn joint(system: &System, row: &[i32]) -> Vec<(u32, Vec<u32>)> {
    let mut found = Vec::new();
    Joint::new(system).for_each(row, |vector, edges| {
        found.push((vector.0, edges.iter().map(|e: &EdgeId| e.0).collect()));
    });
    found
}

/// Creates processes `P0`, `P1`, … whose initial location `l` has the given edges. Each edge leads
/// to `m`, which has no edges.
fn network(edges: &[&[&str]], syncs: &str) -> Model {
    let mut text = "system:s\nevent:a\nevent:b\nevent:c\nevent:d\n".to_owned();
    for (i, events) in edges.iter().enumerate() {
        text.push_str(&format!("process:P{i}\nlocation:P{i}:l{{initial:}}\nlocation:P{i}:m\n"));
        for event in *events {
            text.push_str(&format!("edge:P{i}:l:m:{event}\n"));
        }
    }
    load(&(text + syncs))
}

#[test]
fn strong_participants_are_required_and_weak_ones_join() {
    // Two edges of P0 (0 and 1), one of P1 (2), one of P2 (3) and one of P3 (4).
    let edges: &[&[&str]] = &[&["a", "a"], &["b"], &["a"], &["d"]];
    let model = network(edges, "sync:P0@a:P1@a\nsync:P0@a:P1@b:P2@c?:P3@d?\n");
    let system = &model.system;
    assert_eq!(joint(system, &system.initial), [(1, vec![0, 2, 4]), (1, vec![1, 2, 4])]);
    // Event `a` of P2 is in no synchronisation vector, so it is taken alone.
    let syncs: Vec<bool> = system.edges.iter().map(|e| e.sync == Sync::Internal).collect();
    assert_eq!(syncs, [false, false, false, true, false]);
    assert_eq!(system.internal(system.location(&system.initial, ProcessId(2))).len(), 1);
    // Vectors without P3, without P1, and without P0.
    assert_eq!(joint(system, &[0, 0, 0, 1]), [(1, vec![0, 2]), (1, vec![1, 2])]);
    assert_eq!(joint(system, &[0, 1, 0, 0]), []);
    assert_eq!(joint(system, &[1, 0, 0, 0]), []);
}

#[test]
fn a_vector_of_weak_participants_needs_one() {
    let model = network(&[&["a"], &["b", "b"]], "sync:P1@b?:P0@a?\n");
    let system = &model.system;
    // The order of the edges is that of the vector, which is the order of the updates.
    assert_eq!(joint(system, &[0, 0]), [(0, vec![1, 0]), (0, vec![2, 0])]);
    assert_eq!(joint(system, &[1, 0]), [(0, vec![1]), (0, vec![2])]);
    assert_eq!(joint(system, &[0, 1]), [(0, vec![0])]);
    assert_eq!(joint(system, &[1, 1]), []);
}

#[test]
fn every_choice_is_a_transition_and_the_last_one_changes_first() {
    let model = network(&[&["a", "a"], &["c"], &["b", "b"]], "sync:P2@b:P0@a\nsync:P0@a:P1@c\nsync:P1@d:P2@b\n");
    let found = joint(&model.system, &model.system.initial);
    let first = [[3, 0], [3, 1], [4, 0], [4, 1]].map(|e| (0, e.to_vec()));
    let second = [[0, 2], [1, 2]].map(|e| (1, e.to_vec()));
    assert_eq!(found, [&first[..], &second[..]].concat());
}

#[test]
fn guards_of_weak_participants_are_refused_unless_constant() {
    let text = |guard: &str| {
        format!(
            "system:s\nevent:a\nint:1:0:1:0:i\nprocess:P\nlocation:P:l{{initial:}}\nedge:P:l:l:a\nprocess:Q\n\
             location:Q:l{{initial:}}\nedge:Q:l:l:a{{provided: {guard}}}\nsync:P@a:Q@a?\n"
        )
    };
    let codes: Vec<_> = try_load(&text("i == 0")).unwrap_err().iter().map(|d| d.code).collect();
    assert_eq!(codes, ["weak-guard"]);
    assert!(try_load(&text("1 == 1")).is_ok());
    // In TChecker the weak participant takes part, and then its guard forbids the transition.
    let model = load(&text("1 == 2"));
    let system = &model.system;
    assert_eq!(joint(system, &system.initial), [(0, vec![0, 1])]);
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    assert!(!machine.test(system.edges[1].guard.condition.unwrap()).unwrap());
}

/// Evaluates a query without clocks in the initial state.
fn initially(model: &mut Model, text: &str) -> Result<bool, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let file = sources.add_file("q", text.to_owned());
    let query = syntax::read_queries(&sources, file, &mut model.tree).pop().unwrap();
    let query = model.query(&query)?;
    let (system, Property::State { goal: formula, exists: true }) = model.system.with(&query) else { panic!("{text}") };
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    fn holds(f: &Formula, machine: &mut Machine<'_>) -> bool {
        match f {
            Formula::True => true,
            Formula::Condition(pc) => machine.test(*pc).unwrap(),
            Formula::And(parts) => parts.iter().all(|p| holds(p, machine)),
            Formula::Or(parts) => parts.iter().any(|p| holds(p, machine)),
            _ => false,
        }
    }
    Ok(holds(&formula, &mut machine))
}

#[test]
fn labels_are_asked_for_in_queries() {
    let mut model = load(
        "system:s\nevent:a\nint:1:0:5:3:i\nprocess:P\nlocation:P:l{initial: : labels: one,both}\n\
         location:P:m{labels: far, x.y}\nprocess:Q\nlocation:Q:l{labels: far}\n\
         location:Q:m{initial: : labels: two : labels: both}\n",
    );
    assert_eq!(model.system.labels, ["one", "both", "far", "x.y", "two"]);
    let labels: Vec<usize> = model.system.locations.iter().map(|l| l.labels.len()).collect();
    assert_eq!(labels, [2, 2, 1, 2]);
    for (query, expected) in [
        ("E<> label(one)", true),
        ("E<> label(one) && label(two)", true),
        ("E<> label(one) and label(far)", false),
        ("E<> not label(far)", true),
        ("E<> !label(both)", false),
        ("E<> label(far) || label(both)", true),
        ("E<> label(\"x.y\")", false),
        ("E<> label(one) == true && label(far) + label(two) == 1", true),
        ("E<> label(one) imply P.m", false),
        ("E<> P.l && Q.m && i == 3 && label(two)", true),
        ("E<> i[0] == 3", true),
    ] {
        assert_eq!(initially(&mut model, query), Ok(expected), "{query}");
    }
    for (query, message, help) in [
        ("E<> label(farr)", "unknown label `farr`", "did you mean `far`?"),
        ("E<> label(one, two)", "`label` takes 1 argument, not 2", ""),
        ("E<> label(1)", "`label` takes the name of a label", ""),
        ("E<> lable(one)", "unknown function `lable`", ""),
    ] {
        let problems = initially(&mut model, query).unwrap_err();
        assert_eq!(problems[0].message, message);
        assert_eq!(problems[0].help.first().map_or("", |h| h.as_str()), help);
    }
}

#[test]
fn other_models_have_no_labels_but_may_have_a_function() {
    let load = |text: &str| {
        let mut sources = Sources::new();
        let file = sources.add_file("m.xta", text.to_owned());
        let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
        model::load(tree).unwrap_or_else(|(_, d)| panic!("{d:?}")).0
    };
    let mut plain = load("int a; process P() { state s; init s; } system P;");
    let problems = initially(&mut plain, "E<> label(a)").unwrap_err();
    assert_eq!(problems[0].message, "unknown label `a`");
    assert_eq!(problems[0].help, ["no location of the model has a label"]);
    let mut own = load("int a; int label(int n) { return n + 1; } process P() { state s; init s; } system P;");
    assert_eq!(initially(&mut own, "E<> label(a) == 1"), Ok(true));
    // Here an index needs an array.
    let mut sources = Sources::new();
    let file = sources.add_file("m.xta", "int a; int b = a[0]; process P() { state s; init s; } system P;".to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    assert!(model::load(tree).is_err());
}

#[test]
fn mistakes_in_expressions() {
    for (attributes, message) in [
        ("provided: z < 3", "unknown name `z`"),
        ("provided: v < 3", "`<` can't join an array of integers and an integer"),
        ("provided: v[x] < 3", "the array can't be indexed by a clock"),
        (
            "provided: !(x < 3)",
            "a combination of clock constraints that is not a conjunction of bounds can't be a guard",
        ),
        ("do: i = x", "can't assign a clock to an integer"),
        ("do: v = 1", "can't assign an integer to an array of integers"),
        ("do: local i; i = 1", "`i` is declared twice"),
        ("do: local k; local k", "`k` is declared twice"),
        ("do: if i then local k end; k = 1", "unknown name `k`"),
        ("do: local k[i]; k[0] = 1", "the size of an array must be constant"),
        ("provided: l == 1", "unknown name `l`"),
    ] {
        let problems = try_load(&with_edge(attributes)).unwrap_err();
        let messages: Vec<&str> = problems.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [message], "{attributes}");
    }
    let twice = "system:s\nclock:1:x\nint:1:0:1:0:x\nprocess:P\nlocation:P:l{initial:}\nlocation:P:l\nprocess:P\n\
                 location:P:m{initial:}\n";
    let mut sources = Sources::new();
    let file = sources.add_file("m.tck", twice.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Tck);
    let (_, problems) = model::load(tree).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["`x` is declared twice", "`l` is declared twice", "`P` is declared twice"]);
}

#[test]
fn suspicious_synchronisations() {
    let model = network(&[&["a"], &["b"]], "sync:P0@a:P1@c\nsync:P0@d?:P1@b\n");
    let warnings = model.warnings();
    let found: Vec<_> = warnings.iter().filter(|d| d.code == "no-partner").collect();
    assert_eq!(found[0].message, "process `P1` has no edge with event `c`");
    assert_eq!(found[0].primary.text, "this synchronisation never happens");
    assert_eq!(found[1].primary.text, "it never takes part");
}

#[test]
fn real_models_have_what_their_lines_say() {
    let corpora = oracle::corpora("tchecker");
    for path in corpora.iter().flat_map(|corpus| {
        let paths = corpus.files(&["tck"]);
        assert!(paths.len() >= if corpus.is_shared { 10 } else { 2 });
        paths
    }) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut model = load(&text);
        // Each line is a declaration. A clock in these models is not an array.
        let lines = |word: &str| text.lines().filter(|line| line.trim_start().starts_with(word)).count();
        let system = &model.system;
        let counts = [
            system.processes.len(),
            system.locations.len(),
            system.edges.len(),
            system.clocks.len() - 1,
            system.vectors.len(),
        ];
        let expected = ["process:", "location:", "edge:", "clock:1:", "sync:"].map(lines);
        assert_eq!(counts, expected, "{}", path.display());
        assert!(model.unsupported().is_empty());
        for vector in &system.vectors {
            for p in &vector.participants {
                let process = &system.processes[p.process.0 as usize];
                let first = process.first_location.0;
                let edges = (first..first + process.locations).map(|l| system.on_event(LocationId(l), p.event).len());
                assert!(edges.sum::<usize>() > 0, "{}", path.display());
            }
        }
        // The first line names the labels of the authors' query.
        if let Some(labels) = text.lines().next().and_then(|line| line.strip_prefix("#labels=")) {
            let parts: Vec<String> = labels.trim().split(':').map(|label| format!("label({label})")).collect();
            assert_eq!(initially(&mut model, &format!("E<> {}", parts.join(" && "))), Ok(false), "{}", path.display());
        }
    }
}
