//! One network: what is asked about it, and what is wrong with the answers.

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
    choice::Choice,
    judge::{Judgement, Known, judge},
    kind::{Kind, Source},
    tally::Tally,
};

/// Searches with more symbolic states are stopped.
const MAX_STATES: usize = 3_000;
/// Searches and heuristics that ask more often whether their time is over are stopped.
const MAX_QUESTIONS: u32 = 100;
/// The same for formulas, which ask much more often.
const MAX_QUESTIONS_OF_FORMULAS: u32 = 20_000;
/// So many combinations of options are tried for each query.
const COMBINATIONS: usize = 3;

/// Something wrong.
pub struct Mistake {
    /// The seed of the network.
    pub seed: u64,
    /// What is wrong.
    pub why: String,
    /// The network.
    pub text: String,
    /// What to type to repeat it.
    pub command: String,
    /// All that was chosen.
    pub choice: String,
}

/// Examines the network of a seed. If `verbose`, says what comes next.
#[allow(clippy::print_stderr, reason = "a network that hangs is found by the last line")]
pub fn examine(seed: u64, verbose: bool) -> (Tally, Vec<Mistake>) {
    let mut tally = Tally::default();
    // Neighbouring seeds have unrelated networks.
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6ca3);
    let number = Kind::draw(&mut rng);
    let source = Source::new(Kind::ALL[number].0, seed, &mut rng);
    if verbose {
        eprintln!("{}", source.text);
    }
    let mistake = |why: String, command: String, choice: String| Mistake {
        seed,
        why,
        text: source.text.clone(),
        command,
        choice,
    };
    let loaded = match source.load() {
        Ok(loaded) => loaded,
        Err(why) => return (tally, vec![mistake(why, String::new(), String::new())]),
    };
    let system = &loaded.system;
    tally.network(number);
    let known = Known::of(system, &loaded.properties);
    let mut mistakes = Vec::new();
    for (i, property) in loaded.properties.iter().enumerate() {
        let is_sound = goal(property).is_some_and(|goal| !system.may_fail(&[goal]));
        if !known[i].is_known() {
            tally.answer(number, is_sound, Judgement::NotCompared);
            continue;
        }
        for _ in 0..COMBINATIONS {
            let choice = Choice::draw(&mut rng, &loaded);
            let command = || choice.command_line(system, &format!("{seed}.{}", source.suffix), &source.queries[i]);
            if verbose {
                eprintln!("{}", command());
            }
            let answered = catch_unwind(AssertUnwindSafe(|| ask(&loaded, i, &choice)));
            let judged = match answered {
                Ok(Ok(answer)) if rests_on_trust(system, &choice, &answer) => Ok(Judgement::NotCompared),
                Ok(answered) => answered.and_then(|answer| {
                    match answer.proof {
                        Some(Err(Unproved::Refused)) => return Err(format!("{:?}", answer.verdict)),
                        Some(Err(Unproved::TooLarge)) => {
                            tally.certificate(false);
                            return Ok(Judgement::NotCompared);
                        }
                        Some(Ok(_)) => tally.certificate(true),
                        Some(Err(_)) | None => {}
                    }
                    judge(system, property, &known[i], &answer)
                }),
                Err(_) => Err("a panic".to_owned()),
            };
            match judged {
                Ok(judgement) => {
                    if !matches!(judgement, Judgement::NotCompared) {
                        tally.pairs.note(&choice);
                    }
                    tally.answer(number, is_sound, judgement);
                }
                Err(why) => mistakes.push(mistake(why, command(), choice.describe())),
            }
        }
    }
    tally.mistakes += mistakes.len();
    (tally, mistakes)
}

/// The goal of a query about states.
fn goal(property: &Property) -> Option<&Formula> {
    match property {
        Property::Possibly(goal) | Property::Invariantly(goal) => Some(goal),
        _ => None,
    }
}

/// Whether an answer rests on what nobody has checked, so that it may be wrong.
fn rests_on_trust(system: &System, choice: &Choice, answer: &Answer) -> bool {
    choice.value("monotone") == "assume" && !system.lattices.is_empty() && answer.trace.is_none()
}

/// Answers a query as it was chosen, with a proof if one is wanted and there is one.
fn ask(loaded: &Loaded, number: usize, choice: &Choice) -> Result<Answer, String> {
    let options = choice.options()?;
    // The code of a condition on two states is that of some query.
    let base = if options.joining.condition.is_some() { &loaded.system } else { &loaded.model.system };
    let (system, property) = &base.with(&loaded.queries[number]);
    // Joined states are few, but their zones may grow without end. Time is counted by questions, so
    // that answers can be repeated.
    let questions = Cell::new(0);
    let most = if choice.by_formulas() { MAX_QUESTIONS_OF_FORMULAS } else { MAX_QUESTIONS };
    let expired = || {
        questions.set(questions.get() + 1);
        questions.get() > most
    };
    let limits = Limits { states: Some(MAX_STATES), expired: Some(&expired), ..Limits::default() };
    if choice.by_formulas() {
        let (net, options) = (loaded.model.tree.net.as_deref(), choice.formula_options());
        let solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
        let engine = Engine::Formulas { options: &options, net, solvers: &solvers };
        let (target, proves) = (Target::Properties(&[property]), choice.is_on("certificate"));
        let mut answers = Request { system, target, engine, proves }.answers(&limits, &mut ());
        return answers.pop().ok_or("no answer".to_owned());
    }
    if choice.is_on("certificate") {
        let properties = [property];
        let request = Request { proves: true, ..Request::new(system, &properties, &options) };
        return request.answers(&limits, &mut ()).pop().ok_or("no answer".to_owned());
    }
    if choice.is_on("unread")
        && let Some(goal) = goal(property)
        && !system.may_fail(&[goal])
    {
        return Ok(without_unread(system, property, goal, &options, &limits));
    }
    if choice.is_on("together") {
        let groups = verify::groups(base, &loaded.lowered(), &options);
        let group = groups.iter().find(|group| group.contains(&number)).ok_or("a query is in no group")?;
        let queries: Vec<&LoweredQuery> = group.iter().map(|i| &loaded.queries[*i]).collect();
        let (system, properties) = base.with_all(&queries);
        let properties: Vec<&Property> = properties.iter().collect();
        let answers = Request::new(&system, &properties, &options).answers(&limits, &mut ());
        let own = group.iter().zip(answers).find(|(i, _)| **i == number);
        return own.map(|(_, answer)| answer).ok_or("no answer".to_owned());
    }
    Ok(verify::answer(system, property, &options, &limits, &mut ()))
}

/// The same, where states do not differ by variables that nothing reads.
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
