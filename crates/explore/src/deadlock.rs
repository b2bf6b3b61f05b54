//! Where nothing can happen any more.

use zone::{Bound, Federation};

use crate::{
    graph::{RunError, ZoneGraph},
    split::pieces,
    time::Time,
};

/// The parts of `part` without a transition, now or after a delay; or with one, where `negated`.
/// `whole` is the zone of the state that it is part of.
pub(crate) fn deadlocks<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    row: &[i32],
    part: &[B],
    whole: &[B],
    negated: bool,
) -> Result<Federation<B>, RunError> {
    let dead = if graph.has_simple_time() {
        graph.dead_parts(row, whole, part)?
    } else {
        let Some(time) = Time::of(graph, row)? else { return Ok(Federation::new(graph.dim())) };
        // Where urgency has split a state, delays lead from one of its zones to another.
        let alive = graph.enabled_parts(row, &time.future(part))?;
        time.stays_out(part, alive.iter().map(Vec::as_slice))
    };
    if !negated {
        return Ok(dead);
    }
    let mut alive = pieces(part, graph.dim());
    alive.subtract(&dead);
    Ok(alive)
}
