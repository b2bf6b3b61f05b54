//! A model with abstract integers simulates the same model with plain integers, on random networks.

use std::fmt::Write;

use lattice::{Comparison, Term, TermOp};
use model::{
    Model,
    machine::Machine,
    system::{EdgeId, LatticeOrder, ProcessId, Sync},
};
use oracle::random::Rng;

use crate::common::load;

const VARIABLES: usize = 3;

fn term(random: &mut Rng) -> String {
    let v = random.below(VARIABLES);
    let w = random.below(VARIABLES);
    let n = random.below(6);
    match random.below(8) {
        0 => format!("{n}"),
        1 => format!("x{v} + {n}"),
        2 => format!("x{v} - x{w}"),
        3 => format!("x{v} + x{w} - {n}"),
        4 => format!("-x{v}"),
        5 => format!("x{v} / {}", n + 1),
        6 => format!("x{v} + k"),
        _ => format!("x{v}"),
    }
}

fn condition(random: &mut Rng, depth: usize) -> String {
    if depth == 0 || random.below(3) == 0 {
        let cmp = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        return format!("{} {cmp} {}", term(random), term(random));
    }
    match random.below(6) {
        0 => format!("!({})", condition(random, depth - 1)),
        1 => format!("({} || {})", condition(random, depth - 1), condition(random, depth - 1)),
        2 => format!("({} imply {})", condition(random, depth - 1), condition(random, depth - 1)),
        3 => format!("(k < {} && {})", random.below(4), condition(random, depth - 1)),
        _ => format!("({} && {})", condition(random, depth - 1), condition(random, depth - 1)),
    }
}

fn update(random: &mut Rng) -> String {
    let v = random.below(VARIABLES);
    match random.below(7) {
        0 => format!("x{v}++"),
        1 => format!("x{v} -= {}", term(random)),
        2 => "k = (k + 1) % 4".to_owned(),
        3 => format!("x{v} %= 5"),
        _ => format!("x{v} = {}", term(random)),
    }
}

/// Creates a network of two processes. `@` marks the declarations of integers, `ANY` the values of
/// a select label.
fn network(random: &mut Rng) -> String {
    let mut text = "@ int k; chan c, d; broadcast chan e;\n".to_owned();
    if random.below(4) == 0 {
        let _ = writeln!(text, "{} {{ {} }}", random.pick(&["before_update", "after_update"]), update(random));
    }
    for process in ["P", "Q"] {
        let _ = write!(text, "process {process}() {{ state A, B");
        if random.below(3) == 0 {
            let _ = write!(text, " {{ {} }}", condition(random, 1));
        }
        text.push_str("; init A; trans ");
        for i in 0..5 {
            text.push_str(if i > 0 { ",\n" } else { "" });
            let (from, to) = (random.pick(&["A", "B"]), random.pick(&["A", "B"]));
            let _ = write!(text, "{from} -> {to} {{ ");
            if random.below(5) == 0 {
                let (v, low) = (random.below(VARIABLES), random.below(4));
                let _ = write!(text, "ANY({v},{low},{})", low + 1 + random.below(4));
            } else {
                if random.below(3) > 0 {
                    let _ = write!(text, "guard {}; ", condition(random, 2));
                }
                if random.below(2) == 0 {
                    let mark = if process == "P" { "!" } else { "?" };
                    let _ = write!(text, "sync {}{mark}; ", random.pick(&["c", "d", "e"]));
                }
                let updates: Vec<String> = (0..random.below(3)).map(|_| update(random)).collect();
                if !updates.is_empty() {
                    let _ = write!(text, "assign {};", updates.join(", "));
                }
            }
            text.push_str(" }");
        }
        text.push_str("; }\n");
    }
    text + "system P, Q;"
}

/// Returns the network with its integers declared, and with `ANY(v,low,high)` replaced by `chosen`.
fn declared(network: &str, declaration: &str, chosen: impl Fn(&str, &str, &str) -> String) -> Model {
    let mut text = network.replacen('@', declaration, 1);
    while let Some(at) = text.find("ANY(") {
        let end = at + text[at..].find(')').unwrap();
        let parts: Vec<String> = text[at + 4..end].split(',').map(str::to_owned).collect();
        text.replace_range(at..=end, &chosen(&parts[0], &parts[1], &parts[2]));
    }
    load(&text)
}

/// Takes a transition. Returns `None` if it is disabled.
fn take(model: &Model, row: &[i32], edges: &[EdgeId]) -> Option<Vec<i32>> {
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(row);
    for edge in edges.iter().map(|e| &system.edges[e.0 as usize]) {
        if system.location(row, edge.process) != edge.source
            || !edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap())
        {
            return None;
        }
    }
    let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
    for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
        machine.execute(pc).ok()?;
    }
    for edge in edges.iter().map(|e| &system.edges[e.0 as usize]) {
        let first = system.processes[edge.process.0 as usize].first_location.0;
        machine.row_mut()[edge.process.0 as usize] = (edge.target.0 - first) as i32;
    }
    for p in 0..system.processes.len() {
        let at = system.location(machine.row(), ProcessId(p as u32));
        let invariant = system.locations[at.0 as usize].invariant.condition;
        if !invariant.is_none_or(|pc| machine.test(pc).unwrap()) {
            return None;
        }
    }
    Some(machine.row().to_vec())
}

/// Returns all edges that may be taken together.
fn transitions(model: &Model) -> Vec<Vec<EdgeId>> {
    let edges = &model.system.edges;
    let ids = || (0..edges.len() as u32).map(EdgeId);
    let sync = |e: EdgeId| edges[e.0 as usize].sync;
    let mut out: Vec<Vec<EdgeId>> = ids().filter(|e| sync(*e) == Sync::Internal).map(|e| vec![e]).collect();
    for sender in ids() {
        let Sync::Send(channel) = sync(sender) else { continue };
        out.extend(ids().filter(|e| sync(*e) == Sync::Receive(channel)).map(|receiver| vec![sender, receiver]));
    }
    out
}

/// Returns whether the elements of a row admit these values, all at once.
fn allows(model: &Model, row: &[i32], values: &[i32]) -> bool {
    let system = &model.system;
    let equals = |element: &mut [i32], number: u32, member: u32, value: i32| {
        let numeric = system.library[number as usize].0.numeric().unwrap();
        let term = |ops| Term { ops, values: &[] };
        let (left, right) = ([TermOp::Member(member)], [TermOp::Const(value)]);
        numeric.assume(element, &term(&left), Comparison::Eq, &term(&right))
    };
    match &system.lattices[..] {
        [joint] => {
            let LatticeOrder::Library(number) = joint.order else { return false };
            let mut element = row[joint.first as usize..(joint.first + joint.width) as usize].to_vec();
            (0..).zip(values).all(|(member, value)| equals(&mut element, number, member, *value))
        }
        all => all.iter().zip(values).all(|(v, value)| {
            let LatticeOrder::Library(number) = v.order else { return false };
            let mut element = row[v.first as usize..(v.first + v.width) as usize].to_vec();
            equals(&mut element, number, 0, *value)
        }),
    }
}

/// Follows runs of a network with plain integers in the same network with abstract ones.
fn compare(seed: u64, lattice: &str) -> usize {
    let random = &mut Rng::new(seed);
    let network = network(random);
    let plain =
        declared(&network, "int x0, x1, x2;", |v, low, high| format!("select s : int[{low},{high}]; assign x{v} = s;"));
    let other = if lattice == "Octagon" {
        let members = "extern Octagon; Octagon o; o.intvar x0, x1, x2;";
        declared(&network, members, |v, low, high| format!("assign o.between(x{v}, {low}, {high});"))
    } else {
        let elements = format!("extern {lattice}; {lattice} x0, x1, x2;");
        declared(&network, &elements, |v, low, high| format!("assign x{v}.between({low}, {high});"))
    };
    assert!(other.system.non_monotone.is_empty(), "{network}");
    let (all, images) = (transitions(&plain), transitions(&other));
    let key = |model: &Model, edges: &[EdgeId]| -> Vec<(ProcessId, u32)> {
        edges.iter().map(|e| &model.system.edges[e.0 as usize]).map(|e| (e.process, e.origin)).collect()
    };
    let mut steps = 0;
    for _ in 0..6 {
        let (mut row, mut image) = (plain.system.initial.clone(), other.system.initial.clone());
        for _ in 0..8 {
            let possible: Vec<(&Vec<EdgeId>, Vec<i32>)> =
                all.iter().filter_map(|edges| Some((edges, take(&plain, &row, edges)?))).collect();
            if possible.is_empty() {
                break;
            }
            let (edges, next) = &possible[random.below(possible.len())];
            let same = images.iter().find(|i| key(&other, i) == key(&plain, edges)).unwrap();
            let Some(after) = take(&other, &image, same) else {
                panic!("seed {seed}, {lattice}: {edges:?} is not possible in {image:?}, but in {row:?}:\n{network}");
            };
            let values = &next[2..2 + VARIABLES];
            assert!(
                allows(&other, &after, values),
                "seed {seed}, {lattice}: {values:?} is lost by {edges:?} from {row:?}: {after:?}\n{network}"
            );
            (row, image) = (next.clone(), after);
            steps += 1;
        }
    }
    steps
}

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn nothing_is_lost() {
    for lattice in ["Interval", "Octagon", "Constant", "Sign", "Parity", "Congruence"] {
        let steps: usize = (0..cases()).map(|seed| compare(seed, lattice)).sum();
        assert!(steps > cases() as usize * 5, "{lattice}: only {steps} steps");
    }
}
