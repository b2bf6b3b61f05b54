//! Clock constants that are too large for zones.
//!
//! The bounds of zones have 32 bits, and sums of three of them must fit. Where a model has larger constants, it is looked at in a
//! larger unit of time, if there is one of which all constants are multiples. Otherwise formulas, whose numbers have 64 bits,
//! answer what they can. The engines for all other models are as fast as if there were no large constants.

use explore::search::{Limits, Observer};
use model::{Property, Quantity, Ratio, System};
use smt::Embedded;

use crate::{
    Answer, FormulaOptions, Limit, Options, Proof, Reason, Trace, Verdict, answer_by_formulas, formulas::blank,
    respond, trace::pair,
};

/// The largest number of clocks that zones can't do with, if there is one.
pub fn too_large(system: &System, property: &Property) -> Option<i64> {
    let most = system.largest_constant(&property.formulas());
    (most > i64::from(zone::MAX_CONSTANT)).then_some(most)
}

/// Answers a property of a system with a constant that is too large.
pub fn answer(
    system: &System,
    property: &Property,
    most: i64,
    options: &Options,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Proof>) {
    let scaled = system.in_larger_unit(property).filter(|scaled| too_large(&scaled.system, &scaled.property).is_none());
    if let Some(scaled) = scaled {
        let (answer, proof) = respond(&scaled.system, &scaled.property, options, proves, limits, observer);
        return (in_old_unit(answer, property, scaled.unit), proof.map(|proof| proof.in_unit(scaled.unit)));
    }
    if matches!(property, Property::Possibly(_) | Property::Invariantly(_)) {
        let mut solvers = || -> Box<dyn smt::Solver> { Box::new(Embedded::new()) };
        let chosen = FormulaOptions::default();
        let (answer, proof) = answer_by_formulas(system, None, property, &chosen, &mut solvers, limits, &mut |_| {});
        return (answer, proof.ok().filter(|_| proves));
    }
    (Answer { verdict: Verdict::Unknown(Reason::Wide(most)), ..blank(system) }, None)
}

/// An answer about a system in a larger unit of time.
fn in_old_unit(mut answer: Answer, property: &Property, unit: i32) -> Answer {
    if let Some(trace) = &mut answer.trace
        && !slow_down(trace, unit)
    {
        trace.replayed = false;
    }
    if let (Property::Bounds { quantities, .. }, Some(values)) = (property, &mut answer.values) {
        let clocks = quantities.iter().zip(values).filter(|(quantity, _)| matches!(quantity, Quantity::Clock(_)));
        for (_, range) in clocks {
            for limit in [&mut range.least, &mut range.greatest] {
                if let Some(Limit::Number { value, .. }) = limit {
                    *value *= i64::from(unit);
                }
            }
        }
    }
    if let Verdict::Unknown(Reason::Growth(number)) = &mut answer.verdict {
        *number *= i64::from(unit);
    }
    answer
}

/// Makes all delays so many times as long. Returns whether they are numbers still.
fn slow_down(trace: &mut Trace, unit: i32) -> bool {
    let longer = |(numerator, denominator): (i64, i64)| {
        let numerator = numerator.checked_mul(i64::from(unit))?;
        Ratio::new(numerator, denominator).map(pair)
    };
    let delays = trace.steps.iter_mut().map(|step| &mut step.delay).chain([&mut trace.last_delay]);
    let mut fits = true;
    for delay in delays {
        match longer(*delay) {
            Some(found) => *delay = found,
            None => fits = false,
        }
    }
    fits
}
