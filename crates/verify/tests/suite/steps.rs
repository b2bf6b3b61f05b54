//! Symbolic states one by one, and marks of states, compared with runs and with answers.

use explore::search::Limits;
use model::{Formula, Property, System, simulate::Simulator};
use oracle::random::{self, Rng};
use verify::{
    Abstraction, Engine, Mark, Marking, Options, Order, Request, SymbolicState, SymbolicSteps, Target, Trace, Verdict,
    Wanted,
};

use crate::drawn::search_options;

/// Counts of what was compared.
#[derive(Default)]
struct Compared {
    moves: u64,
    successors: u64,
    marks: [u64; 3],
}

fn add(all: &mut Compared, one: Compared) {
    all.moves += one.moves;
    all.successors += one.successors;
    all.marks.iter_mut().zip(one.marks).for_each(|(all, one)| *all += one);
}

/// Random runs stay within the symbolic states that their transitions lead to, and what is possible
/// in a state of a run is possible in its symbolic state.
fn follow(system: &System, rng: &mut Rng) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let (mut simulator, mut steps) = (Simulator::new(system), SymbolicSteps::new(system));
    let Ok(mut state) = simulator.start() else { return Ok(compared) };
    let Ok(mut symbolic) = steps.initial() else { return Ok(compared) };
    for _ in 0..8 {
        let Ok(situation) = simulator.situation(&state) else { break };
        if situation.choices.is_empty() || !situation.failures.is_empty() {
            break;
        }
        let choice = rng.pick(&situation.choices);
        let delay = choice.delays.intervals()[0];
        let delay = if delay.from.after { continue } else { delay.from.at };
        let Ok(before) = simulator.wait(&state, delay) else { return Err("the delay is not possible".to_owned()) };
        let holds = |symbolic: &&SymbolicState| symbolic.row == state.row && symbolic.contains(&before.clocks);
        let Some(from) = symbolic.iter().find(holds).cloned() else {
            return Err(format!("{:?} with {:?} is in no symbolic state", state.row, before.clocks));
        };
        // Errors elsewhere in the zone are not those of the run.
        if let Ok(all) = steps.successors(&from) {
            for choice in &situation.choices {
                let reachable = choice.delays.intervals()[0];
                let Ok(then) = simulator.wait(&state, reachable.from.at) else { continue };
                if reachable.from.after || !from.contains(&then.clocks) {
                    continue;
                }
                compared.successors += 1;
                if !all.iter().any(|(edges, _)| *edges == choice.edges) {
                    return Err(format!("{:?} is not among the successors", choice.edges));
                }
            }
        }
        let Ok(next) = steps.successors_by(&from, &choice.edges) else { break };
        state = simulator.take(&before, &choice.edges).map_err(|why| format!("{why:?}"))?;
        if !next.iter().any(|symbolic| symbolic.row == state.row && symbolic.contains(&state.clocks)) {
            // A clock that is stopped for a while makes zones larger, never smaller.
            return Err(format!("{:?} with {:?} is in no successor", state.row, state.clocks));
        }
        symbolic = next;
        compared.moves += 1;
    }
    Ok(compared)
}

/// Marks agree with the answer to the query, and with runs to marked states.
fn mark(
    system: &System,
    (holds, fails): (&Formula, &Formula),
    answer: bool,
    rng: &mut Rng,
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let abstraction = search_options(rng, &[Order::Bfs], &[Wanted::Some]).abstraction;
    let abstraction = abstraction.filter(|abstraction| *abstraction != Abstraction::None);
    let options = Options { order: Order::Bfs, abstraction, ..Options::default() };
    let target = Target::StateSpace(Some(Marking { holds, fails }));
    let request = Request { system, target, engine: Engine::Zones(&options), proves: false };
    let limits = Limits { states: Some(500), ..Limits::default() };
    let found = request.answers(&limits, &mut ()).remove(0);
    let (Some(space), Verdict::Satisfied) = (found.states, found.verdict) else { return Ok(compared) };
    let marks: Vec<Mark> = space.states.iter().filter_map(|state| state.mark).collect();
    if marks.len() != space.states.len() {
        return Err("a state has no mark".to_owned());
    }
    if marks.contains(&Mark::Unknown) {
        return Ok(compared);
    }
    let is_found = marks.iter().any(|mark| *mark != Mark::Nowhere);
    if is_found != answer {
        return Err(format!("the query is answered {answer}, and marks say {is_found}"));
    }
    for (number, mark) in marks.into_iter().enumerate().take(25) {
        let path = space.path(system, number).ok_or("a state has no path")?;
        let region = space.states[number].region();
        let run_to = |formula: &Formula| {
            let goal = Formula::And(vec![region.clone(), formula.clone()]);
            Trace::concrete(system, &path, &goal).is_some_and(|trace| trace.is_replayed())
        };
        if !run_to(&Formula::True) {
            return Err(format!("no run leads to state {number}"));
        }
        let (positive, negative) = (run_to(holds), run_to(fails));
        let expected = match mark {
            Mark::Nowhere => (false, true),
            Mark::Everywhere => (true, false),
            _ => (true, true),
        };
        compared.marks[mark as usize] += 1;
        if (positive, negative) != expected {
            return Err(format!("state {number} is marked {mark:?}, and runs show {positive}, {negative}"));
        }
    }
    Ok(compared)
}

#[test]
fn symbolic_states_hold_the_runs_of_random_networks() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let features = random::NetworkFeatures { stopwatches: false, ..random::NetworkFeatures::all() };
        let net = random::network(seed, &features.some(&mut rng));
        let loaded = oracle::load::<&str>(&net.text(), &[]).map_err(|why| why.to_string())?;
        follow(&loaded.system, &mut rng).map_err(|why| format!("seed {seed}: {why}\n{}", net.text()))
    };
    let all = oracle::campaign(300, examine, add);
    println!("{} moves, {} successors", all.moves, all.successors);
    assert!(all.moves.min(all.successors) > oracle::expected(500, 300));
}

#[test]
fn marks_of_random_networks_agree_with_answers_and_runs() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let features = random::NetworkFeatures { stopwatches: false, faults: false, ..random::NetworkFeatures::all() };
        let net = random::network(seed, &features.some(&mut rng));
        let (text, mut all) = (net.text(), Compared::default());
        for query in net.queries() {
            let Some(condition) = query.strip_prefix("E<>") else { continue };
            let loaded =
                oracle::load(&text, &[query.clone(), format!("A[] {condition}")]).map_err(|why| why.to_string())?;
            let [Property::State { goal: holds, .. }, Property::State { goal: fails, .. }] = &loaded.properties[..]
            else {
                continue;
            };
            let answer =
                verify::answer(&loaded.system, &loaded.properties[0], &Options::default(), &Limits::default(), &mut ());
            let answer = match answer.verdict {
                Verdict::Satisfied => true,
                Verdict::NotSatisfied => false,
                Verdict::Unknown(_) => continue,
            };
            let one = mark(&loaded.system, (holds, fails), answer, &mut rng);
            add(&mut all, one.map_err(|why| format!("seed {seed}: {query}: {why}\n{text}"))?);
        }
        Ok::<Compared, String>(all)
    };
    let all = oracle::campaign(150, examine, add);
    println!("{:?} marks", all.marks);
    assert!(all.marks.iter().all(|count| *count > oracle::expected(50, 150)));
}
