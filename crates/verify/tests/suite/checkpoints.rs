//! Checkpoints. However often a search is saved, stopped and resumed, its answers, counts and
//! traces are those of an undisturbed one.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite checkpoints::` is a
//! campaign.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use explore::{
    search::{Counts, Limits, Observer},
    snapshot::{Journal, JournalError},
};
use model::{Property, System};
use oracle::random::Rng;
use verify::{Abstraction, Answer, Options, Order, Reason, Request, Threads, Update, Verdict, Wanted};

use crate::{
    drawn::search_options,
    kept::{Memory, Parts},
    threads::some_model,
};

/// Interrupts a search after some reports.
struct Interrupts<'i> {
    left: usize,
    flag: &'i AtomicBool,
}

impl Observer for Interrupts<'_> {
    fn progress(&mut self, _: &Counts, _: usize) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

impl verify::Observer for Interrupts<'_> {}

/// A model with queries, and how they are asked.
pub struct Case {
    pub system: System,
    pub properties: Vec<Property>,
    pub options: Options,
    /// How many queries share a search.
    pub together: usize,
}

/// Random options of a search that can be saved.
fn some_options(rng: &mut Rng) -> Options {
    let orders = [Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Adaptive];
    let mut options = search_options(rng, &orders, &[Wanted::Some, Wanted::Some, Wanted::Shortest, Wanted::Fastest]);
    if options.abstraction == Some(Abstraction::None) {
        // Such a search may have no end.
        options.abstraction = None;
    }
    (options.seed, options.wide) = (rng.bits(), rng.chance(10));
    options.joining.refines = rng.chance(70);
    options
}

/// A random model of one of several kinds, with its queries.
pub fn some_case(seed: u64, rng: &mut Rng) -> Case {
    let loaded = some_model(seed, rng);
    let options = some_options(rng);
    // Queries for best traces do not share a search, see `verify::groups`.
    let alone = rng.chance(50) || options.wanted != Wanted::Some;
    let together = if alone { 1 } else { loaded.properties.len().max(1) };
    Case { system: loaded.system, properties: loaded.properties, options, together }
}

impl Case {
    /// Answers all queries.
    fn answers(&self, journal: Option<&Journal>, stop: Option<usize>) -> Vec<Answer> {
        let flag = AtomicBool::new(false);
        let limits = Limits { states: Some(3000), journal, interrupt: Some(&flag), ..Limits::default() };
        let mut interrupts = Interrupts { left: stop.unwrap_or(usize::MAX), flag: &flag };
        let properties: Vec<&Property> = self.properties.iter().collect();
        let mut all = Vec::new();
        for (number, group) in properties.chunks(self.together).enumerate() {
            journal.iter().for_each(|journal| journal.begin_group(number));
            let request = Request::new(&self.system, group, &self.options);
            all.extend(request.answers(&limits, &mut interrupts));
            journal.iter().for_each(|journal| journal.end_group(false));
        }
        all
    }

    /// A journal that is saved with this probability at each moment.
    fn journal(&self, memory: &Memory, percent: usize, seed: u64) -> Journal {
        let mut rng = Rng::new(seed);
        let wants = Box::new(move || rng.chance(percent));
        Journal::new(memory.storage(), true, wants, model()).eager()
    }
}

pub fn model() -> Vec<(String, String)> {
    vec![("the model".to_owned(), "one".to_owned())]
}

/// What is compared of answers.
fn shown(answers: &[Answer], counts: bool) -> Vec<String> {
    let show = |answer: &Answer| {
        let Counts { explored, generated, added, stored, .. } = answer.counts;
        let steps = answer.trace.as_ref().map(|trace| &trace.steps);
        let own = format!("{:?} {:?}", answer.verdict, answer.values);
        if !counts {
            return own;
        }
        format!(
            "{own} {:?} {:?} {} {} {:?} {steps:?}",
            [explored, generated, added, stored],
            answer.phases,
            answer.refinements,
            answer.threads,
            answer.decided
        )
    };
    answers.iter().map(show).collect()
}

pub fn is_limited(answers: &[Answer]) -> bool {
    answers.iter().any(|answer| matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_))))
}

#[derive(Default)]
struct Sum {
    saved: u64,
    stopped: u64,
    resumed: u64,
}

fn add(sum: &mut Sum, own: Sum) {
    sum.saved += own.saved;
    sum.stopped += own.stopped;
    sum.resumed += own.resumed;
}

#[test]
fn resumed_searches_are_undisturbed_ones() {
    let examine = |seed: u64| -> Result<Sum, String> {
        let mut rng = Rng::new(seed);
        let case = some_case(seed, &mut rng);
        let wanted = case.answers(None, None);
        let context = |what: &str, got: &[Answer]| {
            format!("{what} {:?}\n{:#?}\n{:#?}", case.options, shown(&wanted, true), shown(got, true))
        };
        let same = |what: &str, got: &[Answer]| {
            if shown(&wanted, true) == shown(got, true) { Ok(()) } else { Err(context(what, got)) }
        };
        let mut sum = Sum::default();
        // Saving changes nothing.
        let memory = Memory::default();
        same("saved", &case.answers(Some(&case.journal(&memory, 10, seed)), None))?;
        // From any of these moments the search goes on, as if the process had been killed then.
        let saved = memory.take();
        sum.saved = saved.len() as u64;
        for _ in 0..saved.len().min(3) {
            let memory = Memory::with(rng.pick(&saved).clone());
            let journal = case.journal(&memory, rng.below(20), seed + 1);
            journal.resume().map_err(|e| e.to_string())?;
            same("resumed", &case.answers(Some(&journal), None))?;
            sum.resumed += 1;
        }
        // It is stopped and resumed, again and again, unless it has reached a limit of its own.
        if is_limited(&wanted) {
            return Ok(sum);
        }
        let memory = Memory::default();
        for round in 0..20 {
            let journal = case.journal(&memory, rng.below(5), seed + round);
            if memory.last().is_some() {
                journal.resume().map_err(|e| e.to_string())?;
            }
            let stop = (round < 19).then(|| 1 + rng.below(60));
            let got = case.answers(Some(&journal), stop);
            if !journal.is_stopped() {
                // A search that was interrupted before it had begun is not worth saving.
                if !is_limited(&got) {
                    same("stopped", &got)?;
                    break;
                }
            } else {
                sum.stopped += 1;
            }
        }
        Ok(sum)
    };
    let Sum { saved, stopped, resumed } = oracle::campaign(300, examine, add);
    println!("{saved} saved, {resumed} resumed, {stopped} stopped");
    let enough = |number: u64, least: u64| number > oracle::expected(least, 300);
    assert!(enough(saved, 1000) && enough(stopped, 300) && enough(resumed, 300));
}

#[test]
fn examples_are_resumed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut resumed = 0;
    for path in oracle::files(&folder, &["xta"]) {
        for (number, (system, property)) in oracle::queries_beside(&path).unwrap_or_default().into_iter().enumerate() {
            if matches!(property, Property::Run { .. }) {
                continue;
            }
            let mut rng = Rng::new(number as u64);
            let order = *rng.pick(&[Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Adaptive]);
            let options = Options { order, ..Options::default() };
            let case = Case { system, properties: vec![property], options, together: 1 };
            let wanted = shown(&case.answers(None, None), true);
            let memory = Memory::default();
            assert_eq!(shown(&case.answers(Some(&case.journal(&memory, 1, 3)), None), true), wanted, "{path:?}");
            let saved = memory.take();
            for parts in saved.iter().take(2).chain(saved.last()) {
                assert_eq!(shown(&resumed_by(&case, parts).unwrap(), true), wanted, "{path:?} {order:?}");
                resumed += 1;
            }
        }
    }
    println!("{resumed} resumed");
    assert!(resumed > 60, "{resumed}");
}

/// Returns the answers from a checkpoint on, or what is wrong with it.
fn resumed_by(case: &Case, parts: &Parts) -> Result<Vec<Answer>, String> {
    let memory = Memory::with(parts.clone());
    let journal = Journal::new(memory.storage(), false, Box::new(|| false), model());
    journal.resume().map_err(|e| e.to_string())?;
    let answers = case.answers(Some(&journal), None);
    journal.problem().map_or(Ok(answers), |e| Err(e.to_string()))
}

/// Some checkpoints of a search.
fn some_checkpoints(case: &Case, seed: u64) -> Vec<Parts> {
    let memory = Memory::default();
    case.answers(Some(&case.journal(&memory, 20, seed)), None);
    memory.take()
}

#[test]
fn damaged_checkpoints_are_errors() {
    let examine = |seed: u64| -> Result<u64, String> {
        let mut rng = Rng::new(seed);
        let case = some_case(seed, &mut rng);
        let saved = some_checkpoints(&case, seed);
        if saved.is_empty() {
            return Ok(0);
        }
        for _ in 0..40 {
            let mut parts = rng.pick(&saved).clone();
            let names: Vec<String> = parts.keys().cloned().collect();
            let name = rng.pick(&names).clone();
            let bytes = parts.get_mut(&name).unwrap();
            let at = rng.below(bytes.len());
            let what = rng.below(4);
            match what {
                0 => bytes[at] ^= 1 << rng.below(8),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, rng.bits() as u8),
                _ => drop(parts.remove(&name)),
            }
            if let Ok(answers) = resumed_by(&case, &parts) {
                return Err(format!("{name} {what} {at}: {:?}", shown(&answers, true)));
            }
        }
        Ok(40)
    };
    let damaged = oracle::campaign(60, examine, |sum: &mut u64, own| *sum += own);
    assert!(damaged > oracle::expected(1000, 60), "{damaged}");
}

#[test]
fn wrong_numbers_are_errors_as_well() {
    // Whoever writes checksums can write anything. It is refused, or the search ends somehow.
    let examine = |seed: u64| -> Result<[u64; 2], String> {
        let mut rng = Rng::new(seed);
        let mut case = some_case(seed, &mut rng);
        if rng.chance(40) {
            // Parents are in the stores of others, where a path may come back to where it was.
            case.options.threads = Threads { count: 2 + rng.below(2), after: 0 };
            case.options.update = Some(Update::Simple);
        }
        let saved = some_checkpoints(&case, seed);
        let mut ends = [0; 2];
        for _ in 0..if saved.is_empty() { 0 } else { 60 } {
            let mut parts = rng.pick(&saved).clone();
            let names: Vec<String> = parts.keys().cloned().collect();
            let bytes = parts.get_mut(rng.pick(&names)).unwrap();
            snapshot_with(bytes, |block| {
                for _ in 0..1 + rng.below(3) {
                    let at = rng.below(block.len());
                    block[at] = if rng.chance(50) { rng.bits() as u8 } else { block[at].wrapping_add(1) };
                }
            });
            ends[usize::from(resumed_by(&case, &parts).is_ok())] += 1;
        }
        Ok(ends)
    };
    let sum = |sum: &mut [u64; 2], own: [u64; 2]| sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    let [refused, accepted] = oracle::campaign(100, examine, sum);
    println!("{refused} refused, {accepted} accepted");
    assert!(refused > oracle::expected(1000, 100), "{refused}");
}

/// Changes the first block of a part, and its checksum.
fn snapshot_with(part: &mut [u8], change: impl FnOnce(&mut [u8])) {
    let (start, rest) = part.split_at_mut(24);
    let length = u32::from_le_bytes(start[20..].try_into().unwrap()) as usize;
    change(&mut rest[..length]);
    let sum = explore::snapshot::checksum(0, &rest[..length]);
    rest[length..length + sum.len()].copy_from_slice(&sum);
}

#[test]
fn a_full_storage_keeps_the_last_checkpoint() {
    let mut rng = Rng::new(7);
    let mut failed = 0;
    for seed in 0..30 {
        let case = some_case(seed, &mut rng);
        let wanted = case.answers(None, None);
        let full = Memory { space: Some(200), ..Memory::default() };
        let journal = case.journal(&full, 30, seed);
        assert_eq!(shown(&wanted, true), shown(&case.answers(Some(&journal), None), true));
        let kept = full.last();
        failed += usize::from(kept.is_none());
        if let Some(parts) = kept {
            assert!(parts.values().all(|bytes| bytes.len() <= 200));
            assert_eq!(shown(&wanted, true), shown(&resumed_by(&case, &parts).unwrap(), true));
        }
    }
    assert!(failed > 3, "{failed}");
}

#[test]
fn checkpoints_of_other_work_are_refused() {
    let case = some_case(1, &mut Rng::new(1));
    let saved = some_checkpoints(&case, 1).pop().unwrap();
    let refused = |identity: Vec<(String, String)>| -> Vec<(String, Option<String>, Option<String>)> {
        let journal = Journal::new(Memory::with(saved.clone()).storage(), false, Box::new(|| false), identity);
        match journal.resume() {
            Err(JournalError::Other(all)) => all.into_iter().map(|d| (d.what, d.saved, d.given)).collect(),
            other => panic!("{other:?}"),
        }
    };
    let one = || Some("one".to_owned());
    let new = || Some("two".to_owned());
    let (the_model, more) = ("the model".to_owned(), "more".to_owned());
    assert_eq!(refused(vec![]), [(the_model.clone(), one(), None)]);
    let pairs = vec![(the_model.clone(), "two".to_owned()), (more.clone(), "two".to_owned())];
    assert_eq!(refused(pairs), [(the_model, one(), new()), (more, None, new())]);
}

#[test]
fn another_search_in_the_place_of_one_is_refused() {
    let mut refused = 0;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let case = some_case(seed, &mut rng);
        let Some(parts) = some_checkpoints(&case, seed).pop() else { continue };
        assert!(resumed_by(&case, &parts).is_ok());
        // The identity does not have these, so that the plan of the search has to tell.
        let seeded = Options { seed: case.options.seed ^ 1, ..case.options.clone() };
        let order = if case.options.order == Order::Dfs { Order::Bfs } else { Order::Dfs };
        let ordered = Options { order, ..case.options.clone() };
        let other = some_case(seed + 1000, &mut Rng::new(seed + 1000));
        for options in [seeded, ordered] {
            let other = Case { options, system: case.system.clone(), properties: case.properties.clone(), ..case };
            let error = resumed_by(&other, &parts).unwrap_err();
            assert!(error.contains("is another one than the search now"), "{error}");
            refused += 1;
        }
        let error = resumed_by(&other, &parts).unwrap_err();
        assert!(error.contains("is another one than the search now"), "{error}");
    }
    assert!(refused > 10, "{refused}");
}

/// What is compared of searches in several threads: counts may depend on timing if states cover
/// others.
pub fn shown_by_threads(answers: &[Answer], options: &Options) -> Vec<String> {
    // A search for a value ends when one worker has found the best one.
    let is_exhausted = |answer: &Answer| answer.trace.is_none() && answer.values.is_none() && answer.phases.len() == 1;
    let shows_counts = |answer: &Answer| options.update == Some(Update::Simple) && is_exhausted(answer);
    let show = |answer: &Answer| {
        let Counts { explored, generated, stored, .. } = answer.counts;
        let counts = shows_counts(answer).then_some([explored, generated, stored]);
        format!("{:?} {:?} {counts:?}", answer.verdict, answer.values)
    };
    answers.iter().map(show).collect()
}

#[test]
fn searches_in_several_threads_are_resumed() {
    let examine = |seed: u64| -> Result<Sum, String> {
        let mut rng = Rng::new(seed);
        let mut case = some_case(seed, &mut rng);
        // Of queries that are counted together, some end when one worker has found the goal.
        case.together = 1;
        case.options.wanted = *rng.pick(&[Wanted::Some, Wanted::Shortest]);
        // Several workers do not judge joins.
        case.options.update = *rng.pick(&[Some(Update::Simple), Some(Update::Simple), Some(Update::Cover)]);
        case.options.threads = Threads { count: 2 + rng.below(3), after: 0 };
        let wanted = case.answers(None, None);
        let fails = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..)));
        let mut sum = Sum::default();
        if is_limited(&wanted) || wanted.iter().any(fails) {
            return Ok(sum);
        }
        let same = |what: &str, got: &[Answer]| {
            let (wanted, got) = (shown_by_threads(&wanted, &case.options), shown_by_threads(got, &case.options));
            if wanted == got { Ok(()) } else { Err(format!("{what} {:?}\n{wanted:#?}\n{got:#?}", case.options)) }
        };
        let memory = Memory::default();
        for round in 0..12 {
            let journal = case.journal(&memory, 10, seed + round);
            if memory.last().is_some() {
                journal.resume().map_err(|e| e.to_string())?;
            }
            let got = case.answers(Some(&journal), (round < 11).then(|| 1 + rng.below(40)));
            if let Some(problem) = journal.problem() {
                return Err(problem.to_string());
            }
            if journal.is_stopped() {
                sum.stopped += 1;
            } else if !is_limited(&got) {
                same("stopped", &got)?;
                sum.resumed += u64::from(round > 0);
                break;
            }
        }
        sum.saved = memory.count() as u64;
        Ok(sum)
    };
    let Sum { saved, stopped, resumed } = oracle::campaign(150, examine, add);
    println!("{saved} saved, {resumed} resumed, {stopped} stopped");
    assert!(saved > 100 && stopped > 30 && resumed > 20, "{saved} {stopped} {resumed}");
}
