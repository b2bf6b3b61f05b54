//! What each worker of a search has done so far, for reports.

use super::Counts;

/// What a worker has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerLoad {
    /// How it searches, if workers search in different ways.
    pub strategy: Option<String>,
    /// The number of its process, if several processes search together.
    pub process: Option<usize>,
    /// What it has counted.
    pub counts: Counts,
    /// The number of its states that wait to be explored.
    pub waiting: usize,
    /// The number of packets of states that it has sent to other workers.
    pub sent: usize,
    /// The number of packets that it has received.
    pub received: usize,
    /// Whether it rests: it has nothing to do until others send it states or the level ends.
    pub rests: bool,
}
