//! One network: what is asked about it, and what is wrong with the answers.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use explore::search::Limits;
use model::{Formula, LoweredQuery, Property, System};
use oracle::{Loaded, random::Rng};
use smt::{Embedded, Solver};
use verify::{Answer, Proof, Reason, Verdict};

use super::{
    choice::OptionChoice,
    judge::{Judgement, OracleAnswers, judge},
    kind::{NetworkKind, NetworkText},
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
    let number = NetworkKind::draw(&mut rng);
    let source = NetworkText::new(NetworkKind::ALL[number].0, seed, &mut rng);
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
    let known = OracleAnswers::of(system, &loaded.properties);
    let mut mistakes = Vec::new();
    for (i, property) in loaded.properties.iter().enumerate() {
        let is_sound = goal(property).is_some_and(|goal| !system.may_fail(&[goal]));
        if !known[i].is_known() {
            tally.answer(number, is_sound, Judgement::NotCompared);
            continue;
        }
        for _ in 0..COMBINATIONS {
            let choice = OptionChoice::draw(&mut rng, &loaded);
            let command = || choice.command_line(system, &format!("{seed}.{}", source.suffix), &source.queries[i]);
            if verbose {
                eprintln!("{}", command());
            }
            let answered = catch_unwind(AssertUnwindSafe(|| ask(&loaded, i, &choice)));
            let judged = match answered {
                Ok(Ok((answer, _))) if rests_on_trust(system, &choice, &answer) => Ok(Judgement::NotCompared),
                Ok(answered) => answered.and_then(|(answer, proof)| {
                    let judgement = judge(system, property, &known[i], &answer)?;
                    if let Some(proof) = proof {
                        tally.certificate(certify(system, property, &answer, &proof)?);
                    }
                    Ok(judgement)
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
fn rests_on_trust(system: &System, choice: &OptionChoice, answer: &Answer) -> bool {
    choice.value("monotone") == "assume" && !system.lattices.is_empty() && answer.trace.is_none()
}

/// Has a proof checked; returns whether that is decided.
fn certify(system: &System, property: &Property, answer: &Answer, proof: &Proof) -> Result<bool, String> {
    match verify::certified::check(system, property, answer.verdict == Verdict::Satisfied, proof) {
        Ok(()) => Ok(true),
        Err(refusal) if refusal.is_undecided() => Ok(false),
        Err(refusal) => Err(format!("the certificate is refused: {}", refusal.reason)),
    }
}

/// Answers a query as it was chosen, with a proof if that was asked for and there is one.
fn ask(loaded: &Loaded, number: usize, choice: &OptionChoice) -> Result<(Answer, Option<Proof>), String> {
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
        let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
        let (answer, proof) =
            verify::answer_by_formulas(system, net, property, &options, &mut solvers, &limits, &mut |_| {});
        return Ok((answer, proof.ok().filter(|_| choice.is_on("certificate"))));
    }
    if choice.is_on("certificate") {
        let (answer, proof) = verify::answer_with_proof(system, property, &options, &limits, &mut ());
        return Ok((answer, proof.ok()));
    }
    if choice.is_on("unread")
        && let Some(goal) = goal(property)
        && !system.may_fail(&[goal])
    {
        return Ok((without_unread(system, property, goal, &options, &limits), None));
    }
    if choice.is_on("together") {
        let groups = verify::groups(base, &loaded.lowered(), &options);
        let group = groups.iter().find(|group| group.contains(&number)).ok_or("a query is in no group")?;
        let queries: Vec<&LoweredQuery> = group.iter().map(|i| &loaded.queries[*i]).collect();
        let (system, properties) = base.with_all(&queries);
        let properties: Vec<&Property> = properties.iter().collect();
        let answers = verify::answer_group(&system, &properties, &options, &limits, &mut ());
        let own = group.iter().zip(answers).find(|(i, _)| **i == number);
        return own.map(|(_, answer)| (answer, None)).ok_or("no answer".to_owned());
    }
    Ok((verify::answer(system, property, &options, &limits, &mut ()), None))
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
