//! The plans of h^U lead to the goal, if whatever was reached stays reached.
//!
//! The relaxed meaning of a transition stands here once more, by runs of its code on all combinations of values: nothing of the
//! implementation is used but the plan.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;

use explore::{
    graph::ZoneGraph,
    heuristic::{
        Evaluator, Look,
        hl::Hl,
        hu::Hu,
        relaxed::{PlanStep, Settings},
    },
};
use model::{
    Formula, Property, System,
    machine::Machine,
    symbolic::{Path, Symbolic},
    system::{Edge, EdgeId, LocationId, Sync},
};
use oracle::random::{self, Rng};

/// The most combinations of values that are tried for one transition or goal.
const MOST_COMBINATIONS: usize = 50_000;
/// So many states of each network have their plans replayed.
const STATES: usize = 40;

/// For each number of the row the values that it has had.
type Values = Vec<BTreeSet<i32>>;

/// What was compared.
#[derive(Default)]
struct Counted {
    plans: u64,
    steps: u64,
    /// Plans of more than one layer.
    deep: u64,
    /// Steps of two edges, and of broadcasts.
    pairs: u64,
    broadcasts: u64,
    /// Plans with too many combinations.
    large: u64,
    /// Plans that fail where a condition on several variables is met by other values than the rest of its path.
    local: u64,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.plans += other.plans;
        self.steps += other.steps;
        self.deep += other.deep;
        self.pairs += other.pairs;
        self.broadcasts += other.broadcasts;
        self.large += other.large;
        self.local += other.local;
    }
}

/// Why a plan can't be followed.
enum Failure {
    /// There are too many combinations of values.
    Large,
    /// It does not lead to the goal: why.
    Wrong(String),
}

/// All rows with one of these values for each number.
fn combinations(values: &[BTreeSet<i32>]) -> Result<Vec<Vec<i32>>, Failure> {
    let mut rows = vec![Vec::new()];
    for set in values {
        if rows.len() * set.len() > MOST_COMBINATIONS {
            return Err(Failure::Large);
        }
        rows = rows.iter().flat_map(|row| set.iter().map(|value| [&row[..], &[*value]].concat())).collect();
    }
    Ok(rows)
}

fn unite(values: &mut Values, more: &[BTreeSet<i32>]) {
    values.iter_mut().zip(more).for_each(|(values, more)| values.extend(more));
}

struct Relaxed<'s> {
    system: &'s System,
    machine: Machine<'s>,
}

/// What the edges of a transition have done so far.
#[derive(Clone)]
struct Now {
    values: Values,
    /// Numbers that may have changed.
    changed: BTreeSet<usize>,
}

impl<'s> Relaxed<'s> {
    fn edge(&self, edge: EdgeId) -> &'s Edge {
        &self.system.edges[edge.0 as usize]
    }

    /// Takes an edge: its guard is met by values of before, its update finds those of now. Returns whether it can be taken.
    fn take(&mut self, edge: &Edge, before: &Values, now: &mut Now) -> Result<bool, Failure> {
        let process = edge.process.0 as usize;
        let place = |location: LocationId| {
            (location.0 - self.system.processes[process].first_location.0) as i32
        };
        let (source, target) = (place(edge.source), place(edge.target));
        if !before[process].contains(&source) {
            return Ok(false);
        }
        // Guards and updates do not look at locations.
        let mut some = before.clone();
        some.iter_mut().take(self.system.processes.len()).for_each(|set| *set = BTreeSet::from([0]));
        let mut taken = false;
        let mut found = now.clone();
        for row in combinations(&some)? {
            self.machine.load(&row);
            if !edge.guard.condition.is_none_or(|pc| self.machine.test(pc).unwrap_or(false)) {
                continue;
            }
            taken = true;
            let Some(update) = edge.update else { continue };
            let mut found_by_update: Values = row.iter().map(|value| BTreeSet::from([*value])).collect();
            now.changed.iter().for_each(|slot| found_by_update[*slot].clone_from(&now.values[*slot]));
            for row in combinations(&found_by_update)? {
                self.machine.load(&row);
                if self.machine.execute(update).is_ok() {
                    for (slot, value) in self.machine.row().iter().enumerate().skip(self.system.processes.len()) {
                        found.values[slot].insert(*value);
                        if *value != row[slot] {
                            found.changed.insert(slot);
                        }
                    }
                }
            }
        }
        if taken {
            found.values[process].insert(target);
            *now = found;
        }
        Ok(taken)
    }

    /// What a step of a plan adds to what was there.
    fn step(&mut self, &(_, first, with): &PlanStep, before: &Values, counted: &mut Counted) -> Result<Values, Failure> {
        let wrong = |why: &str| Err(Failure::Wrong(format!("{first:?} with {with:?}: {why}")));
        let edges = (self.edge(first), with.map(|other| self.edge(other)));
        let mut now = Now { values: before.clone(), changed: BTreeSet::new() };
        let (sender, receiver) = match edges {
            (edge, None) => (edge, None),
            (edge, Some(other)) if matches!(edge.sync, Sync::Send(_)) => (edge, Some(other)),
            (edge, Some(other)) => (other, Some(edge)),
        };
        if !self.take(sender, before, &mut now)? {
            return wrong("the first can't be taken");
        }
        match (sender.sync, receiver) {
            (Sync::Internal, None) => {}
            (Sync::Send(c), Some(receiver)) if receiver.sync == Sync::Receive(c) && receiver.process != sender.process => {
                counted.pairs += 1;
                if !self.take(receiver, before, &mut now)? {
                    return wrong("the second can't be taken");
                }
            }
            (Sync::Send(c), None) if self.system.channels[c.0 as usize].broadcast => {
                counted.broadcasts += 1;
                let others = |e: &&Edge| e.sync == Sync::Receive(c) && e.process != sender.process;
                let receivers: Vec<&Edge> = self.system.edges.iter().filter(others).collect();
                // In any order: which receiver comes first may be relaxed as well.
                let mut last = Values::new();
                while last != now.values {
                    last.clone_from(&now.values);
                    for receiver in &receivers {
                        self.take(receiver, before, &mut now)?;
                    }
                }
            }
            _ => return wrong("they can't be taken together"),
        }
        Ok(now.values)
    }

    fn may_hold(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::True | Formula::Clock(_) | Formula::Deadlock { .. } => true,
            Formula::False => false,
            Formula::Condition(pc) => self.machine.test(*pc).unwrap_or(false),
            Formula::And(parts) => parts.iter().all(|part| self.may_hold(part)),
            Formula::Or(parts) => parts.iter().any(|part| self.may_hold(part)),
        }
    }

    /// Follows a plan, layer by layer.
    fn follow(&mut self, row: &[i32], plan: &[PlanStep], goal: &Formula, counted: &mut Counted) -> Result<(), Failure> {
        let mut values: Values = row.iter().map(|value| BTreeSet::from([*value])).collect();
        for layer in plan.chunk_by(|a, b| a.0 == b.0) {
            let before = values.clone();
            for step in layer {
                let after = self.step(step, &before, counted)?;
                unite(&mut values, &after);
            }
        }
        for row in combinations(&values)? {
            self.machine.load(&row);
            if self.may_hold(goal) {
                return Ok(());
            }
        }
        Err(Failure::Wrong(format!("the goal is not reached with {values:?}")))
    }
}

/// Whether a condition of some edge is on several variables at once.
fn has_joint_conditions(system: &System) -> bool {
    let mut symbolic = Symbolic::new(system);
    let later: BTreeSet<u32> = (0..system.ranges.len() as u32).collect();
    system.edges.iter().any(|edge| {
        let start = [Path::default()];
        let guards = edge.guard.condition.map_or(Some(start.to_vec()), |pc| symbolic.test(&start[0], pc));
        let Some(guards) = guards else { return true };
        let mut paths = guards.clone();
        if let Some(update) = edge.update {
            for guard in &guards {
                let Some(more) = symbolic.update(guard, update, &later) else { return true };
                paths.extend(more);
            }
        }
        let mut conditions = paths.iter().flat_map(|path| &path.conditions);
        conditions.any(|atom| symbolic.terms.atom_support(*atom).is_none_or(|support| support.len() > 1))
    })
}

/// The first states of a system.
fn states(system: &System) -> Vec<(Vec<i32>, Vec<i32>)> {
    let mut graph = ZoneGraph::exact(system);
    let mut batch = graph.batch();
    let mut found: Vec<(Vec<i32>, Vec<i32>)> = Vec::new();
    if graph.initial(&mut batch).is_err() {
        return found;
    }
    for next in 0..STATES {
        for i in 0..batch.len() {
            if found.iter().all(|(row, _)| row != batch.row(i)) {
                found.push((batch.row(i).to_vec(), batch.zone(i).to_vec()));
            }
        }
        let Some((row, zone)) = found.get(next) else { break };
        batch.clear();
        if graph.successors(row, zone, &mut batch).is_err() {
            break;
        }
    }
    found
}

/// What is wrong with the plans of a system's states, if anything is.
fn compare(system: &System, goal: &Formula, counted: &mut Counted) -> Result<(), String> {
    let mut relaxed = Relaxed { system, machine: Machine::new(&system.code, system.initial.len()) };
    let states = states(system);
    for places in [false, true] {
        let settings = Settings { places, ..Settings::default() };
        let (mut hu, mut hl) = (Hu::new(system, goal, settings), Hl::new(system, goal, settings));
        for (row, zone) in &states {
            let look = Look { row, zone, edges: &[] };
            let (layers, transitions) = (hl.evaluate(look), hu.evaluate(look));
            let told = |why: String| format!("places: {places}, {row:?}\nplan {:?}\n{why}", hu.plan());
            if layers.is_some() != transitions.is_some() {
                return Err(told(format!("h^L {layers:?}, h^U {transitions:?}")));
            }
            let (Some(layers), Some(transitions)) = (layers, transitions) else { continue };
            if layers.value > transitions.value || hu.plan().len() != transitions.value as usize {
                return Err(told(format!("h^L {layers:?}, h^U {transitions:?}")));
            }
            counted.plans += 1;
            counted.steps += u64::from(transitions.value);
            counted.deep += u64::from(layers.value > 1);
            match relaxed.follow(row, hu.plan(), goal, counted) {
                Ok(()) => {}
                Err(Failure::Large) => counted.large += 1,
                Err(Failure::Wrong(_)) if has_joint_conditions(system) => counted.local += 1,
                Err(Failure::Wrong(why)) => return Err(told(why)),
            }
        }
    }
    Ok(())
}

#[test]
fn plans_of_random_networks() {
    let examine = |seed: u64| {
        // What runs before all updates may be anything to the relaxation.
        let options = random::Options { hooks: false, ..random::Options::all() }.some(&mut Rng::new(seed));
        let net = random::network(seed, &options);
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        let mut counted = Counted::default();
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let (Property::Possibly(goal) | Property::Invariantly(goal)) = property else { continue };
            compare(&loaded.model.system, goal, &mut counted).map_err(|why| format!("seed {seed}\n{text}\n{query}\n{why}"))?;
        }
        Ok(counted)
    };
    let Counted { plans, steps, deep, pairs, broadcasts, large, local } = oracle::campaign(3_000, examine, Counted::add);
    println!("{plans} plans, {deep} of more than one layer, {steps} steps, {pairs} of them of two edges, {broadcasts} broadcasts");
    println!("{large} plans passed over as too large, {local} as met by different values only");
    assert!(deep > 10_000 && pairs > 100 && broadcasts > 100 && large + local < plans / 20);
}
