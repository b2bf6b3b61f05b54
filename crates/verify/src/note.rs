//! What a verdict, or its trace, rests on.

use std::fmt;

use explore::store::Update;

use crate::{CommonTime, Order, Plan, Wanted};

/// A reservation about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The verdict is about runs in which these variables, which nothing reads, stay in their
    /// ranges.
    Unread(Vec<String>),
    /// Monotonicity was assumed, not checked.
    AssumesMonotone,
    /// A heuristic of the user is taken to be right where it sees no path to the goal.
    TrustsHeuristic,
    /// The trace need not be the fastest, or the shortest.
    NotBest {
        /// Whether the fastest trace is wanted; otherwise it is the shortest.
        fastest: bool,
        /// The reason.
        why: WhyNotBest,
    },
    /// Local times were wanted, and the processes had a common time.
    CommonTime(CommonTime),
    /// The heuristic ignores what the query says about clocks or deadlocks.
    Unguided,
}

/// Why a trace need not be the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNotBest {
    /// Only the search with joined states has found a trace.
    OnlyJoined,
    /// Monotonicity is assumed.
    AssumesMonotone,
    /// States are joined.
    Joined,
    /// States cover others with shorter paths.
    CoversShorter,
    /// States share the values of heuristics.
    SharedValues,
}

impl Plan {
    /// Why a trace need not be as short or as fast as the user, or the order, wants it to be;
    /// `None`: it is, or neither is wanted.
    #[must_use]
    pub fn why_not_best(&self) -> Option<WhyNotBest> {
        let joins = self.update == Update::Join;
        // A state with greater elements may cover one with a shorter path.
        let trusts = self.joining.trusts && !self.merged.is_empty();
        match self.wanted {
            Wanted::Shortest | Wanted::Fastest if joins => Some(WhyNotBest::OnlyJoined),
            Wanted::Some if self.order != Order::Astar => None,
            Wanted::Some | Wanted::Shortest | Wanted::Fastest if trusts => Some(WhyNotBest::AssumesMonotone),
            Wanted::Shortest | Wanted::Fastest => None,
            Wanted::Some if joins => Some(WhyNotBest::Joined),
            Wanted::Some if self.guidance.covers_shorter => Some(WhyNotBest::CoversShorter),
            Wanted::Some => self.guidance.table.map(|_| WhyNotBest::SharedValues),
            Wanted::Short => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Unread(names) => {
                write!(f, "in runs where variables that nothing reads stay in their ranges: {}", names.join(", "))
            }
            Note::AssumesMonotone => {
                f.write_str("taken for granted: greater elements of lattices allow more (--monotone assume)")
            }
            Note::TrustsHeuristic => {
                f.write_str("taken for granted: no path leads to the goal where the heuristic of the user sees none")
            }
            Note::NotBest { fastest, why } => {
                let best = if *fastest { "fastest" } else { "shortest" };
                write!(f, "the trace need not be {best}: {why}")
            }
            Note::CommonTime(why) => write!(f, "the processes had a common time (--local-time): {why}"),
            Note::Unguided => f.write_str("the heuristic does not see what the query says about clocks or deadlocks"),
        }
    }
}

impl fmt::Display for WhyNotBest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyNotBest::OnlyJoined => "the search without joined states has no answer",
            WhyNotBest::AssumesMonotone => "greater elements of lattices are taken to allow more (--monotone assume)",
            WhyNotBest::Joined => "joined states are reached by paths of several lengths (--update join)",
            WhyNotBest::CoversShorter => "states may cover others with shorter paths (--cover-shorter)",
            WhyNotBest::SharedValues => "states share the values of heuristics (--heuristic-table)",
        })
    }
}
