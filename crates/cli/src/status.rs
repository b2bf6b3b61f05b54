//! Exit statuses.

/// The exit status, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Success: every query is satisfied.
    Fine,
    /// Some answer is unknown.
    Unknown,
    /// Some query is not satisfied.
    Unsatisfied,
    /// Wrong usage, a wrong model or a wrong query.
    Wrong,
    /// A defect in merkhet.
    Defect,
}

impl Status {
    /// Its number.
    pub fn code(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Unsatisfied => 1,
            Status::Unknown => 2,
            Status::Wrong => 3,
            Status::Defect => 4,
        }
    }
}
