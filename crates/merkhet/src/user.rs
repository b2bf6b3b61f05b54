//! Lattices and functions of the user.
//!
//! Everything that decides how states are covered, joined and ordered can be given as a function:
//!
//! - A [`UserClass`] is a class of lattices, which a model finds by `extern Name;` if it was
//!   registered with [`Source::with_lattice`](crate::Source::with_lattice).
//! - [`Functions`], in [`Options::functions`](crate::Options::functions), are a strategy of
//!   joining, a heuristic, and an order.
//! - A [`UserGoal`] is a predicate on states; [`Model::goal`](crate::Model::goal) makes a query of
//!   it.
//! - A [`Guide`](crate::Guide) says which abstract paths are feasible, and which join is undone.
//!
//! All of them may be called by several threads at once. A function that fails ends the work: the
//! verdict is unknown, and [`Reason::User`](crate::Reason::User) has its [`UserError`]. If traces
//! are wanted, the answer has the run that led there. A panic is such a failure, too.
//!
//! Apart from goals, and heuristics that are said to be safe, no verdict depends on what functions
//! return. A lattice has to be one: [`check_laws`] finds violations among the elements that a
//! search meets.
//!
//! # A lattice
//!
//! Elements are anything that is `Send` and `Sync`. Engines give them numbers, so that equal
//! elements have equal numbers, and keep all results: each question is asked once. Methods that
//! stand alone, as an update or a statement, may change the element, which is a copy then.
//! Elsewhere they must not.
//!
//! ```
//! use std::{collections::BTreeSet, sync::Arc};
//!
//! use merkhet::{
//!     Limits, Model, Options, Session, Source, Update,
//!     user::{
//!         Access, ClassArguments, Element, Interface, Trend, UserClass, UserError, UserLattice, UserMethod,
//!     },
//! };
//!
//! /// The messages that were sent. More messages allow more.
//! struct Pool;
//!
//! fn set(element: &Element) -> Result<&BTreeSet<i32>, UserError> {
//!     element.downcast_ref().ok_or_else(|| UserError::new("no set"))
//! }
//!
//! impl UserClass for Pool {
//!     fn name(&self) -> &str {
//!         "Pool"
//!     }
//!
//!     fn interface(&self) -> Interface {
//!         let add = UserMethod { monotone: true, ..UserMethod::new("add", 1) };
//!         let has = UserMethod { trend: Trend::Rises, ..UserMethod::new("has", 1) };
//!         Interface { methods: vec![add, has], ..Interface::default() }
//!     }
//!
//!     fn make(&self, _: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
//!         Ok(Arc::new(Pool))
//!     }
//! }
//!
//! impl UserLattice for Pool {
//!     fn initial(&self) -> Result<Element, UserError> {
//!         Ok(Arc::new(BTreeSet::<i32>::new()))
//!     }
//!
//!     fn copy(&self, element: &Element) -> Result<Element, UserError> {
//!         Ok(Arc::new(set(element)?.clone()))
//!     }
//!
//!     fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
//!         Ok(Arc::new(set(a)? | set(b)?))
//!     }
//!
//!     fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
//!         Ok(set(a)? == set(b)?)
//!     }
//!
//!     fn call(
//!         &self,
//!         method: usize,
//!         this: &mut Element,
//!         arguments: &[i32],
//!         _: Access,
//!     ) -> Result<Option<i64>, UserError> {
//!         if method == 1 {
//!             return Ok(Some(set(this)?.contains(&arguments[0]).into()));
//!         }
//!         let mut changed = set(this)?.clone();
//!         changed.insert(arguments[0]);
//!         *this = Arc::new(changed);
//!         Ok(None)
//!     }
//!
//!     fn show(&self, element: &Element) -> Result<String, UserError> {
//!         Ok(format!("{:?}", set(element)?))
//!     }
//! }
//!
//! let text = "
//!     extern Pool;
//!     Pool pool;
//!     process P() {
//!         state start, sent, both;
//!         init start;
//!         trans start -> sent { select i : int[0,1]; assign pool.add(i); },
//!               sent -> both { guard pool.has(0) && pool.has(1); };
//!     }
//!     system P;";
//! let mut model = Model::open(Source::text("pool.xta", text).with_lattice(Arc::new(Pool)))?;
//! let query = model.query("E<> P.both")?;
//! let options = Options { update: Some(Update::Join), ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! assert_eq!((answer.holds(), answer.stats.refinements), (Some(false), 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A strategy of joining
//!
//! Functions see states as [`StateView`]s. This one joins states unless both messages would be
//! there, so that no join has to be undone:
//!
//! ```
//! use merkhet::{
//!     Limits, Model, Options, Session, Source,
//!     user::{Functions, StateValue, UserJoin},
//! };
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
//! let join = UserJoin::new(|_stored, _new, joined| {
//!     Ok(!matches!(joined.get("pool")?, Some(StateValue::Lattice(_, text)) if text == "{0, 1}"))
//! });
//! let options = Options { functions: Functions { join: Some(join), ..Functions::default() }, ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! assert_eq!((answer.holds(), answer.stats.refinements), (Some(false), 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use model::{LoweredQuery, System, code::Predicate};

use crate::{Options, OptionsError};

pub use explore::user::{
    Constraint, KeptState, OpenStates, StateValue, StateView, UserHeuristic, UserJoin, UserOrder, VariablePlace,
};
pub use lattice::{
    Resolver, ReturnType, Trend,
    user::{
        Access, ClassArguments, Element, ElementConstraint, Interface, Protection, UserClass, UserError, UserFailure,
        UserLattice, UserMethod,
    },
};
pub use verify::{CheckedLattice, Laws, check_laws};

/// Functions of the user that guide a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// Decides which states are joined. States are joined if it is there.
    pub join: Option<UserJoin>,
    /// Estimates the distance to the goal, besides the heuristics that options name.
    pub heuristic: Option<UserHeuristic>,
    /// The order in which states are explored.
    pub order: Option<UserOrder>,
}

impl Functions {
    /// Returns what messages call the first of them.
    pub(crate) fn first(&self) -> Option<&'static str> {
        let named = [
            (self.join.is_some(), "join strategies of the user"),
            (self.heuristic.is_some(), "heuristics of the user"),
            (self.order.is_some(), "orders of the user"),
        ];
        named.into_iter().find(|(is_there, _)| *is_there).map(|(_, name)| name)
    }

    /// Returns the order that the one of the user replaces.
    pub(crate) fn check_order(&self, options: &Options, is_guided: bool) -> Result<verify::Order, OptionsError> {
        if options.order.is_some() {
            return Err(OptionsError::TwoOrders("--order"));
        }
        if is_guided {
            return Err(OptionsError::TwoOrders("heuristics"));
        }
        Ok(verify::Order::Bfs)
    }
}

/// Decides whether a state is a goal.
type Decides = dyn Fn(&StateView<'_>) -> Result<bool, UserError> + Send + Sync;

/// A predicate of the user on the discrete parts of states.
#[derive(Clone)]
pub struct UserGoal(Arc<Decides>);

impl UserGoal {
    /// Wraps a function.
    pub fn new(function: impl Fn(&StateView<'_>) -> Result<bool, UserError> + Send + Sync + 'static) -> UserGoal {
        UserGoal(Arc::new(function))
    }

    pub(crate) fn lowered(self, system: &System, exists: bool) -> LoweredQuery {
        let own = system.clone();
        let predicate = Predicate::new(move |row| (self.0)(&StateView::discrete(&own, row)));
        system.query_of(predicate, exists)
    }
}

/// Returns whether a model has elements of lattices of the user, which are numbers that only this
/// process knows.
pub(crate) fn has_lattices(system: &System) -> bool {
    system.library.iter().any(|lattice| lattice.0.is_of_user())
}
