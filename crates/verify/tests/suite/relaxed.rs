//! The relaxed plans of h^U reach the goal under delete relaxation: a value that was reached stays
//! reached.
//!
//! The test implements the relaxed semantics of transitions a second time. It executes their code
//! on all combinations of values. It uses nothing of the implementation but the plan.

use std::collections::BTreeSet;

use explore::{
    graph::ZoneGraph,
    heuristic::{
        EvaluatedState, Evaluator, PathPosition,
        hl::Hl,
        hu::Hu,
        relaxed::{PlanStep, RelaxationSettings},
    },
};
use model::{
    Formula, Property, System,
    machine::Machine,
    system::{Edge, EdgeId, LocationId, Sync},
};
use oracle::random::{self, Rng};

/// At most this many combinations of values are tried for one transition or goal.
const MAX_COMBINATIONS: usize = 50_000;
/// The number of states of each network whose plans are replayed.
const STATES: usize = 40;

/// The values reached so far, for each slot of the row.
type Values = Vec<BTreeSet<i32>>;

/// What was compared.
#[derive(Default)]
struct Counted {
    plans: u64,
    steps: u64,
    /// Plans of more than one layer.
    deep: u64,
    /// Steps of two edges, and steps of broadcasts.
    pairs: u64,
    broadcasts: u64,
    /// Plans skipped because of too many combinations.
    large: u64,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.plans += other.plans;
        self.steps += other.steps;
        self.deep += other.deep;
        self.pairs += other.pairs;
        self.broadcasts += other.broadcasts;
        self.large += other.large;
    }
}

/// Why a plan can't be replayed.
enum Failure {
    /// There are too many combinations of values.
    Large,
    /// The plan does not reach the goal, with the reason.
    Wrong(String),
}

/// All rows that have one of these values in each slot.
fn combinations(values: &[BTreeSet<i32>]) -> Result<Vec<Vec<i32>>, Failure> {
    let mut rows = vec![Vec::new()];
    for set in values {
        if rows.len() * set.len() > MAX_COMBINATIONS {
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

impl<'s> Relaxed<'s> {
    fn edge(&self, edge: EdgeId) -> &'s Edge {
        &self.system.edges[edge.0 as usize]
    }

    /// The slots of the row that are written by edges that synchronise with this edge and whose
    /// updates run before its update.
    fn written_before(&self, edge: &Edge) -> BTreeSet<u32> {
        let Sync::Receive(c) = edge.sync else { return BTreeSet::new() };
        let before = |other: &&Edge| match other.sync {
            Sync::Send(d) => c == d && other.process != edge.process,
            Sync::Receive(d) => c == d && self.system.channels[c.0 as usize].broadcast && other.process < edge.process,
            Sync::Internal | Sync::Event(_) => false,
        };
        let updates = self.system.edges.iter().filter(before).filter_map(|other| other.update);
        updates.flat_map(|update| self.system.written(update)).collect()
    }

    /// Takes an edge. The guard reads values of `before`. The update reads values of `now` in slots
    /// that other edges may have written, and values of `before` elsewhere. Returns all values
    /// after the edge, or `None` if it can't be taken.
    fn take(&mut self, edge: &Edge, before: &Values, now: &Values) -> Result<Option<Values>, Failure> {
        let process = edge.process.0 as usize;
        let first = self.system.processes[process].first_location.0;
        let place = |location: LocationId| (location.0 - first) as i32;
        if !before[process].contains(&place(edge.source)) {
            return Ok(None);
        }
        let written = self.written_before(edge);
        // Guards and updates do not read locations.
        let mut some = before.clone();
        some.iter_mut().take(self.system.processes.len()).for_each(|set| *set = BTreeSet::from([0]));
        let mut found = None;
        for row in combinations(&some)? {
            self.machine.load(&row);
            if !edge.guard.condition.is_none_or(|pc| self.machine.test(pc).unwrap_or(false)) {
                continue;
            }
            let found = found.get_or_insert_with(|| now.clone());
            found[process].insert(place(edge.target));
            let Some(update) = edge.update else { continue };
            let mut later: Values = row.iter().map(|value| BTreeSet::from([*value])).collect();
            written.iter().for_each(|slot| later[*slot as usize].clone_from(&now[*slot as usize]));
            for row in combinations(&later)? {
                self.machine.load(&row);
                if self.machine.execute(update).is_ok() {
                    let values = self.machine.row().iter().zip(&mut *found).skip(self.system.processes.len());
                    values.for_each(|(value, found)| _ = found.insert(*value));
                }
            }
        }
        Ok(found)
    }

    /// The values after a step of a plan.
    fn step(
        &mut self,
        &(_, first, with): &PlanStep,
        before: &Values,
        counted: &mut Counted,
    ) -> Result<Values, Failure> {
        let wrong = |why: &str| Failure::Wrong(format!("{first:?} with {with:?}: {why}"));
        let (sender, receiver) = match (self.edge(first), with.map(|other| self.edge(other))) {
            (edge, Some(other)) if !matches!(edge.sync, Sync::Send(_)) => (other, Some(edge)),
            (edge, other) => (edge, other),
        };
        let mut now = self.take(sender, before, before)?.ok_or_else(|| wrong("the first can't be taken"))?;
        match (sender.sync, receiver) {
            (Sync::Internal, None) => {}
            (Sync::Send(c), Some(receiver))
                if receiver.sync == Sync::Receive(c) && receiver.process != sender.process =>
            {
                counted.pairs += 1;
                now = self.take(receiver, before, &now)?.ok_or_else(|| wrong("the second can't be taken"))?;
            }
            (Sync::Send(c), None) if self.system.channels[c.0 as usize].broadcast => {
                counted.broadcasts += 1;
                // The processes receive one after the other, each with any of its edges.
                for process in (0..self.system.processes.len() as u32).filter(|p| *p != sender.process.0) {
                    let earlier = now.clone();
                    let own = |e: &&Edge| e.process.0 == process && e.sync == Sync::Receive(c);
                    for receiver in self.system.edges.iter().filter(own) {
                        if let Some(more) = self.take(receiver, before, &earlier)? {
                            unite(&mut now, &more);
                        }
                    }
                }
            }
            _ => return Err(wrong("they can't be taken together")),
        }
        Ok(now)
    }

    fn may_hold(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::True | Formula::Clock(_) | Formula::Deadlock { .. } => true,
            Formula::False => false,
            Formula::Condition(pc) => self.machine.test(*pc).unwrap_or(false),
            Formula::NetDeadlock { states, .. } => self.may_hold(states),
            Formula::And(operands) => operands.iter().all(|operand| self.may_hold(operand)),
            Formula::Or(operands) => operands.iter().any(|operand| self.may_hold(operand)),
        }
    }

    /// Replays a plan, layer by layer.
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

/// Replays the plans of a system's states. Fails with a description of a wrong plan.
fn compare(system: &System, goal: &Formula, counted: &mut Counted) -> Result<(), String> {
    let mut relaxed = Relaxed { system, machine: Machine::new(&system.code, system.initial.len()) };
    let states = states(system);
    for places in [false, true] {
        let settings = RelaxationSettings { places, ..RelaxationSettings::default() };
        let (mut hu, mut hl) = (Hu::new(system, goal, settings), Hl::new(system, goal, settings));
        for (row, zone) in &states {
            let evaluated = EvaluatedState { row, zone, edges: &[], path: PathPosition::default() };
            let (layers, transitions) = (hl.evaluate(evaluated), hu.evaluate(evaluated));
            let describe = |why: String| format!("places: {places}, {row:?}\nplan {:?}\n{why}", hu.plan());
            if layers.is_some() != transitions.is_some() {
                return Err(describe(format!("h^L {layers:?}, h^U {transitions:?}")));
            }
            let (Some(layers), Some(transitions)) = (layers, transitions) else { continue };
            if layers.value > transitions.value || hu.plan().len() != transitions.value as usize {
                return Err(describe(format!("h^L {layers:?}, h^U {transitions:?}")));
            }
            counted.plans += 1;
            counted.steps += u64::from(transitions.value);
            counted.deep += u64::from(layers.value > 1);
            match relaxed.follow(row, hu.plan(), goal, counted) {
                Ok(()) => {}
                Err(Failure::Large) => counted.large += 1,
                Err(Failure::Wrong(why)) => return Err(describe(why)),
            }
        }
    }
    Ok(())
}

#[test]
fn plans_of_random_networks() {
    let examine = |seed: u64| {
        // The relaxation does not model code that runs before all updates.
        let options =
            random::NetworkFeatures { hooks: false, ..random::NetworkFeatures::all() }.some(&mut Rng::new(seed));
        let net = random::network(seed, &options);
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        let mut counted = Counted::default();
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let Property::State { goal, .. } = property else { continue };
            compare(&loaded.system, goal, &mut counted)
                .map_err(|why| format!("seed {seed}\n{text}\n{query}\n{why}"))?;
        }
        Ok::<_, String>(counted)
    };
    let Counted { plans, steps, deep, pairs, broadcasts, large } = oracle::campaign(400, examine, Counted::add);
    println!(
        "{plans} plans, {deep} of more than one layer, {steps} steps, {pairs} of them of two edges, \
         {broadcasts} broadcasts"
    );
    println!("{large} plans skipped as too large");
    assert!(deep > plans / 10 && pairs > plans / 20 && broadcasts > plans / 20 && large < plans / 20);
}
