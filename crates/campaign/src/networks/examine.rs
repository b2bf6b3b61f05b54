//! Examines one network: answers its queries and compares the answers.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use explore::search::Limits;
use model::{Formula, LoweredQuery, Property, System};
use oracle::{Loaded, random::Rng};
use smt::{Embedded, Solver};
use verify::{Answer, Engine, Reason, Request, Target, Unproved, Verdict};

use super::{
    choice::OptionChoice,
    judge::{ExpectedAnswer, Judgement, judge},
    kind::{NetworkKind, NetworkText},
    tally::Tally,
    wrong::WrongAnswer,
};

/// The greatest number of symbolic states of a search.
const MAX_STATES: usize = 3_000;
/// The greatest number of checks of the time limit, for searches and heuristics.
const MAX_CHECKS: u32 = 100;
/// The same for formulas, which check the limit much more often.
const MAX_FORMULA_CHECKS: u32 = 20_000;
/// The number of combinations of options for each query.
const COMBINATIONS: usize = 3;

/// A wrong answer with all that is needed to repeat it.
pub struct Mistake {
    /// The seed of the network.
    pub seed: u64,
    /// The error.
    pub why: String,
    /// The network.
    pub text: String,
    /// The command line that repeats it.
    pub command: String,
    /// All chosen options.
    pub choice: String,
}

/// Examines the network of a seed. If `verbose`, prints each step before it is taken.
#[allow(clippy::print_stderr, reason = "a network that hangs is found by the last line")]
pub fn examine(seed: u64, verbose: bool) -> (Tally, Vec<Mistake>) {
    let mut tally = Tally::default();
    // Neighbouring seeds have unrelated networks.
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6ca3);
    let kind = NetworkKind::draw(&mut rng);
    let source = NetworkText::new(NetworkKind::ALL[kind].0, seed, &mut rng);
    if verbose {
        eprintln!("{}", source.text);
    }
    let mistake = |why: &WrongAnswer, command: String, choice: String| Mistake {
        seed,
        why: why.to_string(),
        text: source.text.clone(),
        command,
        choice,
    };
    let loaded = match source.load() {
        Ok(loaded) => loaded,
        Err(why) => return (tally, vec![mistake(&why.into(), String::new(), String::new())]),
    };
    let system = &loaded.system;
    tally.network(kind);
    let expected = ExpectedAnswer::of(system, &loaded.properties);
    let mut mistakes = Vec::new();
    for (i, property) in loaded.properties.iter().enumerate() {
        let is_sound = goal(property).is_some_and(|goal| !system.may_fail(&[goal]));
        if !expected[i].is_known() {
            tally.answer(kind, is_sound, Judgement::NotCompared);
            continue;
        }
        for _ in 0..COMBINATIONS {
            let choice = OptionChoice::draw(&mut rng, &loaded);
            let command = || choice.command_line(system, &format!("{seed}.{}", source.suffix), &source.queries[i]);
            if verbose {
                eprintln!("{}", command());
            }
            match answer_and_judge(&loaded, i, &choice, &expected[i], &mut tally) {
                Ok(judgement) => {
                    if !matches!(judgement, Judgement::NotCompared) {
                        tally.pairs.note(&choice);
                    }
                    tally.answer(kind, is_sound, judgement);
                }
                Err(why) => mistakes.push(mistake(&why, command(), choice.describe())),
            }
        }
    }
    tally.mistakes += mistakes.len();
    (tally, mistakes)
}

/// Answers a query and compares the answer with that of the oracle. Counts checked certificates.
fn answer_and_judge(
    loaded: &Loaded,
    number: usize,
    choice: &OptionChoice,
    expected: &ExpectedAnswer,
    tally: &mut Tally,
) -> Result<Judgement, WrongAnswer> {
    let (system, property) = (&loaded.system, &loaded.properties[number]);
    let answered = catch_unwind(AssertUnwindSafe(|| ask(loaded, number, choice)));
    let answer = answered.unwrap_or(Err(WrongAnswer::Panic))?;
    if rests_on_trust(system, choice, &answer) {
        return Ok(Judgement::NotCompared);
    }
    match answer.proof {
        Some(Err(Unproved::Refused)) => return Err(WrongAnswer::Certificate(format!("{:?}", answer.verdict))),
        Some(Err(Unproved::TooLarge)) => {
            tally.certificate(false);
            return Ok(Judgement::NotCompared);
        }
        Some(Ok(_)) => tally.certificate(true),
        Some(Err(_)) | None => {}
    }
    judge(system, property, expected, &answer)
}

/// Returns the goal of a query about states.
fn goal(property: &Property) -> Option<&Formula> {
    match property {
        Property::State { goal, .. } => Some(goal),
        _ => None,
    }
}

/// Returns whether an answer depends on an unchecked assumption, so that it may be wrong.
fn rests_on_trust(system: &System, choice: &OptionChoice, answer: &Answer) -> bool {
    choice.value("monotone") == "assume" && !system.lattices.is_empty() && answer.trace.is_none()
}

/// Answers a query as it was chosen, with a proof if one is wanted and there is one.
fn ask(loaded: &Loaded, number: usize, choice: &OptionChoice) -> Result<Answer, WrongAnswer> {
    let options = choice.options()?;
    // The code of a condition on two states is that of some query.
    let base = if options.joining.condition.is_some() { &loaded.system } else { &loaded.model.system };
    let (system, property) = &base.with(&loaded.queries[number]);
    // Joined states are few, but their zones may grow without bound. Time is measured by checks of
    // the limit, so that answers can be repeated.
    let checks = Cell::new(0);
    let max = if choice.by_formulas() { MAX_FORMULA_CHECKS } else { MAX_CHECKS };
    let expired = || {
        checks.set(checks.get() + 1);
        checks.get() > max
    };
    let limits = Limits { states: Some(MAX_STATES), expired: Some(&expired), ..Limits::default() };
    if choice.by_formulas() {
        let (net, options) = (loaded.model.tree.net.as_deref(), choice.formula_options());
        let solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
        let engine = Engine::Formulas { options: &options, net, solvers: &solvers };
        let (target, proves) = (Target::Properties(&[property]), choice.is_on("certificate"));
        let mut answers = Request { system, target, engine, proves }.answers(&limits, &mut ());
        return answers.pop().ok_or(WrongAnswer::NoAnswer);
    }
    if choice.is_on("certificate") {
        let properties = [property];
        let request = Request { proves: true, ..Request::new(system, &properties, &options) };
        return request.answers(&limits, &mut ()).pop().ok_or(WrongAnswer::NoAnswer);
    }
    if choice.is_on("unread")
        && let Some(goal) = goal(property)
        && !system.may_fail(&[goal])
    {
        return Ok(without_unread(system, property, goal, &options, &limits));
    }
    if choice.is_on("together") {
        let groups = verify::groups(base, &loaded.lowered(), &options);
        let group = groups.iter().find(|group| group.contains(&number)).ok_or(WrongAnswer::NoGroup)?;
        let queries: Vec<&LoweredQuery> = group.iter().map(|i| &loaded.queries[*i]).collect();
        let (system, properties) = base.with_all(&queries);
        let properties: Vec<&Property> = properties.iter().collect();
        let answers = Request::new(&system, &properties, &options).answers(&limits, &mut ());
        let own = group.iter().zip(answers).find(|(i, _)| **i == number);
        return own.map(|(_, answer)| answer).ok_or(WrongAnswer::NoAnswer);
    }
    Ok(verify::answer(system, property, &options, &limits, &mut ()))
}

/// Answers a query without distinguishing states by variables that nothing reads.
fn without_unread(
    system: &System,
    property: &Property,
    goal: &Formula,
    options: &verify::Options,
    limits: &Limits<'_>,
) -> Answer {
    let mut system = system.clone();
    system.unread = system.find_unread(&[goal]);
    let mut answer = verify::answer(&system, property, options, limits, &mut ());
    // The counters of a state are those of one path to it.
    if answer.trace.as_ref().is_some_and(|trace| !trace.is_replayed()) {
        answer.verdict = Verdict::Unknown(Reason::Imprecise("variables that nothing reads"));
    }
    answer
}
