//! Questions about a model.

use std::{sync::atomic::AtomicBool, time::Instant};

use explore::{cluster::Cluster, search, snapshot::Journal};
use model::{LoweredQuery, Property, System};
use verify::{Engine, Marking, Request, Target, Unproved};

use crate::{
    Answer, Blame, CheckpointError, Checkpoints, Evidence, Limits, Model, Options, OptionsError, Query, Reservation,
    StateCondition, TraceChoice, check_cluster,
    checkpoint::{check, identity},
    compile::Compiler,
    evidence::{Judged, judge},
    formulas::Formulas,
    memory,
    observe::{Event, Observer, Reporter},
    runs::RunQuery,
    user,
};

/// Asks a model.
pub struct Session<'m> {
    model: &'m mut Model,
    script: Option<String>,
    checkpoints: Option<Checkpoints>,
    is_resumable: bool,
}

/// What options mean for a model.
pub(crate) struct Setup {
    /// The system of the model with the code of options.
    pub(crate) system: System,
    pub(crate) options: verify::Options,
    formulas: Option<Formulas>,
    /// Whether traces are wanted.
    traces: bool,
    proves: bool,
    /// Why there are no proofs, though they are wanted.
    unproved: Option<Unproved>,
    /// The strategy of joining, as it was given.
    join: Option<String>,
    /// Whether the user wants several threads.
    wants_threads: bool,
}

impl<'m> Session<'m> {
    /// Creates a session. A model is asked one question at a time.
    #[must_use]
    pub fn new(model: &'m mut Model) -> Session<'m> {
        Session { model, script: None, checkpoints: None, is_resumable: false }
    }

    /// Keeps the state of the work on the next questions, see [`Checkpoints`].
    #[must_use]
    pub fn with_checkpoints(self, checkpoints: Checkpoints) -> Session<'m> {
        Session { checkpoints: Some(checkpoints), ..self }
    }

    /// Returns whether the last work was stopped, and a later session can go on with it.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.is_resumable
    }

    /// Returns the model.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.model
    }

    /// Reads and checks a query.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn query(&mut self, text: &str) -> Result<Query, crate::QueryError> {
        self.model.query(text)
    }

    /// Answers a query.
    ///
    /// # Errors
    /// The options can't be used for this model.
    pub fn ask(
        &mut self,
        query: &Query,
        options: &Options,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Result<Answer, OptionsError> {
        let mut found = None;
        self.ask_all(&[query], options, limits, &mut |event: Event<'_>| match event {
            Event::Answer { answer, .. } => found = Some(*answer),
            other => observer.event(other),
        })?;
        let stopped = || Answer::stopped(self.model.watch().stopped());
        Ok(found.unwrap_or_else(stopped))
    }

    /// Answers queries, several by one search where that is possible. The observer receives each
    /// answer as soon as it is known. The limits are those of each search.
    ///
    /// # Errors
    /// The options can't be used for this model.
    pub fn ask_all(
        &mut self,
        queries: &[&Query],
        options: &Options,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Result<(), OptionsError> {
        if options.cluster.is_some()
            && let Some(refused) = check_cluster(options, self.model, queries).into_iter().next()
        {
            return Err(refused);
        }
        let mut setup = self.setup(options)?;
        let mut about_runs = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            about_runs.extend(RunQuery::of(self.model, query, options)?.map(|query| (number, query)));
        }
        if queries.iter().any(|query| query.predicate) && std::mem::take(&mut setup.proves) {
            setup.unproved = Some(Unproved::User);
        }
        let journal = self.journal(queries, options, &setup).map_err(|e| match e {
            CheckpointError::Stopped(stop) => OptionsError::Stopped(stop),
            e => e.into(),
        })?;
        observer.event(Event::Start { model: self.model });
        let numbers: Vec<usize> = (0..queries.len()).filter(|n| queries[*n].about_states().is_some()).collect();
        let lowered: Vec<&LoweredQuery> = queries.iter().filter_map(|query| query.about_states()).collect();
        // A proof belongs to one query, and one query is a group.
        let groups = if setup.proves || setup.formulas.is_some() || lowered.len() <= 1 {
            (0..lowered.len()).map(|number| vec![number]).collect()
        } else {
            verify::groups(&setup.system, &lowered, &setup.options)
        };
        for (number, group) in groups.iter().enumerate() {
            journal.iter().for_each(|journal| journal.begin_group(number));
            let group: Vec<(usize, &LoweredQuery)> = group.iter().map(|at| (numbers[*at], lowered[*at])).collect();
            self.answer(&setup, &group, (limits, journal.as_ref()), observer);
            if let Some(journal) = &journal {
                // A proof consists of the states of its search.
                journal.end_group(setup.proves);
                if let Some(problem) = journal.problem() {
                    return Err(CheckpointError::from(problem).into());
                }
            }
        }
        for (number, query) in &about_runs {
            let answer = Box::new(self.answer_by_runs(&setup, query, (options, limits), observer));
            observer.event(Event::Answer { number: *number, answer, model: self.model });
        }
        if let Some(journal) = journal {
            self.is_resumable = journal.is_stopped();
            if let Err(why) = journal.save_results() {
                observer.event(Event::Unsaved { why: &why });
            }
        }
        self.script = setup.formulas.as_ref().and_then(Formulas::script);
        Ok(())
    }

    /// Explores all symbolic states. The answer has them as evidence. With a condition they are
    /// marked: where in each of them it holds.
    ///
    /// # Errors
    /// The options can't be used for this model.
    pub fn states(
        &mut self,
        condition: Option<&StateCondition>,
        options: &Options,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Result<Answer, OptionsError> {
        let Setup { system, options, .. } = self.setup(options)?;
        observer.event(Event::Start { model: self.model });
        let (system, formulas) = condition.map_or_else(|| (system.clone(), None), |marked| marked.formulas(&system));
        let marking = formulas.as_ref().map(|(holds, fails)| Marking { holds, fails });
        let engine = Engine::Zones(&options);
        let request = Request { system: &system, target: Target::StateSpace(marking), engine, proves: false };
        let mut found = None;
        self.run(&request, (limits, None), observer, &mut |_, answer, reporter| {
            let mut own = Answer::new(&system, &answer, Vec::new());
            own.evidence.states = answer.states;
            (own.stats.time, own.stats.time_before) = reporter.times();
            found = Some(own);
        });
        Ok(found.unwrap_or_else(|| Answer::stopped(self.model.watch().stopped())))
    }

    /// Returns the last formula that was solved as a script in SMT-LIB 2, if options asked for it.
    #[must_use]
    pub fn script(&self) -> Option<&str> {
        self.script.as_deref()
    }

    /// Begins the journal of the work, and goes back to its last checkpoint.
    fn journal(
        &mut self,
        queries: &[&Query],
        options: &Options,
        setup: &Setup,
    ) -> Result<Option<Journal>, CheckpointError> {
        let Some(checkpoints) = self.checkpoints.take() else { return Ok(None) };
        check(options, &setup.options, setup.formulas.is_some())?;
        if queries.iter().any(|query| query.about_runs().is_some()) {
            return Err(CheckpointError::Unsaved("statistical queries".to_owned(), ""));
        }
        let about_runs = |query: &&&Query| {
            let lowered = query.about_states();
            lowered.is_some_and(|lowered| matches!(setup.system.with(lowered).1, Property::Run { .. }))
        };
        if let Some(query) = queries.iter().find(about_runs) {
            let what = format!("queries about whole runs, such as `{}`", query.written.text);
            return Err(CheckpointError::Unsaved(what, ""));
        }
        if user::has_lattices(&setup.system) {
            return Err(CheckpointError::Unsaved("models with lattices of the user".to_owned(), ""));
        }
        if queries.iter().any(|query| query.predicate) {
            return Err(CheckpointError::Unsaved("goals of the user".to_owned(), ""));
        }
        let resumes = checkpoints.resumes;
        let identity = identity(&self.model.identity, queries, options, setup.options.threads.count);
        let journal = checkpoints.journal(identity, options.cluster.clone(), self.model.watch());
        let interrupt = Some(self.interrupt(options.cluster.as_ref()));
        journal.start(resumes, &search::Limits { interrupt, ..search::Limits::default() })?;
        Ok(Some(journal))
    }

    fn setup(&mut self, options: &Options) -> Result<Setup, OptionsError> {
        let Model { sources, loaded, .. } = &mut *self.model;
        // The code of options comes first, so that it has one place for all queries.
        let mut system = loaded.system.clone();
        let compiled = Compiler { sources, model: loaded, system: &mut system }.options(options)?;
        let formulas = Formulas::choose(options, loaded)?;
        let traces = options.trace != TraceChoice::None;
        let is_written = !user::has_lattices(&system);
        let (proves, join) = (options.certificate && is_written, options.join.clone());
        let unproved = (options.certificate && !is_written).then_some(Unproved::User);
        let wants_threads = options.threads.is_some_and(|count| count > 1);
        Ok(Setup { system, options: compiled, formulas, traces, proves, unproved, join, wants_threads })
    }

    /// What stops the work of this process. Process 0 of a cluster tells the others when to stop.
    pub(crate) fn interrupt<'c>(&self, cluster: Option<&'c Cluster>) -> &'c AtomicBool
    where
        'm: 'c,
    {
        match cluster.filter(|cluster| cluster.number() > 0) {
            Some(cluster) => cluster.stops(),
            None => self.model.watch().interrupted(),
        }
    }

    /// Runs a request within limits.
    pub(crate) fn run(
        &self,
        request: &Request<'_>,
        (limits, journal): (&Limits, Option<&Journal>),
        observer: &mut dyn Observer,
        known: &mut dyn FnMut(usize, verify::Answer, &Reporter<'_>),
    ) {
        let watch = self.model.watch();
        let cluster = match request.engine {
            Engine::Zones(options) => options.cluster.as_ref(),
            Engine::Formulas { .. } => None,
        };
        let end = watch.begin(limits.time, limits.memory);
        let expired = || end.is_some_and(|end| Instant::now() >= end);
        let limits = search::Limits {
            expired: Some(&expired),
            bytes: limits.memory,
            states: limits.states,
            interrupt: Some(self.interrupt(cluster)),
            journal,
            ..search::Limits::default()
        };
        cluster.iter().for_each(|cluster| cluster.set_meter(memory::measure));
        let reporter = Reporter::new(observer).with_cluster(cluster.cloned());
        // If not all begin, searches find out, and the answers are unknown.
        let _ = cluster.map(|cluster| cluster.begin(&limits));
        request.run(&limits, &mut &reporter, &mut |number, answer| known(number, answer, &reporter));
        cluster.iter().for_each(|cluster| cluster.finish());
        watch.end();
    }

    /// Answers the queries of a group.
    fn answer(
        &self,
        setup: &Setup,
        group: &[(usize, &LoweredQuery)],
        (limits, journal): (&Limits, Option<&Journal>),
        observer: &mut dyn Observer,
    ) {
        let queries: Vec<&LoweredQuery> = group.iter().map(|(_, lowered)| *lowered).collect();
        let (system, properties) = &setup.system.with_all(&queries);
        let properties: Vec<&Property> = properties.iter().collect();
        let net = self.model.loaded.tree.net.as_deref();
        let formulas = setup.formulas.as_ref().map(|formulas| (&formulas.options, || formulas.solver()));
        let engine = match &formulas {
            None => Engine::Zones(&setup.options),
            Some((options, solvers)) => Engine::Formulas { options, net, solvers },
        };
        let target = Target::Properties(&properties);
        let request = Request { system, target, engine, proves: setup.proves };
        self.run(&request, (limits, journal), observer, &mut |member, found, reporter| {
            // What was read from a damaged checkpoint is no answer.
            if journal.is_some_and(Journal::has_problem) {
                return;
            }
            let mut answer = setup.finish(system, properties[member], found);
            if let (Some(cluster), Some(resident)) = (&setup.options.cluster, &mut answer.stats.resident) {
                // What is counted is that of all processes.
                *resident = resident.saturating_add(cluster.memory_of_others().peak);
            }
            (answer.stats.time, answer.stats.time_before) = reporter.times();
            answer.stats.queries = group.len();
            let (number, answer) = (group[member].0, Box::new(answer));
            reporter.event(Event::Answer { number, answer, model: self.model });
        });
    }
}

impl Setup {
    /// Adds a word to the strategy of joining.
    fn excluding(&self, word: &str) -> String {
        match &self.join {
            Some(before) if word != "never" && before.trim() != "always" => format!("{before},{word}"),
            _ => word.to_owned(),
        }
    }

    /// Adds the evidence to what an engine has found. A trace that is not a run is not evidence.
    fn finish(&self, system: &System, property: &Property, mut found: verify::Answer) -> Answer {
        let mut notes: Vec<Reservation> = found.note(system).map(Reservation::Search).into_iter().collect();
        notes.extend(found.counts.caches_dropped.then_some(Reservation::WithoutCaches));
        let one_thread = self.formulas.is_some() || !found.may_use_threads(property);
        notes.extend((self.wants_threads && one_thread).then_some(Reservation::OneThread));
        let mut trace = None;
        if self.traces || found.blame.is_some() {
            match judge(system, property, &mut found) {
                Judged::Nothing => {}
                Judged::Trace(judged) => trace = Some(judged),
                Judged::Missing(why) => {
                    notes.push(why);
                    if let Some(Err(why)) = &mut found.proof {
                        *why = Unproved::NoTrace;
                    }
                }
            }
        }
        let mut answer = Answer::new(system, &found, notes);
        answer.stats.solver = self.formulas.as_ref().map(Formulas::solver_name);
        let blame = found.blame.map(|join| Blame { strategy: self.excluding(&join.exclusion), join: *join });
        let proof = found.proof.or(self.unproved.map(Err));
        answer.evidence = Evidence { trace, blame, proof, states: None };
        answer
    }
}
