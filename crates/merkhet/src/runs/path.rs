//! What a probability is about, as queries about states.

use model::{
    Formula, LoweredQuery, Property, Ratio,
    stochastic::{Measurement, PathProperty, RunMeasure},
    system::ClockTerm,
};
use syntax::{
    Diagnostic,
    ast::{self, PathFormula, QueryKind, StatisticalQuery},
    print,
};
use thiserror::Error;
use verify::Trace;

use crate::Model;

/// The queries about states that a probability corresponds to.
#[derive(Clone, Debug)]
pub struct PathClaim {
    /// Whether a run can reach what is asked for, or violate what always has to hold: `E<>` or
    /// `A[]`.
    pub reaches: LoweredQuery,
    /// Whether all runs do: `A<>` or `E[]`.
    pub always: Option<LoweredQuery>,
    /// What is asked, and where runs end.
    pub path: PathProperty,
    /// The text of the first query.
    pub text: String,
}

/// Why no query about states corresponds to a statistical one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoClaim {
    /// It is not about one probability.
    #[error("it is for `Pr` of one property")]
    OtherQuery,
    /// Symbolic analysis lacks something of the model or of the query.
    #[error("{0}")]
    Refused(String),
}

/// Returns what a query about one probability is about.
///
/// # Errors
/// Symbolic analysis can't be asked.
pub fn path_claim(model: &mut Model, query: &ast::Query) -> Result<PathClaim, NoClaim> {
    let described = |problems: &[Diagnostic]| {
        let first = problems.iter().find(|d| d.is_error());
        NoClaim::Refused(first.map_or_else(String::new, |d| d.message.clone()))
    };
    let QueryKind::Statistical(asked) = &query.kind else { return Err(NoClaim::OtherQuery) };
    let (StatisticalQuery::Probability(path) | StatisticalQuery::Threshold { path, .. }) = &**asked else {
        return Err(NoClaim::OtherQuery);
    };
    let lacking = model.unsupported();
    if !lacking.is_empty() {
        return Err(described(&lacking));
    }
    let (reaches, always) = match path.path {
        PathFormula::Finally(p) => (QueryKind::Possibly(p), Some(QueryKind::Eventually(p))),
        PathFormula::Globally(p) => (QueryKind::Invariantly(p), Some(QueryKind::PotentiallyAlways(p))),
        PathFormula::Until(_, q) => (QueryKind::Possibly(q), None),
        PathFormula::Timed(_) => return Err(NoClaim::OtherQuery),
    };
    let text = print::query(&model.loaded.tree, &ast::Query { kind: reaches.clone(), ..query.clone() });
    let mut lowered = |kind: QueryKind| {
        let about_states = ast::Query { kind, ..query.clone() };
        model.loaded.query(&about_states).map_err(|problems| described(&problems))
    };
    let (reaches, always) = (lowered(reaches)?, always.map(&mut lowered).transpose()?);
    let runs = model.loaded.statistical_query(query).map_err(|problems| described(&problems))?;
    match runs.measurement {
        Measurement::Probability(path) | Measurement::Threshold { path, .. } => {
            Ok(PathClaim { reaches, always, path, text })
        }
        _ => Err(NoClaim::OtherQuery),
    }
}

/// Returns the goal of a property about states.
pub(crate) fn goal(property: &Property) -> Option<&Formula> {
    match property {
        Property::State { goal, .. } => Some(goal),
        Property::Run { .. } | Property::Bounds { .. } => None,
    }
}

fn number(ratio: Ratio) -> f64 {
    ratio.numerator() as f64 / ratio.denominator() as f64
}

impl PathClaim {
    /// Returns whether a run that reaches its goal at its end does so where that counts; `None`:
    /// that is not known.
    #[must_use]
    pub fn is_within(&self, trace: &Trace) -> Option<bool> {
        let limit = self.path.bound.limit;
        match self.path.bound.measure {
            RunMeasure::Time { from } => Some((from..=limit).contains(&number(trace.duration()?))),
            RunMeasure::Steps => Some(trace.steps.len() as f64 <= limit),
            RunMeasure::Clock(ClockTerm::Clock(clock)) => {
                let value = |stay: &verify::Stay| stay.left.get(clock.0 as usize).copied();
                let most = trace.times.as_ref()?.iter().map(value).collect::<Option<Vec<Ratio>>>()?;
                Some(most.iter().all(|value| number(*value) <= limit))
            }
            RunMeasure::Clock(ClockTerm::Element { .. }) => None,
        }
    }
}
