//! What processes tell process 0 about the runs that they have made.

use std::ops::Range;

use explore::{
    cluster::{Cluster, FlatReader, FlatWriter, Malformed, PART, Step, read_stop, write_stop},
    search::Limits,
};
use model::{Stop, code::Code};

use crate::{
    problem::{RunFault, RunProblem},
    work::NumberedRun,
};

/// The result of a run, as bytes.
pub(crate) trait Sent: Send + Sized {
    /// Writes it.
    fn write(&self, out: &mut FlatWriter);

    /// Reads it.
    ///
    /// # Errors
    /// It is something else.
    fn read(from: &mut FlatReader<'_>) -> Result<Self, Malformed>;
}

impl Sent for u64 {
    fn write(&self, out: &mut FlatWriter) {
        out.number(*self);
    }

    fn read(from: &mut FlatReader<'_>) -> Result<u64, Malformed> {
        from.number()
    }
}

impl Sent for f64 {
    fn write(&self, out: &mut FlatWriter) {
        out.number(self.to_bits());
    }

    fn read(from: &mut FlatReader<'_>) -> Result<f64, Malformed> {
        from.number().map(f64::from_bits)
    }
}

impl Sent for bool {
    fn write(&self, out: &mut FlatWriter) {
        out.byte((*self).into());
    }

    fn read(from: &mut FlatReader<'_>) -> Result<bool, Malformed> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl<T: Sent> Sent for Option<T> {
    fn write(&self, out: &mut FlatWriter) {
        self.is_some().write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut FlatReader<'_>) -> Result<Option<T>, Malformed> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

impl<T: Sent> Sent for Vec<T> {
    fn write(&self, out: &mut FlatWriter) {
        out.number(self.len() as u64);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut FlatReader<'_>) -> Result<Vec<T>, Malformed> {
        // The number may be wrong, so that nothing is reserved.
        let mut list: Vec<T> = (0..from.number()?).map(|_| T::read(from)).collect::<Result<_, _>>()?;
        list.shrink_to_fit();
        Ok(list)
    }
}

impl<T: Sent> Sent for [T; 2] {
    fn write(&self, out: &mut FlatWriter) {
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut FlatReader<'_>) -> Result<[T; 2], Malformed> {
        Ok([T::read(from)?, T::read(from)?])
    }
}

impl<T: Sent, U: Sent> Sent for (T, U) {
    fn write(&self, out: &mut FlatWriter) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(from: &mut FlatReader<'_>) -> Result<(T, U), Malformed> {
        Ok((T::read(from)?, U::read(from)?))
    }
}

/// What came of a run that another process has made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome<T> {
    Result(T),
    /// A limit of that process has stopped it.
    Stopped(Stop),
    /// It can't go on. Whoever makes the run again learns why.
    Problem,
}

impl<T: Sent> Sent for Outcome<T> {
    fn write(&self, out: &mut FlatWriter) {
        match self {
            Outcome::Result(result) => result.write(out.byte(0)),
            Outcome::Stopped(stop) => write_stop(*stop, out.byte(1)),
            Outcome::Problem => _ = out.byte(2),
        }
    }

    fn read(from: &mut FlatReader<'_>) -> Result<Outcome<T>, Malformed> {
        Ok(match from.byte()? {
            0 => Outcome::Result(T::read(from)?),
            1 => Outcome::Stopped(read_stop(from)?),
            2 => Outcome::Problem,
            _ => return Err(Malformed),
        })
    }
}

/// What process 0 knows of a run that another process has made.
pub(crate) struct Received<T> {
    pub process: usize,
    pub number: u64,
    pub outcome: Outcome<T>,
}

/// Lets all processes but process 0 send it what came of their shares of runs. Returns there what
/// it got, in the order of the numbers, up to the first run of each share that can't go on.
///
/// # Errors
/// The work has to stop.
pub(crate) fn exchange<T: Sent>(
    cluster: &Cluster,
    code: &Code,
    share: impl Fn(usize) -> Range<u64>,
    made: Vec<NumberedRun<T>>,
) -> Result<Vec<Received<T>>, Stop> {
    // Time is the business of process 0.
    let expired = || code.stopped().is_some();
    let expired = (cluster.number() == 0).then_some(&expired as &dyn Fn() -> bool);
    let limits = Limits { expired, ..Limits::default() };
    let mut outcomes = made.into_iter().map(|(_, made)| outcome(made)).peekable();
    let part = || {
        let mut out = FlatWriter::default();
        while out.0.len() < PART
            && let Some(outcome) = outcomes.next()
        {
            outcome.write(&mut out);
            if !matches!(outcome, Outcome::Result(_)) {
                // Nobody asks what comes after it.
                return (out.0, false);
            }
        }
        (out.0, outcomes.peek().is_some())
    };
    let mut next: Vec<Range<u64>> = (0..cluster.processes()).map(&share).collect();
    let mut received: Vec<Vec<Received<T>>> = next.iter().map(|_| Vec::new()).collect();
    let take = |process: usize, bytes: &[u8]| {
        let mut read = FlatReader::new(bytes);
        while read.end().is_err() {
            let number = next[process].next().ok_or(Malformed)?;
            let outcome = Outcome::read(&mut read)?;
            if !matches!(outcome, Outcome::Result(_)) {
                next[process] = 0..0;
            }
            received[process].push(Received { process, number, outcome });
        }
        Ok(())
    };
    let sent = cluster.send_to_first(Step::Runs, &limits, part, take);
    sent.map_err(|stop| if stop == Stop::Time { code.stopped().unwrap_or(stop) } else { stop })?;
    match next.iter().skip(1).position(|rest| !rest.is_empty()) {
        Some(missing) if cluster.number() == 0 => Err(cluster.distrust(missing + 1)),
        _ => Ok(received.into_iter().flatten().collect()),
    }
}

fn outcome<T>(made: Result<T, RunProblem>) -> Outcome<T> {
    match made {
        Ok(result) => Outcome::Result(result),
        Err(problem) => match problem.fault {
            RunFault::Stopped(stop) => Outcome::Stopped(stop),
            _ => Outcome::Problem,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Sent>(bytes: &[u8]) -> Result<T, Malformed> {
        let mut from = FlatReader::new(bytes);
        let value = T::read(&mut from)?;
        from.end()?;
        Ok(value)
    }

    fn passes<T: Sent + PartialEq + std::fmt::Debug>(value: T) {
        let mut out = FlatWriter::default();
        value.write(&mut out);
        assert_eq!(read::<T>(&out.0), Ok(value));
        for end in 0..out.0.len() {
            assert_eq!(read::<T>(&out.0[..end]), Err(Malformed));
        }
    }

    #[test]
    fn results_are_read_as_they_were_written() {
        passes(Outcome::Result((Some(-0.5), u64::MAX)));
        passes(Outcome::Result((Some(vec![f64::INFINITY, 1e-300]), true)));
        passes(Outcome::Result(None::<f64>));
        passes(Outcome::<u64>::Stopped(Stop::Memory));
        passes(Outcome::<u64>::Problem);
        assert_eq!(read::<Outcome<u64>>(&[3]), Err(Malformed));
        assert_eq!(read::<bool>(&[2]), Err(Malformed));
        assert_eq!(read::<Vec<f64>>(&u64::MAX.to_le_bytes()), Err(Malformed));
    }
}
