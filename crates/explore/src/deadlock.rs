//! Deadlocks.

use zone::{Bound, Federation};

use crate::{
    graph::{RunError, ZoneGraph},
    split::pieces,
    time::Time,
};

/// Returns the parts of `part` that are deadlocks, that is, have no transition now or after a
/// delay; or those that are not, if `negated`. `whole` is the zone of the state.
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
        // If urgency has split a state, delays lead from one of its zones to another.
        let alive = graph.enabled_parts(row, &time.future(part))?;
        time.avoiding(part, alive.iter().map(Vec::as_slice))
    };
    if !negated {
        return Ok(dead);
    }
    let mut alive = pieces(part, graph.dim());
    alive.subtract(&dead);
    Ok(alive)
}
