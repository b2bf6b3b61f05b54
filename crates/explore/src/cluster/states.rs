//! The states of all processes, where process 0 needs them: for a certificate.

use zone::Bound;

use super::{Cluster, FlatReader, FlatWriter, Malformed, PART, Step};
use crate::{
    search::{Limits, Stop},
    store::{NodeId, Store, Stored},
};

/// States that another process has sent.
pub struct SentStates {
    width: usize,
    area: usize,
    rows: Vec<i32>,
    zones: Vec<i64>,
}

impl SentStates {
    /// Returns the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..(self.rows.len() / self.width.max(1)) as u32).map(NodeId)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let mut read = FlatReader::new(bytes);
        let (rows, zones) = (read.integers()?, read.bounds::<i64>()?);
        read.end()?;
        let count = rows.len() / self.width.max(1);
        if rows.len() != count * self.width || zones.len() != count * self.area {
            return Err(Malformed);
        }
        self.rows.extend(rows);
        self.zones.extend(zones);
        Ok(())
    }
}

impl Stored for SentStates {
    fn state(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i64>) {
        row.clear();
        zone.clear();
        row.extend(self.rows.chunks_exact(self.width).nth(node.0 as usize).into_iter().flatten());
        zone.extend(self.zones.chunks_exact(self.area).nth(node.0 as usize).into_iter().flatten());
    }

    fn is_replaced(&self, _: NodeId) -> bool {
        false
    }
}

/// Sends the states of this process to process 0, and returns there those of others, whose rows and
/// zones have these numbers of integers.
///
/// # Errors
/// The work has to stop.
pub fn collect<B: Bound>(
    cluster: &Cluster,
    stores: &[Store<B>],
    (width, area): (usize, usize),
    limits: &Limits<'_>,
) -> Result<Vec<SentStates>, Stop> {
    let own = if cluster.number() == 0 { &[] } else { stores };
    let mut nodes = own.iter().flat_map(|store| store.nodes().map(move |node| (store, node))).peekable();
    let sent = || SentStates { width, area, rows: Vec::new(), zones: Vec::new() };
    let mut all: Vec<SentStates> = (0..cluster.processes()).map(|_| sent()).collect();
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    let (mut rows, mut zones) = (Vec::new(), Vec::<i64>::new());
    let part = || {
        rows.clear();
        zones.clear();
        while rows.len() * 4 + zones.len() * 8 < PART
            && let Some((store, node)) = nodes.next()
        {
            store.state(node, &mut row, &mut zone);
            rows.extend_from_slice(&row);
            zones.extend_from_slice(&zone);
        }
        let mut out = FlatWriter::default();
        out.integers(&rows).bounds(&zones);
        (out.0, nodes.peek().is_some())
    };
    cluster.send_to_first(Step::States, limits, part, |process, bytes| all[process].add(bytes))?;
    Ok(all)
}
