//! How a search has ended, as processes tell each other, and as checkpoints note it.

use model::{
    machine::{Fault, FaultKind},
    system::EdgeId,
};

use super::{FlatReader, FlatWriter, Malformed};
use crate::{
    graph::RunError,
    merging::{Disorder, DisorderKind},
    search::{Counts, SearchOutcome, Stop},
    store::{NodeId, Path, RemoteNode},
};

/// Writes the outcome of a search that several workers share.
pub(crate) fn write_outcome(outcome: Option<&SearchOutcome>, out: &mut FlatWriter) {
    match outcome {
        None => _ = out.byte(0),
        Some(SearchOutcome::Exhausted) => _ = out.byte(1),
        Some(SearchOutcome::Found(path)) => write_path(path, out.byte(2)),
        Some(SearchOutcome::Stopped(stop)) => write_stop(*stop, out.byte(3)),
        Some(SearchOutcome::Error(path, error)) => {
            write_path(path, out.byte(4));
            write_fault(&error.fault, out);
            out.smalls(&error.edges.iter().map(|edge| edge.0).collect::<Vec<_>>());
        }
        // Several workers do not judge what they find, and what was judged is not noted, so that no
        // path is called spurious.
        Some(SearchOutcome::TooManyElements | SearchOutcome::Spurious(_)) => _ = out.byte(5),
        Some(SearchOutcome::Disorder(disorder)) => write_disorder(disorder, out.byte(6)),
    }
}

/// Reads what [`write_outcome`] has written.
pub(crate) fn read_outcome(from: &mut FlatReader<'_>) -> Result<Option<SearchOutcome>, Malformed> {
    Ok(Some(match from.byte()? {
        0 => return Ok(None),
        1 => SearchOutcome::Exhausted,
        2 => SearchOutcome::Found(read_path(from)?),
        3 => SearchOutcome::Stopped(read_stop(from)?),
        4 => {
            let (path, fault) = (read_path(from)?, read_fault(from)?);
            SearchOutcome::Error(path, RunError { fault, edges: from.smalls()?.into_iter().map(EdgeId).collect() })
        }
        5 => SearchOutcome::TooManyElements,
        6 => SearchOutcome::Disorder(read_disorder(from)?),
        _ => return Err(Malformed),
    }))
}

/// Writes a path, or the part of it in the stores of one process.
pub fn write_path(path: &Path, out: &mut FlatWriter) {
    match path.after {
        None => out.byte(0),
        Some(RemoteNode { worker, node }) => out.byte(1).small(worker.into()).small(node.0),
    };
    out.smalls(&path.steps);
}

/// Reads what [`write_path`] has written.
///
/// # Errors
/// It is something else.
pub fn read_path(from: &mut FlatReader<'_>) -> Result<Path, Malformed> {
    let after = match from.byte()? {
        0 => None,
        1 => Some(RemoteNode { worker: from.small()?.try_into().map_err(|_| Malformed)?, node: NodeId(from.small()?) }),
        _ => return Err(Malformed),
    };
    Ok(Path { after, steps: from.smalls()? })
}

/// Writes counters.
pub(crate) fn write_counts(counts: &Counts, out: &mut FlatWriter) {
    let Counts { explored, generated, added, stored, bytes, caches_dropped } = *counts;
    for count in [explored, generated, added, stored, bytes] {
        out.number(count as u64);
    }
    out.byte(caches_dropped.into());
}

/// Reads what [`write_counts`] has written.
pub(crate) fn read_counts(from: &mut FlatReader<'_>) -> Result<Counts, Malformed> {
    Ok(Counts {
        explored: from.count()?,
        generated: from.count()?,
        added: from.count()?,
        stored: from.count()?,
        bytes: from.count()?,
        caches_dropped: from.byte()? == 1,
    })
}

/// Writes why work has stopped.
pub fn write_stop(stop: Stop, out: &mut FlatWriter) {
    let (number, process) = match stop {
        Stop::Time => (0, 0),
        Stop::Memory => (1, 0),
        Stop::States => (2, 0),
        Stop::Interrupted => (3, 0),
        Stop::Lost(process) => (4, process),
        Stop::User => (5, 0),
    };
    out.byte(number).small(process.into());
}

/// Reads what [`write_stop`] has written.
///
/// # Errors
/// It is something else.
pub fn read_stop(from: &mut FlatReader<'_>) -> Result<Stop, Malformed> {
    let (number, process) = (from.byte()?, from.small()?);
    Ok(match number {
        0 => Stop::Time,
        1 => Stop::Memory,
        2 => Stop::States,
        3 => Stop::Interrupted,
        4 => Stop::Lost(process.try_into().map_err(|_| Malformed)?),
        5 => Stop::User,
        _ => return Err(Malformed),
    })
}

pub(crate) fn write_fault(fault: &Fault, out: &mut FlatWriter) {
    let (number, values) = match fault.kind {
        FaultKind::Range { value, low, high } => (0, vec![value, low, high]),
        FaultKind::Index { index, low, length } => (1, vec![index, low, length]),
        FaultKind::Argument { value, low, high } => (2, vec![value, low, high]),
        FaultKind::DivisionByZero => (3, Vec::new()),
        FaultKind::Shift(by) => (4, vec![by]),
        FaultKind::NegativeClock(value) => (5, vec![value]),
        FaultKind::Assertion => (6, Vec::new()),
        FaultKind::Endless => (7, Vec::new()),
        // Models with functions of the user do not run on clusters, and searches have no
        // floating-point numbers.
        FaultKind::Unsupported | FaultKind::User(_) => (8, Vec::new()),
        FaultKind::NoInteger | FaultKind::Distribution | FaultKind::NotRandom => (8, Vec::new()),
        FaultKind::Stopped(stop) => {
            write_stop(stop, out.byte(9));
            out.small(fault.pc);
            return;
        }
    };
    out.byte(number).integers(&values).small(fault.pc);
}

pub(crate) fn read_fault(from: &mut FlatReader<'_>) -> Result<Fault, Malformed> {
    let number = from.byte()?;
    if number == 9 {
        return Ok(Fault { kind: FaultKind::Stopped(read_stop(from)?), pc: from.small()? });
    }
    let values = from.integers()?;
    let kind = match (number, &values[..]) {
        (0, &[value, low, high]) => FaultKind::Range { value, low, high },
        (1, &[index, low, length]) => FaultKind::Index { index, low, length },
        (2, &[value, low, high]) => FaultKind::Argument { value, low, high },
        (3, []) => FaultKind::DivisionByZero,
        (4, &[by]) => FaultKind::Shift(by),
        (5, &[value]) => FaultKind::NegativeClock(value),
        (6, []) => FaultKind::Assertion,
        (7, []) => FaultKind::Endless,
        (8, []) => FaultKind::Unsupported,
        _ => return Err(Malformed),
    };
    Ok(Fault { kind, pc: from.small()? })
}

fn write_disorder(disorder: &Disorder, out: &mut FlatWriter) {
    let Disorder { variable, kind, elements } = disorder;
    out.number(*variable as u64);
    for element in elements {
        out.integers(element);
    }
    match kind {
        DisorderKind::Join(join) => _ = out.byte(0).integers(join),
        DisorderKind::Equal => _ = out.byte(1),
        DisorderKind::Fails(fault) => write_fault(fault, out.byte(2)),
    }
}

fn read_disorder(from: &mut FlatReader<'_>) -> Result<Disorder, Malformed> {
    let variable = from.count()?;
    let elements = [from.integers()?, from.integers()?];
    let kind = match from.byte()? {
        0 => DisorderKind::Join(from.integers()?),
        1 => DisorderKind::Equal,
        2 => DisorderKind::Fails(read_fault(from)?),
        _ => return Err(Malformed),
    };
    Ok(Disorder { variable, kind, elements })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_as_they_were_written() {
        let path = || Path { after: Some(RemoteNode { worker: 3, node: NodeId(9) }), steps: vec![1, 0, 7] };
        let error =
            |kind| SearchOutcome::Error(path(), RunError { fault: Fault { kind, pc: 5 }, edges: vec![EdgeId(2)] });
        let stops = [Stop::Time, Stop::Memory, Stop::States, Stop::Interrupted, Stop::Lost(2), Stop::User];
        let faults = [
            FaultKind::Range { value: 1, low: 2, high: -3 },
            FaultKind::Index { index: 1, low: 2, length: 3 },
            FaultKind::Argument { value: 1, low: 2, high: 3 },
            FaultKind::DivisionByZero,
            FaultKind::Shift(-1),
            FaultKind::NegativeClock(-1),
            FaultKind::Assertion,
            FaultKind::Endless,
            FaultKind::Unsupported,
            FaultKind::Stopped(Stop::Lost(7)),
        ];
        let elements = || [vec![1], vec![-2, 3]];
        let disorder = |kind| SearchOutcome::Disorder(Disorder { variable: 4, kind, elements: elements() });
        let mut all = vec![None, Some(SearchOutcome::Exhausted), Some(SearchOutcome::TooManyElements)];
        all.extend([Some(SearchOutcome::Found(path())), Some(SearchOutcome::Found(vec![4].into()))]);
        all.extend(stops.map(|stop| Some(SearchOutcome::Stopped(stop))));
        all.extend(faults.map(|kind| Some(error(kind))));
        let fails = DisorderKind::Fails(Fault { kind: FaultKind::Assertion, pc: 8 });
        let kinds = [DisorderKind::Equal, DisorderKind::Join(vec![5]), fails];
        all.extend(kinds.map(|kind| Some(disorder(kind))));
        for outcome in all {
            let mut out = FlatWriter::default();
            write_outcome(outcome.as_ref(), &mut out);
            let mut read = FlatReader::new(&out.0);
            assert_eq!(format!("{:?}", read_outcome(&mut read).unwrap()), format!("{outcome:?}"));
            assert_eq!(read.end(), Ok(()));
            for end in 0..out.0.len() {
                assert!(read_outcome(&mut FlatReader::new(&out.0[..end])).is_err());
            }
        }
    }
}
