//! The join that is to blame for an inconclusive answer, and a strategy that excludes it.

use explore::merging::{Blame, SpuriousPath};
use lattice::{Lattice, Method, ReturnType};
use model::{
    Formula, Property, System,
    system::{EdgeId, LatticeOrder, ProcessId},
};

/// A join that alone makes the rest of a spurious trace possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedJoin {
    /// The step of the trace, counted from 1, whose target was joined; 0: the start.
    pub step: usize,
    /// The row of the stored state.
    pub stored: Vec<i32>,
    /// The row of the new state.
    pub new: Vec<i32>,
    /// The row of their join.
    pub joined: Vec<i32>,
    /// Whether the clock valuations matter that only the convex hull of both zones has.
    pub by_zones: bool,
    /// A word of `--join` that excludes the join.
    pub exclusion: String,
}

impl BlamedJoin {
    pub(crate) fn new(system: &System, goal: &Formula, path: &SpuriousPath) -> BlamedJoin {
        let Blame { at, stored, new, joined, by_zones } = path.blame.clone();
        let rest: Vec<EdgeId> = path.states[at + 1..].iter().flat_map(|state| state.edges.clone()).collect();
        let exclusion = if by_zones {
            without_zones(system)
        } else {
            let order = read_first(system, goal, &rest);
            let elements = |rows: &[i32], v: usize| element(system, rows, v).to_vec();
            let by_measure = order.iter().find_map(|&v| {
                let (x, y, z) = (elements(&stored, v), elements(&new, v), elements(&joined, v));
                measure(system, v, &x, &y, &z)
            });
            by_measure.unwrap_or_else(|| elsewhere(system, &joined, &rest))
        };
        BlamedJoin { step: at, stored, new, joined, by_zones, exclusion }
    }
}

fn element<'r>(system: &System, row: &'r [i32], variable: usize) -> &'r [i32] {
    let v = &system.lattices[variable];
    &row[v.first as usize..(v.first + v.width) as usize]
}

/// The lattice variables, those first that the rest of a path reads.
fn read_first(system: &System, goal: &Formula, rest: &[EdgeId]) -> Vec<usize> {
    let guards = rest.iter().filter_map(|edge| system.edges[edge.0 as usize].guard.condition);
    let code = guards.chain(Property::possibly(goal.clone()).code());
    let mut order: Vec<usize> = Vec::new();
    for variable in code.flat_map(|pc| system.lattices_read(pc)).chain(0..system.lattices.len()) {
        if !order.contains(&variable) {
            order.push(variable);
        }
    }
    order
}

/// A condition on the join by a measure of a variable that is beyond those of both states. It also
/// excludes joins that go further.
fn measure(system: &System, variable: usize, x: &[i32], y: &[i32], z: &[i32]) -> Option<String> {
    let LatticeOrder::Library(number) = system.lattices[variable].order else { return None };
    let lattice = &*system.library[number as usize].0;
    let name = &system.lattices[variable].name;
    let is_measure = |m: &&(usize, &Method)| m.1.result == ReturnType::Int && m.1.parameters.is_empty() && !m.1.changes;
    let methods: Vec<(usize, &Method)> = lattice.methods().iter().enumerate().collect();
    for (method, Method { name: called, .. }) in methods.iter().filter(is_measure) {
        let [x, y, z] = [x, y, z].map(|element| value(lattice, *method, element));
        let (x, y, z) = (x?, y?, z?);
        if z > x.max(y) {
            return Some(format!("if(z.{name}.{called}() < {z})"));
        }
        if z < x.min(y) {
            return Some(format!("if(z.{name}.{called}() > {z})"));
        }
    }
    // The join of two intervals is longer than both.
    let find = |called: &str| methods.iter().filter(is_measure).find(|m| m.1.name == called).map(|m| m.0);
    let (low, high) = (find("low")?, find("high")?);
    let length = |element: &[i32]| value(lattice, high, element)?.checked_sub(value(lattice, low, element)?);
    let (x, y, z) = (length(x)?, length(y)?, length(z)?);
    (z > x.max(y)).then(|| format!("if(z.{name}.high() - z.{name}.low() < {z})"))
}

fn value(lattice: &dyn Lattice, method: usize, element: &[i32]) -> Option<i32> {
    lattice.call(method, &mut element.to_vec(), &[]).ok()
}

/// A strategy that joins all but zones.
fn without_zones(system: &System) -> String {
    if system.lattices.is_empty() {
        return "never".to_owned();
    }
    let names: Vec<&str> = system.lattices.iter().map(|v| v.name.as_str()).collect();
    format!("of({})", names.join(","))
}

/// A strategy that joins nothing where a process is as in a row: the one that moves next.
fn elsewhere(system: &System, row: &[i32], rest: &[EdgeId]) -> String {
    let process = rest.first().map_or(ProcessId(0), |edge| system.edges[edge.0 as usize].process);
    let location = &system.locations[system.location(row, process).0 as usize];
    format!("if(!x.{}.{})", system.processes[process.0 as usize].name, location.name)
}
