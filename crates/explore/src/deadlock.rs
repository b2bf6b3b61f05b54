//! Where nothing can happen any more.

use zone::Federation;

use crate::{
    graph::{RunError, ZoneGraph},
    split::pieces,
    time::Time,
};

/// The parts of `part` without a transition, now or after a delay; or with one, where `negated`. `future` holds all that
/// delays lead to from there.
pub(crate) fn deadlocks(
    graph: &mut ZoneGraph<'_>,
    row: &[i32],
    part: &[i32],
    future: &[i32],
    negated: bool,
) -> Result<Federation, RunError> {
    let dead = if graph.has_simple_time() {
        graph.dead_parts(row, future, part)?
    } else {
        let Some(time) = Time::of(graph, row)? else { return Ok(Federation::new(graph.dim())) };
        let alive = graph.enabled_parts(row, future)?;
        time.stays_out(part, alive.iter().map(Vec::as_slice))
    };
    if !negated {
        return Ok(dead);
    }
    let mut alive = pieces(part, graph.dim());
    alive.subtract(&dead);
    Ok(alive)
}
