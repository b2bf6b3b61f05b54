//! Maps each kind of property to the search that decides it.

use explore::{
    bounds::ClockBounds,
    search::{Limits, Observer},
    shard::discard,
    tally::Phase,
};
use model::{Property, System};
use zone::Bound;

use crate::{
    Answer, Cover, Options, Proof, Reason, Verdict, attempts, extremes, formulas, joint, liveness, plan, reach,
    width::{Width, width},
};

/// Answers a property of a system; if `proves` is set and no trace decides it, with a proof.
pub(crate) fn respond(
    system: &System,
    property: &Property,
    options: &Options,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Proof>) {
    let width = match width(system, &[property], options) {
        Ok(width) => width,
        Err(reason) => return (Answer { verdict: Verdict::Unknown(reason), ..formulas::blank(system) }, None),
    };
    if width == Width::Narrow {
        let found = respond_in::<i32>(system, property, options, proves, limits, observer);
        // Larger numbers fit into wider zones.
        let outgrown = |k: i64| k >= extremes::max_watched::<i32>();
        if !matches!(found.0.verdict, Verdict::Unknown(Reason::Growth(k)) if outgrown(k)) {
            return found;
        }
        observer.enter(Phase::Retry);
    }
    let (answer, proof) = respond_in::<i64>(system, property, options, proves, limits, observer);
    (if width == Width::Narrow { Answer { decided: Phase::Retry, ..answer } } else { answer }, proof)
}

/// The same, with zones of one width.
pub(crate) fn respond_in<B: Bound>(
    system: &System,
    property: &Property,
    options: &Options,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Proof>) {
    let bounds = ClockBounds::<B>::new(system, property);
    let plan = plan(system, property, &bounds, options);
    match property {
        Property::State { goal, exists } => {
            let question = reach::Question { system, goal, found: Verdict::if_found(*exists) };
            let (answer, reached) = attempts::reach::<B>(&question, &plan, limits, observer);
            if !proves || answer.verdict != question.found.opposite() {
                discard(reached.stores);
                return (answer, None);
            }
            match joint::states(system, &reached, limits) {
                Ok(sent) => (answer, Some(Proof::Cover(Cover::new(reached, sent)))),
                Err(stop) => (Answer { verdict: Verdict::Unknown(Reason::Limit(stop)), ..answer }, None),
            }
        }
        Property::Run { after, always, exists } => {
            let run = liveness::MaximalRun { after: after.as_ref(), always, found: Verdict::if_found(*exists) };
            let (answer, absence) = liveness::maximal::<B>(system, run, plan, proves, limits, observer);
            (answer, absence.map(Proof::of_absence))
        }
        Property::Bounds { extremum, predicate, quantities } => {
            let asked = extremes::Extremes { extremum: *extremum, predicate, quantities };
            (extremes::extremes::<B>(system, property, &asked, options, limits, observer), None)
        }
    }
}
