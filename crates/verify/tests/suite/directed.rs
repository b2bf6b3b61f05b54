//! Compares directed search with breadth-first search, on random networks.
//!
//! A* with an admissible heuristic finds shortest traces. Traces of weighted A* are longer by at
//! most the factor of the weight. All other orders give the same verdict. Every trace is a run.
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-verify --test suite directed::` is a
//! campaign.

use explore::{guided::TieBreak, search::Limits};
use model::{Property, System};
use oracle::random::{self, Rng};
use verify::{
    Abstraction, Answer, Guidance, HEURISTICS, Heuristic, Options, Order, Reason, Update, Verdict, Wanted, answer,
};

/// Searches with more states are stopped. They may diverge if clocks are set to values below those
/// of other clocks.
const LIMIT: usize = 4_000;

/// The abstract states of a heuristic. Most of these networks have fewer; for the others, an
/// abstraction that is incomplete must be as sound.
const ABSTRACT_STATES: usize = 2_000;

const ADMISSIBLE: [&str; 13] = [
    "hl",
    "hl(jump)",
    "hl-loc",
    "hl-loc(jump)",
    "dl",
    "max(hl,dl)",
    "pa-syntax(2,once)",
    "pa-refine(1,3,once)",
    "pa-auto(once)",
    "merge",
    "merge-shrink",
    "symbolic-pdb",
    "zone-pdb",
];

const TIES: [TieBreak; 4] = [TieBreak::Auto, TieBreak::Oldest, TieBreak::Youngest, TieBreak::Place];

/// What was compared.
#[derive(Default)]
struct Counted {
    queries: u64,
    /// Queries with a shortest trace of more than one transition.
    far: u64,
    searches: u64,
    /// Searches that did not end.
    stopped: u64,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.queries += other.queries;
        self.far += other.far;
        self.searches += other.searches;
        self.stopped += other.stopped;
    }
}

/// One query, and the answer of breadth-first search.
struct Case<'s> {
    system: &'s System,
    property: &'s Property,
    expected: Answer,
    counted: Counted,
}

fn search(system: &System, property: &Property, options: &Options) -> Answer {
    answer(system, property, options, &Limits { states: Some(LIMIT), ..Limits::default() }, &mut ())
}

fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

fn read(text: &str) -> Vec<Heuristic> {
    verify::heuristics(text, &mut |_| Err(verify::OptionError::Expression("no expressions here".to_owned()))).unwrap()
}

impl Case<'_> {
    /// Checks the answer of an order. A trace may be at most `factor` times as long as the
    /// shortest.
    fn check(
        &mut self,
        order: Order,
        guidance: Guidance,
        seed: u64,
        update: Update,
        factor: usize,
    ) -> Result<(), String> {
        // Without covering, only an extrapolation makes the number of zones finite.
        let abstraction = (update == Update::Simple).then_some(Abstraction::ExtraLuPlus);
        let guidance = Guidance { budget: ABSTRACT_STATES, ..guidance };
        let options = Options { order, guidance, seed, update: Some(update), abstraction, ..Options::default() };
        let found = search(self.system, self.property, &options);
        let fail = |why: String| Err(format!("{order:?} {update:?} seed {seed} {:#?}\n{why}", options.guidance));
        self.counted.searches += 1;
        if matches!(found.verdict, Verdict::Unknown(Reason::Limit(_))) {
            self.counted.stopped += 1;
            return Ok(());
        }
        if found.verdict != self.expected.verdict {
            return fail(format!("{:?}, not {:?}", found.verdict, self.expected.verdict));
        }
        let (Some(shortest), Some(length)) = (length(&self.expected), length(&found)) else {
            let same = found.trace.is_some() == self.expected.trace.is_some();
            return if same { Ok(()) } else { fail("only one of the searches has a trace".to_owned()) };
        };
        if found.trace.is_some_and(|trace| !trace.is_replayed()) {
            return fail("the trace is not a run".to_owned());
        }
        if length < shortest || length > shortest.saturating_mul(factor) {
            return fail(format!("a trace of {length} transitions, the shortest has {shortest}"));
        }
        Ok(())
    }

    fn shortest_traces(&mut self, rng: &mut Rng) -> Result<(), String> {
        for name in ADMISSIBLE {
            // Some heuristics explore an abstraction first. In networks as small as these, that
            // takes longer than the search.
            if name.starts_with(['p', 'm', 'z']) && rng.chance(75) {
                continue;
            }
            let ties = *rng.pick(&TIES);
            let guidance = Guidance { heuristics: read(name), ties, ..Guidance::default() };
            let update = if rng.chance(25) { Update::Simple } else { Update::Cover };
            self.check(Order::Astar, guidance, rng.bits() % 2, update, 1)?;
        }
        let several = Guidance { heuristics: read("hl,dl"), helpful: rng.chance(50), ..Guidance::default() };
        self.check(Order::Astar, several, 0, Update::Cover, 1)?;
        for weight in [2, 5] {
            let guidance =
                Guidance { heuristics: read(ADMISSIBLE[rng.below(ADMISSIBLE.len())]), weight, ..Guidance::default() };
            self.check(Order::Astar, guidance, rng.bits() % 2, Update::Cover, weight as usize)?;
        }
        Ok(())
    }

    fn other_orders(&mut self, rng: &mut Rng) -> Result<(), String> {
        let mut names: Vec<String> = HEURISTICS.iter().map(|part| part.name.to_owned()).collect();
        names.extend(
            ["hu(jump)", "hu-loc(jump)", "hff(jump)", "sum(hl,du)", "hu,dl", "max(hu,hamming)"].map(str::to_owned),
        );
        // All combinations of heuristics and options take too long for one network. Over many
        // networks, each combination is tested.
        for name in names {
            if rng.chance(if name.starts_with(['p', 'm', 'z']) { 85 } else { 60 }) {
                continue;
            }
            let guidance = Guidance {
                heuristics: read(&name),
                weight: 1 + rng.below(3) as u32,
                helpful: rng.chance(50),
                useless: rng.chance(50),
                ties: *rng.pick(&TIES),
                covers_shorter: rng.chance(30),
                table: rng.chance(40).then(|| 1 + rng.below(8)),
                ..Guidance::default()
            };
            let order = *rng.pick(&[Order::Greedy, Order::Greedy, Order::Local, Order::Auto, Order::Astar]);
            let update = if rng.chance(20) { Update::Simple } else { Update::Cover };
            self.check(order, guidance, rng.bits() % 3, update, usize::MAX)?;
        }
        for order in [Order::Greedy, Order::Local, Order::Auto] {
            self.check(order, Guidance::default(), rng.bits() % 3, Update::Cover, usize::MAX)?;
        }
        Ok(())
    }
}

/// Checks the searches for the queries of a system.
fn compare(system: &System, properties: &[Property], queries: &[String], rng: &mut Rng) -> Result<Counted, String> {
    let mut all = Counted::default();
    for (property, query) in properties.iter().zip(queries) {
        if !matches!(property, Property::State { .. }) {
            continue;
        }
        let options = Options { wanted: Wanted::Shortest, ..Options::default() };
        let expected = search(system, property, &options);
        if matches!(expected.verdict, Verdict::Unknown(_)) {
            continue;
        }
        let mut case = Case { system, property, expected, counted: Counted::default() };
        case.counted.queries = 1;
        case.counted.far = u64::from(length(&case.expected).is_some_and(|length| length > 1));
        case.shortest_traces(rng).and_then(|()| case.other_orders(rng)).map_err(|why| format!("{query}\n{why}"))?;
        all.add(case.counted);
    }
    Ok(all)
}

fn report(counted: &Counted) {
    let Counted { queries, far, searches, stopped } = counted;
    println!(
        "{queries} queries, {far} of them with a trace of several transitions; {searches} searches, {stopped} stopped"
    );
    assert!(*far > 0 && searches / 10 > *stopped);
}

#[test]
fn random_networks() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let options = random::NetworkFeatures::all().some(&mut rng);
        let net = random::network(seed, &options);
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        compare(&loaded.system, &loaded.properties, &queries, &mut rng)
            .map_err(|why| format!("seed {seed}\n{text}\n{why}"))
    };
    report(&oracle::campaign(250, examine, Counted::add));
}

/// Networks with scalar sets, in which one state represents all states that differ only by a
/// permutation of scalars.
#[test]
fn random_networks_of_scalars() {
    let examine = |seed: u64| {
        let net = random::scalars(seed);
        let loaded = oracle::load(&net.text, &net.queries).unwrap();
        compare(&loaded.system, &loaded.properties, &net.queries, &mut Rng::new(seed))
            .map_err(|why| format!("seed {seed}\n{}\n{why}", net.text))
    };
    report(&oracle::campaign(20, examine, Counted::add));
}

/// Networks with synchronisation vectors, in which several processes take an event together.
#[test]
fn random_networks_of_vectors() {
    let examine = |seed: u64| {
        let net = random::vectors(seed);
        let fail = |why: String| format!("seed {seed}\n{}\n{why}", net.text);
        let loaded = oracle::load_tck(&net.text, &net.queries).map_err(|why| fail(why.to_string()))?;
        compare(&loaded.system, &loaded.properties, &net.queries, &mut Rng::new(seed)).map_err(fail)
    };
    report(&oracle::campaign(150, examine, Counted::add));
}

/// The first successor covers the state that is expanded. The state is already removed when the
/// second successor is added.
#[test]
fn a_state_may_cover_its_predecessor() {
    let text = "clock x, y;
        process P() {
            state A, B, C; init A;
            trans A -> A { assign x = 0; }, A -> B { guard y > 3 && x < 2; }, B -> C { guard x > 2 && y < 4; };
        }
        system P;";
    let queries = ["E<> P.B".to_owned(), "E<> P.C".to_owned()];
    let loaded = oracle::load(text, &queries).unwrap();
    for seed in oracle::seeds(0..20) {
        compare(&loaded.system, &loaded.properties, &queries, &mut Rng::new(seed)).unwrap();
    }
}
