//! Integers of which only an element of a lattice is known.

#![allow(clippy::unwrap_used)]

use model::{
    Formula, Model, Property,
    machine::Machine,
    system::{LatticeOrder, LocationId},
};
use syntax::{Diagnostic, Format, Sources};

fn try_load(text: &str) -> Result<Model, Vec<(Diagnostic, String)>> {
    let mut sources = Sources::new();
    let file = sources.add_file("test.xta", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xta);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}\n{text}");
    model::load(tree).map(|(model, _)| model).map_err(|(_, diagnostics)| {
        let at = |d: Diagnostic| {
            let text = sources.text(d.primary.span).to_owned();
            (d, text)
        };
        diagnostics.into_iter().map(at).collect()
    })
}

#[track_caller]
fn load(text: &str) -> Model {
    try_load(text).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{text}"))
}

fn one_edge(decls: &str, label: &str) -> String {
    format!("{decls}\nprocess P() {{ state L0, L1; init L0; trans L0 -> L1 {{ {label} }}; }}\nsystem P;")
}

fn elements(model: &Model, row: &[i32]) -> String {
    let texts = model.system.lattices.iter().map(|v| {
        let element = &row[v.first as usize..(v.first + v.width) as usize];
        let LatticeOrder::Library(number) = v.order else { panic!() };
        format!("{}={}", v.name, model.system.code.lattices[number as usize].0.show(element))
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Takes the edges of a model one after the other, if their guards and the invariants behind them allow it.
fn take(model: &Model, edges: &[usize]) -> Option<String> {
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    for &i in edges {
        let edge = &system.edges[i];
        let before = machine.row().to_vec();
        if !edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap()) {
            return None;
        }
        assert_eq!(machine.row(), before, "guards change nothing");
        if let Some(pc) = edge.update {
            machine.execute(pc).unwrap();
        }
        let first = system.processes[edge.process.0 as usize].first_location.0;
        machine.row_mut()[edge.process.0 as usize] = (edge.target.0 - first) as i32;
        for process in &system.processes {
            let p = system.locations[process.first_location.0 as usize].process;
            let LocationId(at) = system.location(machine.row(), p);
            let invariant = system.locations[at as usize].invariant.condition;
            if !invariant.is_none_or(|pc| machine.test(pc).unwrap()) {
                return None;
            }
        }
    }
    Some(elements(model, machine.row()))
}

/// What is left behind one edge.
#[track_caller]
fn check(decls: &str, label: &str, expected: Option<&str>) {
    let model = load(&one_edge(decls, label));
    assert_eq!(take(&model, &[0]).as_deref(), expected, "{decls} | {label}");
}

#[track_caller]
fn update(decls: &str, text: &str, expected: &str) {
    check(decls, &format!("assign {text};"), Some(expected));
}

#[track_caller]
fn guard(decls: &str, text: &str, expected: Option<&str>) {
    check(decls, &format!("guard {text};"), expected);
}

/// The one thing that is wrong: its message, the text it is about, and the help.
#[track_caller]
fn wrong(text: &str, expected: &str, at: &str, help: &str) {
    let found = match try_load(text) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(found) => found,
    };
    let errors: Vec<_> = found.iter().filter(|(d, _)| d.is_error()).collect();
    let [(d, place)] = &errors[..] else { panic!("{errors:#?}\n{text}") };
    assert_eq!((d.message.as_str(), place.as_str()), (expected, at), "{text}");
    assert_eq!(d.help.join(" / "), help, "{text}");
}

const DECLS: &str = "extern Interval; Interval x = 3, y; int n = 2; int a[4]; clock c;";

/// The same with more values: `x` is between 0 and 9, `y` between 5 and 20.
const WIDE: &str = "extern Interval; Interval x, y; int n = 2; clock c;";

#[test]
fn assignments_calculate() {
    update(DECLS, "x = 7", "x=7 y=0");
    update(DECLS, "x = n * 2 + 1, y = x - n", "x=5 y=3");
    update(DECLS, "y = x++ , x += 2, x *= n, y--", "");
}

#[test]
fn steps() {
    update(DECLS, "x++, y--", "x=4 y=-1");
    update(DECLS, "x += 2, y -= x, x *= n, x /= 3, x %= 2", "x=1 y=-5");
    update(DECLS, "x = -x, y = +x", "x=-3 y=-3");
    update(DECLS, "x.between(0, 4), y = x * 2 - n", "x=[0, 4] y=[-2, 6]");
    update("extern Interval; Interval x[2] = {1, 5}; int i = 1;", "x[i] = x[1 - i] + x[i]", "x[0]=1 x[1]=6");
    update("extern Interval; Interval x[2] = {1, 5}; int i = 1, j = 1;", "x[i] = x[j] + 1, x[j]++", "x[0]=1 x[1]=7");
}
