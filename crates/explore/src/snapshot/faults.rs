//! Run-time errors as bytes.

use model::{
    code::Pc,
    machine::{Fault, FaultKind},
    system::EdgeId,
};

use super::{PartReader, PartWriter, SnapshotError};
use crate::heuristic::{ExpressionFailure, Failures, Purpose};

impl PartWriter<'_> {
    /// Writes a fault.
    pub(super) fn fault(&mut self, Fault { kind, pc }: Fault) {
        self.number(pc.into());
        let (tag, numbers) = match kind {
            FaultKind::Range { value, low, high } => (0, [value, low, high]),
            FaultKind::Index { index, low, length } => (1, [index, low, length]),
            FaultKind::Argument { value, low, high } => (2, [value, low, high]),
            FaultKind::DivisionByZero => (3, [0; 3]),
            FaultKind::Shift(by) => (4, [by, 0, 0]),
            FaultKind::NegativeClock(number) => (5, [number, 0, 0]),
            FaultKind::Assertion => (6, [0; 3]),
            FaultKind::Endless => (7, [0; 3]),
            // A search that was stopped has no result.
            FaultKind::Unsupported | FaultKind::Stopped(_) | FaultKind::User(_) => (8, [0; 3]),
        };
        self.number(tag);
        numbers.into_iter().for_each(|number| self.integer(number.into()));
    }

    /// Writes edges.
    pub(crate) fn edges(&mut self, edges: &[EdgeId]) {
        self.size(edges.len());
        edges.iter().for_each(|edge| self.number(edge.0.into()));
    }

    /// Writes failed expressions.
    pub(crate) fn failures(&mut self, failures: &Failures) {
        self.size(failures.iter().count());
        for ExpressionFailure { purpose, expression, count, first } in failures.iter() {
            self.flag(*purpose == Purpose::Join);
            self.number(expression.0.into());
            self.size(*count);
            self.fault(*first);
        }
    }
}

impl PartReader<'_> {
    /// Reads a fault.
    pub(super) fn fault(&mut self) -> Result<Fault, SnapshotError> {
        let (pc, tag) = (self.natural()?, self.number()?);
        let [a, b, c] = [self.small()?, self.small()?, self.small()?];
        let kind = match tag {
            0 => FaultKind::Range { value: a, low: b, high: c },
            1 => FaultKind::Index { index: a, low: b, length: c },
            2 => FaultKind::Argument { value: a, low: b, high: c },
            3 => FaultKind::DivisionByZero,
            4 => FaultKind::Shift(a),
            5 => FaultKind::NegativeClock(a),
            6 => FaultKind::Assertion,
            7 => FaultKind::Endless,
            8 => FaultKind::Unsupported,
            _ => return Err(SnapshotError::Impossible("there is no such run-time error")),
        };
        Ok(Fault { kind, pc })
    }

    /// Reads edges of a system that has so many.
    pub(crate) fn edges(&mut self, all: usize) -> Result<Vec<EdgeId>, SnapshotError> {
        (0..self.length()?).map(|_| Ok(EdgeId(self.below(all, "there is no such edge")?))).collect()
    }

    /// Reads failed expressions.
    pub(crate) fn failures(&mut self) -> Result<Failures, SnapshotError> {
        let mut failures = Failures::default();
        for _ in 0..self.length()? {
            let purpose = if self.flag()? { Purpose::Join } else { Purpose::Heuristic };
            let (expression, count, first) = (Pc(self.natural()?), self.size()?, self.fault()?);
            failures.add(ExpressionFailure { purpose, expression, count, first });
        }
        Ok(failures)
    }
}
