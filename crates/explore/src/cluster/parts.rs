//! What other processes send to process 0 alone, however long it is.

use super::{Cluster, FlatReader, FlatWriter, Malformed, Resident, Step};
use crate::search::{Limits, Stop};

/// A process sends about so many bytes at a time.
pub const PART: usize = 4 << 20;

impl Cluster {
    /// Lets all processes send what process 0 alone gets, in parts, which `take` gets there with
    /// the numbers of the processes. What process 0 contributes goes nowhere. `part` returns the
    /// next one, and whether more follow; it is asked again until that is so of no process.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn send_to_first(
        &self,
        step: Step,
        limits: &Limits<'_>,
        mut part: impl FnMut() -> (Vec<u8>, bool),
        mut take: impl FnMut(usize, &[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Stop> {
        loop {
            // The first byte is for all: they go on as long as one of them does.
            let mut out = FlatWriter::default();
            let (bytes, goes_on) = part();
            self.own_memory().write(out.byte(goes_on.into()));
            out.bytes(&bytes);
            drop(bytes);
            let all = self.gather(step, out.0, limits)?;
            for (process, sent) in all.iter().enumerate().skip(1).filter(|_| self.number() == 0) {
                let taken = read(sent).and_then(|(memory, bytes)| {
                    self.note_memory(process, memory);
                    take(process, bytes)
                });
                taken.map_err(|Malformed| self.distrust(process))?;
            }
            if all.iter().all(|sent| sent.first() == Some(&0)) {
                return Ok(());
            }
        }
    }
}

fn read(sent: &[u8]) -> Result<(Resident, &[u8]), Malformed> {
    let mut read = FlatReader::new(sent);
    if read.byte()? > 1 {
        return Err(Malformed);
    }
    let (memory, bytes) = (Resident::read(&mut read)?, read.bytes()?);
    read.end()?;
    Ok((memory, bytes))
}
