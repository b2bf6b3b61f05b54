//! Searches that run beside the page, and the answers that they gave.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use merkhet::{
    Event, Limits, Model, Options, Proof, Query, Session, Stopper, Trace, certificate::CertificateWriter,
    settings::Settings,
};
use serde::Serialize;
use show::{
    answer::{NamedAnswer, named},
    json::{
        progress::{FormulaProgress, ProgressLine, SearchProgress},
        replay::TracedQuery,
        verify::{QueryResult, Verdict},
    },
};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    document::problem::Problem,
    error::Refused,
    session::{StudioSession, lock},
};

/// The answers that a session keeps; older ones are forgotten.
const MAX_ANSWERS: usize = 200;
/// The most queries of one search.
const MAX_QUERIES: usize = 1000;
/// The time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(200);

/// The searches of a session.
#[derive(Default)]
pub struct Searches {
    running: Mutex<HashMap<u32, Stopper>>,
    answers: Mutex<BTreeMap<u32, Arc<KeptAnswer>>>,
    last: AtomicU32,
}

/// An answer with its evidence.
pub struct KeptAnswer {
    /// The number of the answer.
    pub id: u32,
    /// The number of the query in the list of the document, if it is from there.
    pub number: Option<usize>,
    /// The revision of the document that was asked.
    pub revision: u64,
    /// The model that was asked.
    pub model: Arc<Model>,
    /// The answer with names. Its trace is in [`KeptAnswer::traced`].
    pub result: QueryResult,
    /// What is wrong with the query, or with the model at run time.
    pub problems: Vec<Problem>,
    /// The trace, as the engines have it.
    pub trace: Option<Trace>,
    /// The trace, as `merkhet replay` reads it.
    pub traced: Option<TracedQuery>,
    /// The proof.
    pub proof: Option<Arc<Proof>>,
}

/// What a page is told about an answer.
#[derive(Serialize)]
pub struct AnswerNews<'a> {
    /// The number of the search.
    pub search: u32,
    /// The number of the answer.
    pub id: u32,
    /// The number of the query in the list of the document.
    pub number: Option<usize>,
    /// The revision of the document that was asked.
    pub revision: u64,
    /// The answer.
    pub result: &'a QueryResult,
    /// What is wrong with the query, or with the model at run time.
    pub problems: &'a [Problem],
    /// The number of steps of its trace.
    pub trace: Option<usize>,
    /// Whether the trace is a run of the model.
    pub spurious: bool,
    /// Whether it has a proof.
    pub proof: bool,
}

/// Progress of a search.
#[derive(Serialize)]
struct ProgressNews {
    search: u32,
    seconds: f64,
    resident_bytes: Option<usize>,
    /// The states, if states are explored.
    states: Option<SearchProgress>,
    /// The formula, if a solver is asked.
    formula: Option<FormulaProgress>,
}

/// The end of a search.
#[derive(Serialize)]
struct EndNews {
    search: u32,
    /// Why nothing was searched.
    error: Option<String>,
}

/// A query that is asked.
pub struct AskedQuery {
    /// Its number in the list of the document.
    pub number: Option<usize>,
    /// Its text.
    pub text: String,
}

impl KeptAnswer {
    /// Describes the answer for a page.
    pub fn news(&self, search: u32) -> AnswerNews<'_> {
        AnswerNews {
            search,
            id: self.id,
            number: self.number,
            revision: self.revision,
            result: &self.result,
            problems: &self.problems,
            trace: self.traced.as_ref().map(|traced| traced.trace.length),
            spurious: self.traced.as_ref().is_some_and(|traced| traced.trace.spurious),
            proof: self.proof.is_some(),
        }
    }

    /// Returns the proof as `merkhet certify` reads it.
    ///
    /// # Errors
    /// There is none.
    pub fn certificate(&self) -> Result<Vec<u8>, Refused> {
        let proof = self.proof.as_ref().ok_or_else(|| Refused::missing("this answer has no proof"))?;
        let satisfied = self.result.answer == Some(Verdict::Satisfied);
        let system = &self.model.loaded.system;
        let write = || -> std::io::Result<Vec<u8>> {
            let mut writer = CertificateWriter::new(Vec::new())?;
            merkhet::certificate::write(&mut writer, system, &self.result.query, satisfied, proof)?;
            writer.finish()
        };
        write().map_err(|e| Refused::wrong(e.to_string()))
    }
}

impl Searches {
    /// Stops a search.
    ///
    /// # Errors
    /// It does not run.
    pub fn stop(&self, search: u32) -> Result<(), Refused> {
        let running = lock(&self.running);
        let stopper = running.get(&search).ok_or_else(|| Refused::missing("this search has ended already"))?;
        stopper.stop();
        Ok(())
    }

    /// Stops all searches.
    pub fn stop_all(&self) {
        lock(&self.running).values().for_each(|stopper| stopper.stop());
    }

    /// Returns the numbers of the searches that run.
    pub fn running(&self) -> Vec<u32> {
        let mut all: Vec<u32> = lock(&self.running).keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Returns an answer.
    ///
    /// # Errors
    /// It is not known, or not any more.
    pub fn answer(&self, id: u32) -> Result<Arc<KeptAnswer>, Refused> {
        lock(&self.answers).get(&id).cloned().ok_or_else(|| Refused::missing("this answer is not known any more"))
    }

    /// Returns all answers, the oldest first.
    pub fn answers(&self) -> Vec<Arc<KeptAnswer>> {
        lock(&self.answers).values().cloned().collect()
    }

    fn keep(&self, answer: KeptAnswer) -> Arc<KeptAnswer> {
        let answer = Arc::new(answer);
        let mut answers = lock(&self.answers);
        answers.insert(answer.id, Arc::clone(&answer));
        while answers.len() > MAX_ANSWERS {
            answers.pop_first();
        }
        answer
    }

    fn next(&self) -> u32 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Work that is about to begin.
struct Search {
    id: u32,
    revision: u64,
    session: Arc<StudioSession>,
    /// The model that is shown, and its own copy.
    shown: Arc<Model>,
    model: Model,
    asked: Vec<(Option<usize>, Query)>,
    settings: Settings,
}

/// Starts a search for the answers to queries. The permit is held until it ends.
///
/// # Errors
/// There is nothing to ask, or a query is wrong.
pub fn start(
    session: &Arc<StudioSession>,
    (shown, revision): (Arc<Model>, u64),
    queries: Vec<AskedQuery>,
    settings: Settings,
    permit: OwnedSemaphorePermit,
) -> Result<u32, Refused> {
    if queries.iter().all(|query| query.text.trim().is_empty()) {
        return Err(Refused::wrong("there is no query to answer"));
    }
    if queries.len() > MAX_QUERIES {
        return Err(Refused::wrong(format!("no more than {MAX_QUERIES} queries can be asked at a time")));
    }
    let mut model = shown.fork();
    let mut asked = Vec::new();
    for AskedQuery { number, text } in queries {
        let query = model.query(&text).map_err(|e| Refused::wrong(format!("`{text}`: {e}")))?;
        asked.push((number, query));
    }
    let id = session.searches.next();
    lock(&session.searches.running).insert(id, model.stopper());
    let search = Search { id, revision, session: Arc::clone(session), shown, model, asked, settings };
    let thread = thread::Builder::new().name(format!("search {id}")).spawn(move || {
        search.run();
        drop(permit);
    });
    if let Err(e) = thread {
        lock(&session.searches.running).remove(&id);
        return Err(Refused::busy(format!("the system starts no thread: {e}")));
    }
    Ok(id)
}

impl Search {
    fn run(mut self) {
        let Search { id, revision, session, shown, model, asked, settings } = &mut self;
        let (id, revision) = (*id, *revision);
        let (options, limits): (&Options, &Limits) = (&settings.options, &settings.limits);
        let queries: Vec<&Query> = asked.iter().map(|(_, query)| query).collect();
        let mut last: Option<Instant> = None;
        let mut report = |line: ProgressLine| {
            if last.is_none_or(|last| last.elapsed() >= INTERVAL) {
                let ProgressLine { seconds, resident_bytes, search: states, formula, .. } = line;
                session.events.send("progress", &ProgressNews { search: id, seconds, resident_bytes, states, formula });
                last = Some(Instant::now());
            }
        };
        let outcome = Session::new(model).ask_all(&queries, options, limits, &mut |event: Event<'_>| match event {
            Event::Progress { phase, counts, waiting, workers, time } => {
                report(ProgressLine::of_search(phase, &counts, waiting, workers, time));
            }
            Event::Formula { stats, time } => report(ProgressLine::of_formula(stats, time)),
            Event::Answer { number, answer, model } => {
                let (listed, query) = &asked[number];
                let trace = answer.evidence.trace.clone();
                let NamedAnswer { mut result, proof, diagnostics } =
                    named(model, ("<query>", &query.written), options, *answer);
                let (proof, unproved) = match proof {
                    Some(Ok(proof)) => (Some(proof), None),
                    Some(Err(why)) => (None, Some(why.to_string())),
                    None => (None, None),
                };
                if let Some(why) = unproved {
                    let note = format!("no proof: {why}");
                    result.note = Some(result.note.map_or(note.clone(), |before| format!("{before}; {note}")));
                }
                let traced = result.trace.take().zip(result.answer).map(|(trace, answer)| TracedQuery {
                    query: result.query.clone(),
                    answer,
                    reason: result.reason.clone(),
                    trace,
                });
                let problems = Problem::list(&model.sources, &diagnostics, None);
                let kept = session.searches.keep(KeptAnswer {
                    id: session.searches.next(),
                    number: *listed,
                    revision,
                    model: Arc::clone(shown),
                    result,
                    problems,
                    trace,
                    traced,
                    proof,
                });
                session.events.send("answer", &kept.news(id));
            }
            Event::Start { .. } | Event::Unsaved { .. } => {}
        });
        // The watch of the model is used again for others, so that nobody may stop it any more.
        lock(&session.searches.running).remove(&id);
        let error = outcome.err().map(|why| why.to_string());
        session.events.send("done", &EndNews { search: id, error });
    }
}
