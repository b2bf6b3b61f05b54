//! What the processes of a cluster tell each other about a search, besides its states.
//!
//! Without a cluster, what this process knows is all.

use explore::{
    cluster::{Cluster, FlatReader, FlatWriter, Malformed, SentStates, Step, collect},
    search::{Limits, Stop},
};
use model::System;
use zone::Bound;

use crate::reach::Reached;

/// Lets all processes contribute, and reads what each has contributed.
fn gather<T>(
    cluster: &Cluster,
    own: FlatWriter,
    limits: &Limits<'_>,
    read: impl Fn(&mut FlatReader<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Stop> {
    let all = cluster.gather(Step::Goals, own.0, limits)?;
    let one = |(process, bytes): (usize, &Vec<u8>)| {
        let mut from = FlatReader::new(bytes);
        read(&mut from).and_then(|value| from.end().map(|()| value)).map_err(|Malformed| cluster.distrust(process))
    };
    all.iter().enumerate().map(one).collect()
}

/// Returns the greatest of the values that the processes have found, one by one.
///
/// # Errors
/// The work has to stop.
pub(crate) fn greatest(
    cluster: Option<&Cluster>,
    mut own: Vec<Option<i64>>,
    limits: &Limits<'_>,
) -> Result<Vec<Option<i64>>, Stop> {
    let Some(cluster) = cluster else { return Ok(own) };
    let mut out = FlatWriter::default();
    for value in &own {
        out.byte(value.is_some().into()).number(value.unwrap_or(0) as u64);
    }
    let read = |from: &mut FlatReader<'_>| {
        let one = |_: &Option<i64>| Ok((from.byte()? == 1).then_some(from.number()? as i64));
        own.iter().map(one).collect::<Result<Vec<_>, _>>()
    };
    for values in gather(cluster, out, limits, read)? {
        own.iter_mut().zip(values).for_each(|(greatest, value)| *greatest = (*greatest).max(value));
    }
    Ok(own)
}

/// Returns the states of other processes, in process 0.
///
/// # Errors
/// The work has to stop.
pub(crate) fn states<B: Bound>(
    system: &System,
    reached: &Reached<B>,
    limits: &Limits<'_>,
) -> Result<Vec<SentStates>, Stop> {
    let Some(cluster) = &reached.cluster else { return Ok(Vec::new()) };
    let dim = reached.clocks.len();
    collect(cluster, &reached.stores, (system.initial.len(), dim * dim), limits)
}
