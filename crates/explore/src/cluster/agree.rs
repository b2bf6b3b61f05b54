//! What all processes have to have done before any of them goes on.

use std::fmt;

use thiserror::Error;

use super::{Cluster, FlatReader, FlatWriter, Malformed, PATIENCE, Step};
use crate::search::{Limits, Stop};

/// Why a process can't do its part, for the others.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Hindrance(String);

impl Hindrance {
    /// Says it as an error does, without the number that operating systems add.
    pub fn of(error: &dyn fmt::Display) -> Hindrance {
        let text = error.to_string();
        Hindrance(text.split(" (os error").next().unwrap_or(&text).to_owned())
    }
}

/// Why not all processes go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The work has to stop.
    Stopped(Stop),
    /// A process could not do its part, and says why.
    Failed(usize, Hindrance),
}

impl From<Stop> for Disagreement {
    fn from(stop: Stop) -> Disagreement {
        Disagreement::Stopped(stop)
    }
}

impl Cluster {
    /// Lets all processes say whether they could do something, and returns what they say, in the
    /// order of the processes. If one could not, all learn why.
    ///
    /// # Errors
    /// A process could not do it, the first one that failed, or the work has to stop.
    pub fn agree(
        &self,
        step: Step,
        own: Result<Vec<u8>, Hindrance>,
        limits: &Limits<'_>,
    ) -> Result<Vec<Vec<u8>>, Disagreement> {
        let mut out = FlatWriter::default();
        match &own {
            Ok(bytes) => out.byte(1).bytes(bytes),
            Err(Hindrance(why)) => out.byte(0).bytes(why.as_bytes()),
        };
        let all = self.gather(step, out.0, limits)?;
        let said = |(process, bytes): (usize, &Vec<u8>)| match read(bytes) {
            Ok((true, said)) => Ok(said.to_vec()),
            Ok((false, why)) => {
                Err(Disagreement::Failed(process, Hindrance(String::from_utf8_lossy(why).into_owned())))
            }
            Err(Malformed) => Err(Disagreement::Stopped(self.distrust(process))),
        };
        all.iter().enumerate().map(said).collect()
    }

    /// Loses a process that has contributed what makes no sense.
    pub fn distrust(&self, process: usize) -> Stop {
        self.lose(process, "it has sent something unintelligible");
        Stop::Lost(process as u16)
    }

    /// Waits until something is the case that frames from other processes bring about.
    ///
    /// # Errors
    /// The work has to stop.
    pub(crate) fn wait_until(&self, is: impl Fn() -> bool) -> Result<(), Stop> {
        while !is() {
            let state = self.state();
            if let Some(stop) = state.stop {
                return Err(stop);
            }
            // Not every frame wakes this thread.
            drop(self.0.changed.wait_timeout(state, PATIENCE / 20));
        }
        Ok(())
    }
}

fn read(bytes: &[u8]) -> Result<(bool, &[u8]), Malformed> {
    let mut read = FlatReader::new(bytes);
    let is_fine = match read.byte()? {
        0 => false,
        1 => true,
        _ => return Err(Malformed),
    };
    let said = read.bytes()?;
    read.end()?;
    Ok((is_fine, said))
}
