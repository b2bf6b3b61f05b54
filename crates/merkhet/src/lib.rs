//! Merkhet, a model checker for real-time systems, as a library.
//!
//! A [`Model`] is read from UPPAAL's XML, XTA or TA, from TChecker's format, or from a Petri net. A
//! [`Session`] answers queries about it. An [`Answer`] has a verdict and its evidence: a trace that
//! was replayed, or a proof that an independent checker has accepted.
//!
//! ```
//! use merkhet::{Limits, Model, Options, Session, Source};
//!
//! let text = "
//!     clock x;
//!     process Lamp() {
//!         state off, low, bright;
//!         init off;
//!         trans off -> low { assign x = 0; },
//!               low -> bright { guard x < 5; },
//!               low -> off { guard x >= 5; };
//!     }
//!     system Lamp;";
//! let mut model = Model::open(Source::text("lamp.xta", text))?;
//! let query = model.query("E<> Lamp.bright and x > 3")?;
//! let answer = Session::new(&mut model).ask(&query, &Options::default(), &Limits::default(), &mut ())?;
//! assert_eq!(answer.holds(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Evidence
//!
//! [`Options`] say which evidence is wanted. A trace has exact delays:
//!
//! ```
//! use merkhet::{Limits, Model, Options, Session, Source, TraceChoice};
//!
//! # let text = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;";
//! let mut model = Model::open(Source::text("delay.xta", text))?;
//! let query = model.query("E<> P.b")?;
//! let options = Options { trace: TraceChoice::Fastest, ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! let trace = answer.evidence.trace.ok_or("a trace")?;
//! assert_eq!(trace.steps.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An answer that no trace shows has a proof, if [`Options::certificate`] is set. It has been
//! checked when the answer is given, and [`certificate::text`] is what `merkhet certify` reads:
//!
//! ```
//! use merkhet::{Limits, Model, Options, Session, Source, certificate};
//!
//! # let text = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;";
//! let mut model = Model::open(Source::text("delay.xta", text))?;
//! let query = model.query("A[] P.b imply x > 2")?;
//! let options = Options { certificate: true, ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! let certificate = certificate::text(&model, &query, &answer).ok_or("a certificate")?;
//! assert!(certificate.starts_with("merkhet certificate"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Refinement
//!
//! With [`Update::Join`], an answer is refined: a join is undone if it alone led to the goal. A
//! [`Guide`] can say which paths are feasible, and which of their states is split. By default both
//! are found by running along the path. Neither decides a verdict: see [`Guide`].
//!
//! ```
//! use merkhet::{
//!     AbstractPath, Guide, Limits, Model, Options, Session, SharedGuide, Source, Update, user::UserError,
//! };
//!
//! /// Nothing is feasible, and the first join of a path is undone.
//! struct First;
//!
//! impl Guide for First {
//!     fn is_feasible(&mut self, _: &AbstractPath<'_>) -> Result<Option<bool>, UserError> {
//!         Ok(Some(false))
//!     }
//!
//!     fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
//!         Ok(path.states.iter().position(|state| state.is_joined))
//!     }
//! }
//!
//! let text = "
//!     extern Pool = PowerSet(2);
//!     Pool pool;
//!     process P() {
//!         state start, sent, both;
//!         init start;
//!         trans start -> sent { select i : int[0,1]; assign pool.add(i); },
//!               sent -> both { guard pool.contains(0) && pool.contains(1); };
//!     }
//!     system P;";
//! let mut model = Model::open(Source::text("pool.xta", text))?;
//! let query = model.query("E<> P.both")?;
//! let options = Options { update: Some(Update::Join), guide: Some(SharedGuide::new(First)), ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! assert_eq!((answer.holds(), answer.stats.refinements), (Some(false), 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without refinement, [`Evidence::blame`] has the join, and a strategy that excludes it.
//!
//! # Mistakes
//!
//! A model with mistakes has all of them at once, as [`Diagnostic`]s with their places:
//!
//! ```
//! use merkhet::{Model, Source};
//!
//! let error = Model::open(Source::text("wrong.xta", "process P() { state a; init b; } system Q;")).unwrap_err();
//! let errors = error.document.diagnostics.iter().filter(|d| d.is_error());
//! assert_eq!(errors.count(), 2);
//! assert!(error.to_string().starts_with("wrong.xta:1:"));
//! ```
//!
//! # Pictures
//!
//! [`pictures`] turns traces and states into sequence charts, timelines and drawings.
//!
//! # Several queries, progress and limits
//!
//! [`Session::ask_all`] answers several queries, by one search where that is possible. An observer
//! receives [`Event`]s: progress, and each answer as soon as it is known. [`Limits`] bound the work
//! on an answer; a limit that is reached makes the verdict unknown. [`Model::stopper`] stops the
//! work from another thread.
//!
//! ```
//! use merkhet::{Event, Limits, Model, Options, Session, Source};
//! # use std::time::Duration;
//!
//! # let text = "int[0,9] n; process P() { state a; init a; trans a -> a { guard n < 9; assign n++; }; } system P;";
//! let mut model = Model::open(Source::text("count.xta", text))?;
//! let queries = [model.query("E<> n == 9")?, model.query("A[] n <= 8")?];
//! let limits = Limits { time: Some(Duration::from_secs(10)), ..Limits::default() };
//! let mut answers = [None; 2];
//! let all: Vec<_> = queries.iter().collect();
//! Session::new(&mut model).ask_all(&all, &Options::default(), &limits, &mut |event: Event<'_>| {
//!     if let Event::Answer { number, answer, .. } = event {
//!         answers[number] = answer.holds();
//!     }
//! })?;
//! assert_eq!(answers, [Some(true), Some(false)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod certificate;
mod checkpoint;
mod cluster;
mod compile;
mod condition;
mod constants;
mod error;
mod evidence;
mod formulas;
pub mod labels;
mod limits;
pub mod memory;
mod model;
mod observe;
mod options;
pub mod pictures;
pub mod reading;
mod runs;
mod session;
pub mod settings;
pub mod simulation;
pub mod source;
pub mod user;
mod watch;
mod workers;

pub use ::model::Stop;
pub use answer::{Answer, Blame, Evidence, Reservation, Stats};
pub use checkpoint::{CheckpointError, Checkpoints, FolderError, FolderStorage};
pub use cluster::check_cluster;
pub use compile::read_join;
pub use condition::{ConditionError, StateCondition, condition, plain};
pub use error::{OptionsError, SolverError};
pub use evidence::{Flaw, Shown, WhyFlawed, check_run, check_transitions};
pub use explore::{
    cluster::{Cluster, Ending},
    search::{Counts, WorkerLoad},
    snapshot::{Part, Storage, Unopened},
    tally::Phase,
};
pub use formulas::solver;
pub use limits::{Limits, Stopper};
pub use model::{Content, Document, Model, ModelError, Query, QueryCode, QueryError, is_query};
pub use observe::{Event, Observer, Reporter};
pub use options::*;
pub use runs::{Certainty, NoClaim, PathClaim, path_claim};
pub use session::Session;
pub use source::Source;
pub use statistical::{Measured, Samples, Share, Splitting};
pub use syntax::{Diagnostic, Format};
pub use verify::{
    AbstractPath, BlamedJoin, Guide, Note, PathState, Proof, Range, Reason, SharedGuide, Trace, Unproved, Verdict,
};
pub use watch::{LastResort, Watch};
pub use workers::{Imbalance, WorkerProgress, Workers};
