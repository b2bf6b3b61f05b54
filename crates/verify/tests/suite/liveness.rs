//! Compares maximal runs and extreme values with an explicit checker that shares no code with the
//! engine, on random networks.
//!
//! The formulas of all queries of a network are used in every position. This includes those of
//! `E<>` and `A[]`, which may contain `deadlock`.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test suite liveness::` is a
//! campaign.

use explore::{
    acyclic::{Acyclic, Finding, Pause},
    bounds::ClockBounds,
    graph::{Abstraction, ZoneGraph},
    search::Limits,
};
use model::{
    Extremum, Formula, Property, Quantity, System, replay,
    system::{ClockId, ClockTerm},
};
use oracle::{
    explicit::{self, MAX_CLOCK_VALUE, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Answer, Limit, Options, Order, Range, Reason, Request, Symmetry, Threads, Update, Verdict};

/// Networks with more explicit states are skipped. Searches with more symbolic states are stopped.
const STATES: usize = 3_000;

/// The numbers of queries and of their results.
#[derive(Debug, Default)]
struct Tally {
    runs: u32,
    found: u32,
    replayed: u32,
    certified: u32,
    /// What arcs show, and what they leave open.
    shown: u32,
    open: u32,
    /// Queries that were answered with bounds that forget deadlocks.
    coarse: u32,
    values: u32,
    infinite: u32,
    unknown: u32,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.runs += other.runs;
        self.found += other.found;
        self.replayed += other.replayed;
        self.certified += other.certified;
        self.shown += other.shown;
        self.open += other.open;
        self.coarse += other.coarse;
        self.values += other.values;
        self.infinite += other.infinite;
        self.unknown += other.unknown;
    }
}

fn ask(system: &System, property: &Property) -> Answer {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    verify::answer(system, property, &Options::default(), &limits, &mut ())
}

/// What arcs between nodes that cover each other show about maximal runs that satisfy a formula:
/// that there is one, that there is none, or neither. By default they are asked first, so that
/// other searches decide only what is left.
fn shown_by_arcs(system: &System, always: &Formula, abstraction: Abstraction) -> Option<bool> {
    let bounds = ClockBounds::<i32>::of_formulas(system, &[always]);
    let abstraction = if bounds.diagonals.is_empty() { abstraction } else { Abstraction::ExtraM };
    let mut graph = ZoneGraph::new(system, bounds, abstraction);
    let mut search = Acyclic::new(always, &graph);
    let Ok(Some(zone)) = graph.start() else { return Some(false) };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    assert!(search.start(&mut graph, &system.initial, &zone, 0, false).is_none());
    match search.explore(&mut graph, usize::MAX, &limits, &mut ()) {
        Pause::Found(Finding::Ends(_, replay::Ending::Stops)) if !abstraction.keeps_deadlocks() => None,
        Pause::Found(Finding::Ends(..) | Finding::Cycle(_)) => Some(true),
        Pause::Closed if search.cycle().is_some() => Some(true),
        Pause::Closed => search.settle().open().is_empty().then_some(false),
        _ => None,
    }
}

/// Draws options that must not change an answer.
fn drawn(rng: &mut Rng) -> Options {
    let abstractions = [
        None,
        Some(Abstraction::Alu),
        Some(Abstraction::Am),
        Some(Abstraction::ExtraLuPlus),
        Some(Abstraction::ExtraLu),
        Some(Abstraction::ExtraM),
    ];
    let orders = [Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Adaptive, Order::Auto];
    Options {
        abstraction: *rng.pick(&abstractions),
        order: *rng.pick(&orders),
        update: *rng.pick(&[None, None, Some(Update::Cover), Some(Update::Simple), Some(Update::Join)]),
        symmetry: *rng.pick(&[Symmetry::On, Symmetry::Off]),
        threads: *rng.pick(&[Threads::ONE, Threads { count: 2, after: 0 }]),
        seed: rng.below(100) as u64,
        ..Options::default()
    }
}

/// Compares the answer with other options, and with a proof, which `certify` checks.
fn compare_variants(
    system: &System,
    property: &Property,
    (expected, shows): (&Verdict, bool),
    rng: &mut Rng,
    tally: &mut Tally,
) -> Result<(), String> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    for proves in [false, true] {
        let options = drawn(rng);
        let asked = [property];
        let request = Request { proves, ..Request::new(system, &asked, &options) };
        let describe = |why: String| Err(format!("{why}, with {options:?}, proves: {proves}"));
        let Some(answer) = request.answers(&limits, &mut ()).pop() else { return describe("no answer".to_owned()) };
        if let Verdict::Unknown(Reason::Limit(_)) = answer.verdict {
            tally.unknown += 1;
            continue;
        }
        if answer.verdict != *expected {
            return describe(format!("{:?}, not {expected:?}", answer.verdict));
        }
        match answer.proof {
            Some(Ok(_)) if !shows => tally.certified += 1,
            Some(Err(_)) | None if shows || !proves => {}
            proof => return describe(format!("the proof is {proof:?}")),
        }
    }
    Ok(())
}

/// Compares the answers to a query about maximal runs.
fn compare(
    system: &System,
    property: &Property,
    truth: &explicit::Report,
    rng: &mut Rng,
    tally: &mut Tally,
) -> Result<(), String> {
    if truth.fault.is_some() {
        return Ok(());
    }
    let expected = match truth.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        Truth::Unknown(_) => return Ok(()),
    };
    let answer = ask(system, property);
    if let Verdict::Unknown(Reason::Limit(_)) = answer.verdict {
        tally.unknown += 1;
        return Ok(());
    }
    tally.runs += 1;
    if answer.verdict != expected {
        return Err(format!("{:?}, not {expected:?}", answer.verdict));
    }
    let shows = matches!(property, Property::Run { exists: true, .. }) == (expected == Verdict::Satisfied);
    if let Property::Run { after: None, always: p, .. } = property {
        for abstraction in [answer.plan.abstraction, Abstraction::Am] {
            let shown = shown_by_arcs(system, p, abstraction);
            if shown.is_some_and(|shown| shown != shows) {
                return Err(format!("arcs show that a run exists: {shown:?}, with {abstraction:?}"));
            }
            tally.shown += u32::from(shown.is_some());
            tally.open += u32::from(shown.is_none());
        }
    }
    tally.coarse += u32::from(!answer.plan.abstraction.keeps_deadlocks());
    compare_variants(system, property, (&expected, shows), rng, tally)?;
    match (&answer.trace, shows) {
        (Some(trace), true) => {
            tally.found += 1;
            tally.replayed += u32::from(trace.is_replayed());
            if trace.ending.is_none() { Err("a trace without an end".to_owned()) } else { Ok(()) }
        }
        (None, false) => Ok(()),
        (trace, _) => Err(format!("{expected:?} with {trace:?}")),
    }
}

/// Whether a bound is the one that the oracle found.
fn agrees(limit: Option<Limit>, truth: explicit::ExtremeValue) -> bool {
    match (limit, truth) {
        (Some(Limit::Number { value, strict }), explicit::ExtremeValue::Number(n, open)) => {
            (value, strict) == (n.into(), open)
        }
        (Some(Limit::Number { value, strict }), explicit::ExtremeValue::Beyond) => {
            value > MAX_CLOCK_VALUE.into() || value == MAX_CLOCK_VALUE.into() && strict
        }
        (Some(Limit::Infinite), explicit::ExtremeValue::Beyond) => true,
        _ => false,
    }
}

/// Compares bounds of a quantity.
fn compare_values(system: &System, p: &Formula, quantity: Quantity, tally: &mut Tally) -> Result<(), String> {
    let options = explicit::ExplicitOptions { states: STATES, ..Default::default() };
    let Ok(truth) = explicit::values(system, p, quantity, options) else { return Ok(()) };
    for extremum in [Extremum::Sup, Extremum::Inf, Extremum::Both] {
        let property = Property::Bounds { extremum, predicate: p.clone(), quantities: vec![quantity] };
        let answer = ask(system, &property);
        let Some(values) = &answer.values else {
            // If states can't be compared, it is undecided whether a clock is bounded.
            let vague = matches!(answer.verdict, Verdict::Unknown(Reason::Growth(_)))
                && replay::Regions::new(system, &[p]).only_equal();
            if vague || matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_))) {
                tally.unknown += 1;
                return Ok(());
            }
            return Err(format!("{extremum:?} {quantity:?}: {:?}", answer.verdict));
        };
        let [Range { least, greatest }] = values[..] else { return Err("not one value".to_owned()) };
        tally.values += 1;
        tally.infinite += u32::from(greatest == Some(Limit::Infinite));
        let fine = match truth {
            None => least.is_none() && greatest.is_none(),
            Some((low, high)) => {
                (if extremum == Extremum::Sup { least.is_none() } else { agrees(least, low) })
                    && (if extremum == Extremum::Inf { greatest.is_none() } else { agrees(greatest, high) })
            }
        };
        if !fine {
            return Err(format!("{extremum:?} {quantity:?}: {least:?} {greatest:?}, not {truth:?}"));
        }
    }
    Ok(())
}

/// Draws the features of a network. Every other one has none that makes what a valuation can't do
/// matter before a run ends, so that lower and upper bounds are distinguished.
fn features(seed: u64) -> random::NetworkFeatures {
    let all = random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() };
    if seed.is_multiple_of(2) {
        return all;
    }
    let monotone = random::NetworkFeatures {
        diagonals: false,
        urgent_guards: false,
        broadcast_guards: false,
        channel_priorities: false,
        process_priorities: false,
        deadlocks: false,
        ..all
    };
    // With fewer ways to stop, more runs go on.
    let few = seed % 4 == 1;
    random::NetworkFeatures { odd_invariants: !few, committed: !few, urgent_locations: !few, ..monotone }
}

/// Compares the answers about a network.
fn examine(seed: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let net = random::network(seed, &features(seed));
    let (text, mut queries) = (net.text(), net.queries());
    let asked = queries.len();
    let plain = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let integers = plain.model.system.variables.iter().filter(|v| !v.meta);
    queries.extend(integers.map(|v| format!("sup: {0}, {0} * 2 - 1", v.name)));
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let pool: Vec<&Formula> = loaded.properties[..asked].iter().flat_map(Property::formulas).collect();
    let describe = |query: &str, why: String| format!("seed {seed}\n{text}\n{queries:?}\n{query}: {why}\n");

    let (mut names, mut properties) = (Vec::new(), Vec::new());
    for (i, &p) in pool.iter().enumerate() {
        let q = pool[(i + 1) % pool.len()];
        for (kind, property) in [
            ("E[] p", Property::potentially_always(p.clone())),
            ("A<> not p", Property::eventually(p.clone())),
            ("p --> not q", Property::leads_to(p.clone(), q.clone())),
            ("true --> not p", Property::leads_to(Formula::True, p.clone())),
            ("E<> E[] p", Property::Run { after: Some(Formula::True), always: p.clone(), exists: true }),
        ] {
            names.push(format!("{kind}, formula {i}: {p:?}, then {q:?}"));
            properties.push(property);
        }
    }
    let truths =
        explicit::check_all(system, &properties, explicit::ExplicitOptions { states: STATES, ..Default::default() });
    let mut rng = Rng::new(seed);
    for ((name, property), truth) in names.iter().zip(&properties).zip(&truths) {
        compare(system, property, truth, &mut rng, &mut tally).map_err(|why| describe(name, why))?;
    }

    let clocks = (1..system.clocks.len() as u32).map(|c| Quantity::Clock(ClockTerm::Clock(ClockId(c))));
    let integers = loaded.properties[asked..].iter().flat_map(|property| match property {
        Property::Bounds { quantities, .. } => quantities.clone(),
        _ => Vec::new(),
    });
    let quantities: Vec<Quantity> = clocks.chain(integers).collect();
    // Each quantity needs an exploration of all states, so only one is compared.
    if let Some(quantity) = quantities.get(seed as usize % quantities.len().max(1)) {
        let p = pool.get(seed as usize % pool.len().max(1)).copied().unwrap_or(&Formula::True);
        for p in [p, &Formula::True] {
            compare_values(system, p, *quantity, &mut tally).map_err(|why| describe(&format!("bounds, {p:?}"), why))?;
        }
    }
    Ok(tally)
}

#[test]
fn random_networks() {
    let tally = oracle::campaign(300, examine, Tally::add);
    println!("{tally:?}");
    let Tally { runs, found, replayed, certified, shown, open, coarse, values, infinite, .. } = tally;
    assert!(found > 0 && certified > 0 && infinite > 0 && values > infinite);
    assert!(shown > 0 && open > 0 && coarse * 4 > runs);
    // Cycles that close only after very many rounds are not made concrete.
    assert!(replayed * 100 >= found * 95, "{replayed} of {found} runs were replayed");
}
