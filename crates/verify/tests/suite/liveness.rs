//! Compares maximal runs and extreme values with an explicit checker that shares no code with the
//! engine, on random networks.
//!
//! The formulas of all queries of a network are used in every position. This includes those of
//! `E<>` and `A[]`, which may contain `deadlock`.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test suite liveness::` is a
//! campaign.

use explore::{
    acyclic::{Acyclic, AcyclicProof},
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
    random,
};
use verify::{Answer, Limit, Options, Range, Reason, Verdict};

/// Networks with more explicit states are skipped. Searches with more symbolic states are stopped.
const STATES: usize = 3_000;

/// The numbers of queries and of their results.
#[derive(Default)]
struct Tally {
    runs: u32,
    found: u32,
    replayed: u32,
    proved: u32,
    values: u32,
    infinite: u32,
    unknown: u32,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.runs += other.runs;
        self.found += other.found;
        self.replayed += other.replayed;
        self.proved += other.proved;
        self.values += other.values;
        self.infinite += other.infinite;
        self.unknown += other.unknown;
    }
}

fn ask(system: &System, property: &Property) -> Answer {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    verify::answer(system, property, &Options::default(), &limits, &mut ())
}

/// Whether breadth-first search proves that no maximal run satisfies a formula. By default only
/// large searches try this proof.
fn is_proved(system: &System, always: &Formula) -> bool {
    let bounds = ClockBounds::<i32>::of_formulas(system, &[always]);
    let abstraction = if bounds.diagonals.is_empty() { Abstraction::Am } else { Abstraction::ExtraM };
    let mut graph = ZoneGraph::new(system, bounds, abstraction);
    let mut proof = Acyclic::new(always, system);
    let Ok(Some(zone)) = graph.start() else { return true };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    proof.start(&mut graph, &system.initial, &zone).is_ok()
        && proof.prove(&mut graph, &limits, &mut ()).is_ok_and(|outcome| outcome == AcyclicProof::Done)
}

/// Compares the answers to a query about maximal runs.
fn compare(system: &System, property: &Property, truth: &explicit::Report, tally: &mut Tally) -> Result<(), String> {
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
    if let Property::Run { after: None, always: p, .. } = property
        && is_proved(system, p)
    {
        if shows {
            return Err("a proof that no run exists, though one does".to_owned());
        }
        tally.proved += 1;
    }
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

/// Compares the answers about a network.
fn examine(seed: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let options = random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() };
    let net = random::network(seed, &options);
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
    for ((name, property), truth) in names.iter().zip(&properties).zip(&truths) {
        compare(system, property, truth, &mut tally).map_err(|why| describe(name, why))?;
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
    let Tally { runs, found, replayed, proved, values, infinite, unknown } = oracle::campaign(600, examine, Tally::add);
    println!(
        "{runs} queries about runs, {found} found, {replayed} replayed, {proved} proved absent; {values} values, \
         {infinite} infinite; {unknown} unknown"
    );
    assert!(found > 0 && proved > 0 && infinite > 0 && values > infinite);
    // Cycles that close only after very many rounds are not made concrete.
    assert!(replayed * 100 >= found * 95, "{replayed} of {found} runs were replayed");
}
