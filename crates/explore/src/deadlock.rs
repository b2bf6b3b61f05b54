//! From where something can still happen.

use zone::Federation;

use crate::{
    graph::{RunError, ZoneGraph},
    split::pieces,
};

/// The parts of a state's `part` from which a transition is possible, now or after an allowed delay; they may reach beyond it.
///
/// Where clocks stand still this need not be a union of zones: it is then made larger, or smaller, as `more` says.
pub(crate) fn alive(
    graph: &mut ZoneGraph<'_>,
    row: &[i32],
    part: &[i32],
    more: bool,
) -> Result<Vec<Vec<i32>>, RunError> {
    let dim = graph.dim();
    let Some(future) = graph.future(row, part)? else { return graph.enabled_parts(row, part) };
    let mut urgent = future.blockers;
    urgent.retain_mut(|zone| zone::intersect(zone, dim, &future.zone));
    let mut found = Vec::new();
    for able in graph.enabled_parts(row, &future.zone)? {
        let mut ways = reaches(&able, dim, &future.stopped, None, more);
        // Who comes there before each of the urgent moments comes there before the first of them.
        for zone in &urgent {
            ways.intersect(&reaches(&able, dim, &future.stopped, Some(zone), more));
        }
        found.extend(ways.zones().map(<[i32]>::to_vec));
    }
    Ok(found)
}

/// The valuations from which time leads to one of `able`, with no `urgent` one before it: either none is to come, or the
/// way ends before there was one, or it has no length.
fn reaches(able: &[i32], dim: usize, stopped: &[bool], urgent: Option<&Vec<i32>>, more: bool) -> Federation {
    let earlier = |zone: &[i32]| {
        let mut zone = zone.to_vec();
        zone::past_except(&mut zone, dim, stopped);
        zone
    };
    let stops = stopped.contains(&true);
    let mut found = if !stops || more || moves_exactly(able, dim, stopped) {
        pieces(&earlier(able), dim)
    } else {
        pieces(able, dim)
    };
    let Some(urgent) = urgent.filter(|_| !(stops && more)) else { return found };
    found.subtract_zone(&earlier(urgent));
    if !stops {
        let mut before = pieces(able, dim);
        before.subtract_zone(&strictly_later(urgent, dim));
        before.zones().for_each(|zone| found.push(&earlier(zone)));
    }
    found.push(able);
    found
}

/// The valuations after some time that is not zero.
fn strictly_later(zone: &[i32], dim: usize) -> Vec<i32> {
    let mut later = zone.to_vec();
    zone::delay(&mut later, dim);
    for bound in &mut later[1..dim] {
        *bound = zone::lt(zone::value(*bound));
    }
    zone::close(&mut later, dim);
    later
}

/// Whether the zone of all valuations before those of a zone is certain to be that set.
///
/// With `m`, `n` going and `s`, `t` standing still, the bounds of `m - s` and `t - n` together bound `(m - n) + (t - s)` at
/// all moments. A zone says that only if the bounds of `m - n` and of `t - s` do.
fn moves_exactly(zone: &[i32], dim: usize, stopped: &[bool]) -> bool {
    let (still, going): (Vec<usize>, Vec<usize>) = (0..dim).partition(|x| *x == 0 || stopped[*x]);
    let sum = |a: (usize, usize), b: (usize, usize)| zone::add(zone[a.0 * dim + a.1], zone[b.0 * dim + b.1]);
    let said = |m, n, s, t| m == n || s == t || sum((m, n), (t, s)) <= sum((m, s), (t, n));
    going.iter().all(|&m| going.iter().all(|&n| still.iter().all(|&s| still.iter().all(|&t| said(m, n, s, t)))))
}
