//! Random networks with elements of lattices. The answers with covering and joins equal those of a
//! search that distinguishes all elements.

use lattice::user::UserError;
use model::{Property, System};
use oracle::random::{self, RandomModel, Rng};
use verify::{AbstractPath, Guide, Joining, Options, Order, Reason, SharedGuide, Update, Verdict};

/// A user who knows nothing.
struct RandomGuide(Rng);

impl Guide for RandomGuide {
    fn is_feasible(&mut self, path: &AbstractPath<'_>) -> Result<Option<bool>, UserError> {
        assert!(path.states.first().is_some_and(|state| state.edges.is_empty()));
        Ok(if self.0.chance(10) { Some(true) } else { self.0.chance(50).then_some(false) })
    }

    fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
        Ok(self.0.chance(70).then(|| self.0.below(path.states.len() + 1)))
    }
}

/// Random options of a search.
fn settings(rng: &mut Rng, system: &System) -> Options {
    let orders = [Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Greedy];
    let mut joining = Joining { refines: rng.chance(75), ..Joining::default() };
    if rng.chance(30) {
        joining.variables = Some((0..system.lattices.len()).filter(|_| rng.chance(50)).collect());
        joining.zones = rng.chance(50);
    }
    if rng.chance(20) {
        joining.places = Some(system.edges.iter().filter(|_| rng.chance(30)).map(|e| e.source).collect());
    }
    if rng.chance(20) {
        joining.widen_after = Some(rng.below(3) as u32);
    }
    if rng.chance(30) {
        joining.guide = Some(SharedGuide::new(RandomGuide(Rng::new(rng.below(1 << 30) as u64))));
    }
    let update = if rng.chance(30) { Update::Cover } else { Update::Join };
    Options { order: orders[rng.below(orders.len())], update: Some(update), joining, ..Options::default() }
}

#[derive(Default)]
struct Counted {
    queries: usize,
    reachable: usize,
    refinements: usize,
    unknown: usize,
    /// Answers that are unknown because a path was called feasible that is not.
    called_feasible: usize,
    /// Answers with a join that is to blame.
    blamed: usize,
}

impl Counted {
    fn add(&mut self, more: Counted) {
        self.queries += more.queries;
        self.reachable += more.reachable;
        self.refinements += more.refinements;
        self.unknown += more.unknown;
        self.called_feasible += more.called_feasible;
        self.blamed += more.blamed;
    }
}

fn ask(system: &System, property: &Property, options: &Options) -> verify::Answer {
    let limits = explore::search::Limits { states: Some(200_000), ..Default::default() };
    verify::answer(system, property, options, &limits, &mut ())
}

#[test]
fn covering_joining_and_refinement_agree_with_distinguishing_all_elements() {
    let examine = |seed: u64| -> Result<Counted, String> {
        let RandomModel { text, queries } = random::lattices(seed);
        let describe = |why: String| format!("seed {seed}: {why}\n{text}");
        let loaded = oracle::load(&text, &queries).map_err(|why| describe(why.to_string()))?;
        let system = &loaded.system;
        let mut rng = Rng::new(seed ^ 0x5EED);
        let mut counted = Counted::default();
        let simple = Options { update: Some(Update::Simple), ..Options::default() };
        for (query, property) in queries.iter().zip(&loaded.properties) {
            let truth = ask(system, property, &simple);
            for _ in 0..4 {
                let options = settings(&mut rng, system);
                let found = ask(system, property, &options);
                counted.queries += 1;
                counted.reachable += usize::from(truth.trace.is_some());
                counted.refinements += found.refinements;
                let imprecise = matches!(found.verdict, Verdict::Unknown(Reason::Imprecise(_)));
                counted.unknown += usize::from(imprecise);
                let refines = options.update == Some(Update::Cover) || options.joining.refines;
                let trusted = found.verdict == Verdict::Unknown(Reason::CalledFeasible);
                counted.called_feasible += usize::from(trusted);
                if let Some(blame) = &found.blame {
                    counted.blamed += 1;
                    let length = found.trace.as_ref().map_or(0, |trace| trace.steps.len());
                    if blame.step > length || blame.exclusion.is_empty() || found.verdict == truth.verdict {
                        return Err(describe(format!("{query}: {blame:?}, with {options:?}")));
                    }
                }
                if trusted && options.joining.guide.is_none() {
                    return Err(describe(format!("{query}: nobody has called it feasible, with {options:?}")));
                }
                let agrees = if imprecise && !refines || trusted {
                    // A goal that is found through joins may be unreachable. No goal is missed.
                    true
                } else {
                    found.verdict == truth.verdict && found.values == truth.values
                };
                if !agrees {
                    return Err(describe(format!(
                        "{query}: {:?} {:?}, not {:?} {:?}, with {options:?}",
                        found.verdict, found.values, truth.verdict, truth.values
                    )));
                }
                if found.trace.as_ref().is_some_and(|trace| !trace.is_replayed()) && !imprecise && !trusted {
                    return Err(describe(format!("{query}: the trace is not a run, with {options:?}")));
                }
            }
        }
        Ok(counted)
    };
    let Counted { queries, reachable, refinements, unknown, called_feasible, blamed } =
        oracle::campaign(600, examine, Counted::add);
    println!("{queries} answers, {reachable} with something reachable, {refinements} joins undone, {unknown} unknown");
    assert!(reachable > queries / 10 && reachable < queries, "{reachable} of {queries}");
    println!("{called_feasible} unknown by a wrong guide, {blamed} with a join that is to blame");
    assert!(called_feasible > 0 && blamed > 0);
    assert!(refinements > 0 && unknown > 0, "{refinements} joins were undone, {unknown} answers are unknown");
}

/// Replaces the clocks `x` and `y` of a model, or of a query, by those of a federation.
fn with_federation(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = text[at + 1..].chars().next().unwrap_or(' ');
        if matches!(c, 'x' | 'y') && !is_part(before) && !is_part(after) && before != '.' {
            out.push_str("dbm.");
        }
        out.push(c);
        before = c;
    }
    out.replace(
        "clock dbm.x, dbm.y;",
        "extern DBMFederation; extern DBMClock; DBMFederation dbm; DBMClock dbm.x, dbm.y;",
    )
}

#[test]
fn clocks_of_a_federation_give_the_same_answers() {
    let mut reachable = 0;
    for seed in 0..100 {
        let RandomModel { text, queries } = random::lattices(seed);
        let text = text.replace(
            "system ",
            "process T() { state A; init A; trans A -> A { guard y > 3; assign y = 0; }; } system T, ",
        );
        let other = with_federation(&text);
        assert!(other.contains("DBMClock dbm.x"), "{other}");
        let queries: Vec<String> =
            queries.into_iter().chain(["E<> x > 4 && y < 1".to_owned(), "sup: x".to_owned()]).collect();
        let others: Vec<String> = queries.iter().map(|query| with_federation(query)).collect();
        let (plain, federated) = (oracle::load(&text, &queries).unwrap(), oracle::load(&other, &others).unwrap());
        for (number, query) in queries.iter().enumerate() {
            let options = Options::default();
            let expected = ask(&plain.system, &plain.properties[number], &options);
            let found = ask(&federated.system, &federated.properties[number], &options);
            assert_eq!((&found.verdict, &found.values), (&expected.verdict, &expected.values), "{query}\n{other}");
            assert_eq!(found.counts.stored, expected.counts.stored, "{query}\n{other}");
            reachable += usize::from(expected.trace.is_some());
        }
    }
    assert!(reachable > 100, "{reachable}");
}
