//! The memory of all processes, for reports.

use super::{Cluster, FlatReader, FlatWriter, Malformed};

/// The resident memory of a process, or of several, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// What is resident now.
    pub now: usize,
    /// The most so far.
    pub peak: usize,
}

impl Resident {
    /// Returns the sum of two.
    #[must_use]
    pub fn and(self, other: Resident) -> Resident {
        Resident { now: self.now.saturating_add(other.now), peak: self.peak.saturating_add(other.peak) }
    }

    pub(crate) fn write(self, out: &mut FlatWriter) {
        out.number(self.now as u64).number(self.peak as u64);
    }

    pub(crate) fn read(from: &mut FlatReader<'_>) -> Result<Resident, Malformed> {
        Ok(Resident { now: from.count()?, peak: from.count()? })
    }
}

impl Cluster {
    /// Sets what measures the memory of this process.
    pub fn set_meter(&self, measure: fn() -> Resident) {
        // All requests have the same.
        let _ = self.0.meter.set(measure);
    }

    /// Returns the memory of this process.
    pub(crate) fn own_memory(&self) -> Resident {
        self.0.meter.get().map_or(Resident::default(), |measure| measure())
    }

    /// Notes the memory of another process.
    pub(crate) fn note_memory(&self, process: usize, memory: Resident) {
        if let Some(known) = self.state().memory.get_mut(process) {
            *known = memory;
        }
    }

    /// Returns the memory of the other processes, as they have said it last.
    #[must_use]
    pub fn memory_of_others(&self) -> Resident {
        self.state().memory.iter().fold(Resident::default(), |sum, own| sum.and(*own))
    }
}
