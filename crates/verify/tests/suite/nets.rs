//! Compares the zone engine, on the automata that nets are translated to, with an oracle that works
//! on the nets themselves, on random nets.
//!
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-verify --test suite nets::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::collections::BTreeSet;

use explore::search::Limits;
use model::System;
use oracle::{
    nets::{self, Marking, NetReach},
    random_nets::{NetFeatures as Kind, random_net},
};
use syntax::{
    Format, Sources, Span,
    net::{Net, Timing, pnml_text, tapaal_text, tina},
};
use verify::{Abstraction, Options, Order, Reason, Verdict};

/// Nets with more explicit states are skipped.
const STATES: usize = 8_000;

/// What was compared.
#[derive(Debug, Default)]
struct Count {
    compared: u64,
    contacts: u64,
    deadlocks: u64,
    markings: u64,
    skipped: u64,
}

fn add(sum: &mut Count, new: Count) {
    sum.compared += new.compared;
    sum.contacts += new.contacts;
    sum.deadlocks += new.deadlocks;
    sum.markings += new.markings;
    sum.skipped += new.skipped;
}

/// The tokens of all places in a row: the first variables of the model.
fn marking(net: &Net, system: &System, row: &[i32]) -> Marking {
    let tokens = system.variables[..net.places.len()].iter().map(|v| row[v.first as usize] as u32);
    tokens.collect()
}

/// The markings that the zone engine finds, or `None` after a run-time error.
fn found(net: &Net, system: &System, options: &Options) -> Result<Option<BTreeSet<Marking>>, String> {
    let answer = crate::states(system, options, &Limits::default());
    match (answer.states, answer.verdict) {
        (Some(space), _) => Ok(Some(space.states.iter().map(|s| marking(net, system, &s.row)).collect())),
        (None, Verdict::Unknown(Reason::RunTime(..))) => Ok(None),
        (None, why) => Err(format!("{why:?}")),
    }
}

fn limits() -> nets::NetLimits {
    nets::NetLimits { states: STATES, ..nets::NetLimits::default() }
}

/// Compares all answers of the oracle about a net with those of the engine.
fn compare(net: &Net, truth: &NetReach, text: &str) -> Result<(), String> {
    let loaded = oracle::load_net(text, &["E<> deadlock", "A[] not deadlock"])?;
    let system = &loaded.system;
    let read = loaded.model.tree.net.as_ref().ok_or("no net")?;
    if without_spans(read) != *net {
        return Err(format!("read back as {read:?}"));
    }
    for (order, abstraction) in [(Order::Bfs, None), (Order::Dfs, Some(Abstraction::ExtraM))] {
        let options = Options { order, abstraction, ..Options::default() };
        match found(net, system, &options)? {
            None if truth.contact => {}
            None => return Err("a run-time error without a contact".to_owned()),
            Some(_) if truth.contact => return Err("a contact is missed".to_owned()),
            Some(found) if found != truth.markings => {
                let missing: Vec<_> = truth.markings.difference(&found).take(5).collect();
                let more: Vec<_> = found.difference(&truth.markings).take(5).collect();
                return Err(format!("{order:?}: missing {missing:?}, and unreachable {more:?}"));
            }
            Some(_) => {}
        }
    }
    is_safe(net, truth, text)?;
    if truth.contact {
        return Ok(());
    }
    for (property, holds) in loaded.properties.iter().zip([truth.deadlock, !truth.deadlock]) {
        let answer = verify::answer(system, property, &Options::default(), &Limits::default(), &mut ());
        let expected = if holds { Verdict::Satisfied } else { Verdict::NotSatisfied };
        if answer.verdict != expected {
            return Err(format!("{property:?}: {:?}, not {expected:?}", answer.verdict));
        }
        if answer.trace.is_some() != truth.deadlock || answer.trace.is_some_and(|t| !t.is_replayed()) {
            return Err("the trace to a deadlock does not replay".to_owned());
        }
    }
    traces(net, truth, text)
}

/// Asks whether the net is safe. This query has an answer even if a contact stops all others.
fn is_safe(net: &Net, truth: &NetReach, text: &str) -> Result<(), String> {
    let loaded = oracle::load_net(text, &["A[] safe()"])?;
    let at_most_one = |m: &Marking| m.iter().all(|tokens| *tokens <= 1);
    let safe = !truth.contact && (net.timing == Timing::Places || truth.markings.iter().all(at_most_one));
    let answer =
        verify::answer(&loaded.system, &loaded.properties[0], &Options::default(), &Limits::default(), &mut ());
    if net.timing == Timing::Arcs && truth.contact {
        // The limit is one on several places, or 1, so the contact may come first.
        let is_right = matches!(answer.verdict, Verdict::NotSatisfied | Verdict::Unknown(Reason::RunTime(..)));
        return if is_right { Ok(()) } else { Err(format!("A[] safe(): {:?} with a contact", answer.verdict)) };
    }
    let expected = if safe { Verdict::Satisfied } else { Verdict::NotSatisfied };
    if answer.verdict != expected || answer.trace.is_some_and(|trace| !trace.is_replayed()) {
        return Err(format!("A[] safe(): {:?}, not {expected:?}", answer.verdict));
    }
    Ok(())
}

/// Asks for single markings: one that is reachable, which needs a trace, and one that is not.
fn traces(net: &Net, truth: &NetReach, text: &str) -> Result<(), String> {
    let formula = |marking: &Marking| {
        let terms = net.places.iter().zip(marking).map(|(p, tokens)| format!("{} == {tokens}", p.name));
        format!("E<> {}", terms.collect::<Vec<String>>().join(" && "))
    };
    let last = truth.markings.iter().next_back().cloned().unwrap_or_default();
    let changed = (0..last.len()).map(|p| {
        let mut other = last.clone();
        other[p] = u32::from(other[p] == 0);
        other
    });
    let absent = changed.filter(|m| !truth.markings.contains(m)).take(1);
    let asked: Vec<Marking> = std::iter::once(last.clone()).chain(absent).collect();
    let loaded = oracle::load_net(text, &asked.iter().map(formula).collect::<Vec<String>>())?;
    for (marking, property) in asked.iter().zip(&loaded.properties) {
        let answer = verify::answer(&loaded.system, property, &Options::default(), &Limits::default(), &mut ());
        let is_reachable = truth.markings.contains(marking);
        if (answer.verdict == Verdict::Satisfied) != is_reachable {
            return Err(format!("{marking:?}: {:?}", answer.verdict));
        }
        if is_reachable && answer.trace.is_none_or(|trace| !trace.is_replayed()) {
            return Err(format!("the trace to {marking:?} does not replay"));
        }
    }
    Ok(())
}

/// Checks that a net written as PNML is read back as the same net.
fn as_pnml(net: &Net) -> Result<(), String> {
    let mut sources = Sources::new();
    let file = sources.add_file("random.pnml", pnml_text(net));
    let (tree, _) = syntax::read_model(&mut sources, file, Format::NetXml);
    let read = tree.net.ok_or("no net")?;
    if without_spans(&read) != *net { Err(format!("read back from PNML as {read:?}")) } else { Ok(()) }
}

fn without_spans(net: &Net) -> Net {
    let mut net = net.clone();
    net.places.iter_mut().for_each(|p| p.span = Span::NONE);
    net.transitions.iter_mut().for_each(|t| t.span = Span::NONE);
    net
}

fn examine(seed: u64, kind: &Kind) -> Result<Count, String> {
    let net = random_net(seed, kind);
    let Some(truth) = nets::markings(&net, limits()) else {
        return Ok(Count { skipped: 1, ..Count::default() });
    };
    let has_ages = kind.timing == Timing::Arcs;
    let text = if has_ages { tapaal_text(&net) } else { tina::text(&net) };
    let other = |()| if has_ages { Ok(()) } else { as_pnml(&net) };
    compare(&net, &truth, &text).and_then(other).map_err(|why| format!("{text}\nseed {seed}: {why}"))?;
    Ok(Count {
        compared: 1,
        contacts: u64::from(truth.contact),
        deadlocks: u64::from(truth.deadlock),
        markings: truth.markings.len() as u64,
        skipped: 0,
    })
}

/// Compares answers about a net with stopwatches. Zones have too many states then, so an answer may
/// be unknown, but not wrong.
fn compare_stopped(net: &Net, truth: &NetReach, text: &str) -> Result<u64, String> {
    let formula = |marking: &Marking| {
        let terms = net.places.iter().zip(marking).map(|(p, tokens)| format!("{} == {tokens}", p.name));
        format!("E<> {}", terms.collect::<Vec<String>>().join(" && "))
    };
    let loaded = oracle::load_net::<&str>(text, &[])?;
    if without_spans(loaded.model.tree.net.as_ref().ok_or("no net")?) != *net {
        return Err("read back as another net".to_owned());
    }
    let Some(found) = found(net, &loaded.system, &Options::default())? else {
        return if truth.contact { Ok(0) } else { Ok(1) };
    };
    if truth.contact {
        return Err("a contact is missed".to_owned());
    }
    if let Some(missing) = truth.markings.difference(&found).next() {
        return Err(format!("missing {missing:?}"));
    }
    let spurious = found.difference(&truth.markings).take(3);
    let asked: Vec<Marking> = truth.markings.iter().take(6).chain(spurious).cloned().collect();
    let mut queries: Vec<(String, bool)> = asked.iter().map(|m| (formula(m), truth.markings.contains(m))).collect();
    queries.push(("E<> deadlock".to_owned(), truth.deadlock));
    let texts: Vec<&String> = queries.iter().map(|(query, _)| query).collect();
    let loaded = oracle::load_net(text, &texts)?;
    let mut unknown = 0;
    for ((query, holds), property) in queries.iter().zip(&loaded.properties) {
        let answer = verify::answer(&loaded.system, property, &Options::default(), &Limits::default(), &mut ());
        match answer.verdict {
            Verdict::Unknown(Reason::Imprecise(_)) => unknown += 1,
            Verdict::Satisfied if *holds && answer.trace.as_ref().is_some_and(verify::Trace::is_replayed) => {}
            Verdict::NotSatisfied if !holds => {}
            other => return Err(format!("{query}: {other:?}, and it is {holds}")),
        }
    }
    Ok(unknown)
}

/// Compares many nets with stopwatches. Few answers may be unknown.
fn campaign_stopped(cases: u64, kind: Kind) {
    let examine = |seed: u64| -> Result<(Count, u64), String> {
        let net = random_net(seed, &kind);
        let Some(truth) = nets::markings(&net, limits()) else {
            return Ok((Count { skipped: 1, ..Count::default() }, 0));
        };
        let text = tina::text(&net);
        let unknown = compare_stopped(&net, &truth, &text).map_err(|why| format!("{text}\nseed {seed}: {why}"))?;
        as_pnml(&net)?;
        let markings = truth.markings.len() as u64;
        let [contacts, deadlocks] = [truth.contact, truth.deadlock].map(u64::from);
        Ok((Count { compared: 1, contacts, deadlocks, markings, skipped: 0 }, unknown))
    };
    let sum = |all: &mut (Count, u64), new: (Count, u64)| {
        add(&mut all.0, new.0);
        all.1 += new.1;
    };
    let (count, unknown) = oracle::campaign(cases, examine, sum);
    println!("stopwatches: {count:?}, {unknown} answers unknown");
    assert!(count.compared > 6 * count.skipped && unknown * 10 < count.compared.max(20));
}

/// Compares many nets of one kind. Most must be small enough, otherwise the comparison is weak.
fn campaign(cases: u64, kind: Kind) {
    let count = oracle::campaign(cases, |seed| examine(seed, &kind), add);
    println!("{:?}: {count:?}", kind.timing);
    assert!(count.compared > 6 * count.skipped);
    assert!(count.deadlocks * 20 > count.compared && count.contacts * 2 < count.compared.max(20));
}

/// Nets whose reachable markings are easy to get wrong, each with the rule that it tests.
const TRAPS: &[(&str, &str)] = &[
    (
        "the token that is available first is taken, however late the other may be",
        "pl p1 [0,1] (1)\npl p2 [5,6] (1)\npl r (1)\npl q1\npl q2\ntr t1 p1 r -> q1\ntr t2 p2 r -> q2\n",
    ),
    (
        "transitions fire at one moment in any order, each as often as it can",
        "pl a [1,1] (1)\npl b\npl c\npl d (1)\ntr t3 c d -> a\ntr t2 b -> c\ntr t1 a -> b\n",
    ),
    (
        "a token on a marked place is a contact unless the transition is inhibited at that moment",
        "pl p [2,2] (1)\npl i [2,2] (1)\npl q (1)\ntr t p i?-1 -> q\n",
    ),
    (
        "a token that need not be available yet may or may not inhibit a contact",
        "pl p [2,2] (1)\npl i [1,3] (1)\npl q (1)\ntr t p i?-1 -> q\n",
    ),
    ("a token on a marked place is a contact", "pl a [1,1] (1)\npl b [0,2] (1)\ntr t a -> b\n"),
    ("a self-loop resets the age of a token", "pl a [2,2] (1)\npl g [3,3] (1)\npl x\ntr t a -> a\ntr u g a -> x\n"),
    (
        "a test arc does not reset the age of a token",
        "pl a [2,2] (1)\npl g [1,1] (1)\npl x\npl h [1,1]\ntr t g a?1 -> h\ntr u h a -> x\n",
    ),
    (
        "a net may deadlock with a token that never has to be available",
        "pl a [1,w[ (1)\npl b (1)\npl c\ntr t a c -> b\n",
    ),
    (
        "inhibitors that come and go decide whether there is a deadlock",
        "pl p [2,3] (1)\npl i [1,2] (1)\npl q\npl j [4,4] (1)\ntr t p i?-1 -> q\ntr u j i -> j\n",
    ),
    ("a token that waits at its bound inhibits", "pl p [2,2] (1)\npl i [2,2] (1)\npl q\ntr t p i?-1 -> q\n"),
    ("a token that need not be available yet may inhibit", "pl p [2,2] (1)\npl i [1,3] (1)\npl q\ntr t p i?-1 -> q\n"),
    ("a strict bound ends the interval before it", "pl p [2,2] (1)\npl i [1,2[ (1)\npl q\ntr t p i?-1 -> q\n"),
    (
        "a token is available for all transitions or for none",
        "pl p [1,1] (1)\npl i [0,5] (1)\npl a\npl b\ntr t p i?-1 -> a\ntr u i p?1 -> b\n",
    ),
    (
        "a transition that must fire goes before one that may not fire yet",
        "pl p (1)\npl a\npl b\ntr t [0,2] p -> a\ntr u [3,3] p -> b\n",
    ),
    ("at the same moment either transition may fire", "pl p (1)\npl a\npl b\ntr t [0,3] p -> a\ntr u [3,3] p -> b\n"),
    ("taking a token and putting it back resets a clock", "pl p (1)\npl a\ntr s [1,1] p -> p\ntr t [2,2] p -> a\n"),
    ("a test arc does not reset a clock", "pl p (1)\npl a\npl g (1)\ntr s [1,1] p?1 g -> g\ntr t [2,2] p -> a\n"),
    (
        "with enough tokens for both transitions, a clock is not reset",
        "pl p (3)\npl a\ntr s [1,1] p*2 a?-1 -> p*2\ntr t [2,2] p -> a\n",
    ),
    (
        "a transition that was inhibited starts with a reset clock",
        "pl p (1)\npl i (1)\npl a\npl b\ntr go [1,1] i ->\ntr t [2,2] p i?-1 -> a\ntr r [2,2] p -> b\n",
    ),
    (
        "an inhibiting token that is taken and put back resets no clock",
        "pl p (1)\npl i (1)\npl a\ntr s [1,1] i -> i\ntr t [3,3] p i?-2 -> a\n",
    ),
    (
        "a transition waits while one of higher priority could fire, and no longer",
        "pl p (1)\npl q (1)\npl a\npl b\ntr t [2,3] p -> a\ntr u [0,4] q p?1 -> b\npr t > u\n",
    ),
    (
        "a deadline holds for a transition that must wait for one of higher priority",
        "pl p (1)\npl q (1)\npl a\npl b\npl x (1)\npl y\n\
         tr t [0,w[ p -> a\ntr u [0,0] q -> b\ntr late [1,1] x p?1 -> y\npr t > u\n",
    ),
    (
        "priorities are transitive",
        "pl p (1)\npl a\npl b\npl c\ntr t p -> a\ntr u p b -> b\ntr v p -> c\npr t > u\npr u > v\n",
    ),
    (
        "one of higher priority that is too young does not matter",
        "pl p (1)\npl a\npl b\ntr t ]1,3] p -> a\ntr u [0,1] p -> b\npr t > u\n",
    ),
    (
        "places may have the names of what the translation adds",
        "pl Net (1)\npl On\npl Off\npl time\npl all\ntr Idle [1,2] Net -> On\ntr Wait [0,1] On -> Off\n",
    ),
    (
        "so may those with intervals",
        "pl Idle [1,2] (1)\npl Wait [0,1]\npl Contact1\ntr Net Idle -> Wait\ntr t Wait Contact1?-1 -> Contact1\n",
    ),
    (
        "a transition that fires at once goes before any delay",
        "pl p (2)\npl a\npl b\ntr t [0,0] p -> a\ntr u [1,1] p -> b\n",
    ),
];

#[test]
fn traps() {
    for (what, text) in TRAPS {
        let loaded = oracle::load_net::<&str>(text, &[]).unwrap();
        let mut net = without_spans(loaded.model.tree.net.as_ref().unwrap());
        net.name = "model".to_owned();
        let truth = nets::markings(&net, limits()).unwrap();
        compare(&net, &truth, &format!("net model\n{text}")).unwrap_or_else(|why| panic!("{what}\n{text}\n{why}"));
    }
}

/// Places with one token or none, and invariants.
const PLACES: &str = r#"<place id="p" name="p" initialMarking="1"/><place id="q" name="q" initialMarking="0"/>
<place id="r" name="r" initialMarking="0"/><place id="young" name="young" initialMarking="0" invariant="&lt;= 2"/>"#;

/// Transitions. One without arcs would always be enabled, so a net has only those with arcs.
const TRANSITIONS: [(&str, &str); 3] = [("t", ""), ("u", ""), ("now", r#" urgent="true""#)];

/// Nets with ages, each with the rule that it tests, a query and whether it holds.
const AGE_TRAPS: &[(&str, &str, &str, bool)] = &[
    (
        "a token that is too old is never consumed",
        r#"<inputArc source="p" target="t" inscription="[1,2]"/>"#,
        "E<> p == 1 && time > 2 && deadlock",
        true,
    ),
    (
        "no token grows older than its place allows",
        r#"<inputArc source="p" target="t" inscription="[1,1]"/><outputArc source="t" target="young" inscription="1"/>"#,
        "E<> time > 3",
        true,
    ),
    (
        "time stops if a token is as old as its place allows",
        r#"<inputArc source="p" target="t" inscription="[1,1]"/><outputArc source="t" target="young" inscription="1"/>"#,
        "E<> young == 1 && time > 3",
        false,
    ),
    (
        "a new token has age 0",
        r#"<inputArc source="p" target="t" inscription="[2,2]"/><outputArc source="t" target="q" inscription="1"/>
<inputArc source="q" target="u" inscription="[3,3]"/><outputArc source="u" target="r" inscription="1"/>"#,
        "E<> r == 1 && time < 5",
        false,
    ),
    (
        "a transport arc keeps the age",
        r#"<transportArc source="p" transition="t" target="q" inscription="[2,2]"/>
<inputArc source="q" target="u" inscription="[3,3]"/><outputArc source="u" target="r" inscription="1"/>"#,
        "E<> r == 1 && time <= 3",
        true,
    ),
    (
        "a transport arc does not move a token that is too old for its target",
        r#"<transportArc source="p" transition="t" target="young" inscription="[0,inf)"/>"#,
        "E<> young == 1 && time > 2",
        false,
    ),
    (
        "no time passes while an urgent transition is enabled",
        r#"<inputArc source="p" target="now" inscription="[0,inf)"/><outputArc source="now" target="q" inscription="1"/>"#,
        "E<> p == 1 && time > 0",
        false,
    ),
    (
        "an urgent transition that is inhibited does not stop the time",
        r#"<inputArc source="p" target="now" inscription="[0,inf)"/><inhibitorArc source="p" target="now"/>"#,
        "E<> p == 1 && time > 9",
        true,
    ),
    (
        "tokens of one place have their own ages",
        r#"<inputArc source="p" target="t" inscription="[1,1]"/><outputArc source="t" target="q" inscription="2"/>
<inputArc source="q" target="u" inscription="[1,1]"/><inputArc source="q" target="u" inscription="[2,2]"/>
<outputArc source="u" target="r" inscription="1"/>"#,
        "E<> r == 1",
        false,
    ),
    (
        "a transition may wait, and need not fire",
        r#"<inputArc source="p" target="t" inscription="[1,inf)"/><outputArc source="t" target="q" inscription="1"/>"#,
        "A<> q == 1",
        false,
    ),
];

#[test]
fn traps_with_ages() {
    for (what, arcs, query, holds) in AGE_TRAPS {
        let used = TRANSITIONS.iter().filter(|(name, _)| arcs.contains(&format!("=\"{name}\"")));
        let used: String =
            used.map(|(name, urgent)| format!("<transition id=\"{name}\" name=\"{name}\"{urgent}/>")).collect();
        let text = format!("<pnml><net id=\"model\">{PLACES}{used}{arcs}</net></pnml>");
        let loaded = oracle::load_net(&text, &[query]).unwrap_or_else(|why| panic!("{what}: {why}"));
        let answer =
            verify::answer(&loaded.system, &loaded.properties[0], &Options::default(), &Limits::default(), &mut ());
        let expected = if *holds { Verdict::Satisfied } else { Verdict::NotSatisfied };
        assert_eq!(answer.verdict, expected, "{what}: {query}");
        let net = without_spans(loaded.model.tree.net.as_ref().unwrap());
        let truth = nets::markings(&net, limits()).unwrap();
        compare(&net, &truth, &text).unwrap_or_else(|why| panic!("{what}\n{text}\n{why}"));
    }
}

#[test]
fn intervals_on_places() {
    campaign(700, Kind { inhibitors: false, strict: false, ..Kind::new(Timing::Places) });
}

#[test]
fn intervals_on_places_with_inhibitors_and_strict_bounds() {
    campaign(800, Kind::new(Timing::Places));
}

#[test]
fn intervals_on_transitions() {
    campaign(800, Kind { tokens: Some(5), ..Kind::new(Timing::Transitions) });
}

#[test]
fn priorities() {
    campaign(600, Kind { tokens: Some(5), priorities: 30, ..Kind::new(Timing::Transitions) });
}

#[test]
fn priorities_without_intervals() {
    campaign(400, Kind { tokens: Some(9), priorities: 30, ..Kind::new(Timing::Untimed) });
}

#[test]
fn hundreds_of_tokens() {
    campaign(400, Kind { tokens: Some(1300), scale: 256, ..Kind::new(Timing::Transitions) });
    campaign(300, Kind { scale: 256, safe: 100, ..Kind::new(Timing::Transitions) });
}

#[test]
fn stopwatches() {
    campaign_stopped(400, Kind { tokens: Some(4), stopwatches: 40, ..Kind::new(Timing::Transitions) });
}

#[test]
fn stopwatches_and_priorities() {
    let kind = Kind { tokens: Some(4), stopwatches: 40, priorities: 20, ..Kind::new(Timing::Transitions) };
    campaign_stopped(400, kind);
}

#[test]
fn no_intervals() {
    campaign(500, Kind { tokens: Some(9), ..Kind::new(Timing::Untimed) });
}

#[test]
fn intervals_on_arcs() {
    campaign(500, Kind { tokens: Some(5), ..Kind::new(Timing::Arcs) });
}

#[test]
fn intervals_on_arcs_with_several_tokens() {
    let small = Kind { places: 3, transitions: 4, bound: 2, safe: 0, ..Kind::new(Timing::Arcs) };
    campaign(400, Kind { tokens: Some(4), ..small });
}
