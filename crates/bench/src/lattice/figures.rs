//! The paper's figures as models and searches.

use verify::{Options, Update};

use super::published;
use crate::families::with_size;

/// A search. It is breadth-first, as the paper's.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The heading of its column.
    pub label: &'static str,
    /// The value of `--update`.
    pub update: Update,
    /// The value of `--join`.
    pub strategy: Option<&'static str>,
    /// Whether joins are undone that made an unreachable goal seem reachable.
    pub refines: bool,
    /// Whether the model is assumed to be monotone.
    pub trusts: bool,
    /// Which states the paper counts.
    pub counted: Counted,
    /// A formula for the number of states.
    pub formula: Option<fn(u64) -> Option<u64>>,
}

/// Which states are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// All that were ever added.
    Added,
    /// Those that are stored at the end.
    Stored,
}

impl Column {
    /// The options of its search, without the strategy.
    pub fn options(&self) -> Options {
        let mut options = Options { update: Some(self.update), ..Options::default() };
        options.joining.refines = self.refines;
        options.joining.trusts = self.trusts;
        options
    }

    /// The number of states at a size, by the formula.
    pub fn expected(&self, size: u32) -> Option<u64> {
        (self.formula?)(size.into())
    }
}

/// A figure.
#[derive(Debug)]
pub struct Figure {
    /// Its number.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// What grows.
    pub unit: &'static str,
    /// The paper's sizes.
    pub sizes: &'static [u32],
    /// The number of sizes that take less than about a second.
    pub quick: usize,
    /// The name of the model's text, with the ending of its language.
    pub file: &'static str,
    /// The query.
    pub query: &'static str,
    /// The searches.
    pub columns: &'static [Column],
    text: &'static str,
}

impl Figure {
    /// The model of a size.
    pub fn model(&self, size: u32) -> String {
        with_size(self.text, size)
    }

    /// Whether a search is run: not if the formula gives too many states and the paper has no
    /// figure.
    pub fn is_run(&self, column: &Column, size: u32) -> bool {
        published::cell(self.name, &size.to_string(), column.name).is_some()
            || column.formula.is_none()
            || column.expected(size).is_some_and(|states| states <= MAX_STATES)
    }
}

/// The largest number of states that is explored.
const MAX_STATES: u64 = 10_000_000;

/// The update alone.
pub(super) const fn plain(name: &'static str, label: &'static str, update: Update) -> Column {
    Column {
        name,
        label,
        update,
        strategy: None,
        refines: false,
        trusts: false,
        counted: Counted::Added,
        formula: None,
    }
}

/// Joins that are undone if necessary.
pub(super) const OWN: Column = Column { refines: true, ..plain("own", "join, own refinement", Update::Join) };

fn power(base: u64, exponent: u64) -> Option<u64> {
    base.checked_pow(exponent.try_into().ok()?)
}

/// Figure 4.
pub const DATABASE: Figure = Figure {
    name: "4",
    title: "no two users of a database work at the same time",
    unit: "users",
    sizes: &[2, 3, 4, 5, 6, 7],
    quick: 3,
    file: "database.xta",
    query: "A[] forall (i : id_t) forall (j : id_t) (User(i).Working && User(j).Working imply i == j)",
    columns: &[
        Column {
            formula: Some(|n| (16 * n).checked_mul(power(7, n - 1)?)),
            ..plain("explicit", "explicit", Update::Simple)
        },
        Column { formula: Some(|n| (7 * n).checked_mul(power(4, n - 1)?)), ..plain("cover", "cover", Update::Cover) },
        OWN,
    ],
    text: include_str!("../../../../models/lattice/database.xta"),
};

/// Figure 5.
pub const FULL: Figure = Figure {
    name: "5",
    title: "a database never is full",
    unit: "users",
    sizes: &[8, 9, 10, 11, 12, 16, 17],
    quick: 5,
    file: "full.xml",
    query: "A[] !Database.Full",
    columns: &[
        Column {
            formula: Some(|n| (3 * n + 1).checked_mul(power(2, n)? - 1)?.checked_add(1)?.checked_sub(n * n)),
            ..plain("explicit", "explicit", Update::Simple)
        },
        Column { trusts: true, formula: Some(|n| Some(6 * n + 3)), ..plain("naive", "join, naive", Update::Join) },
        Column {
            trusts: true,
            strategy: Some("if(x.absent.num0s() + y.absent.num0s() < N)"),
            counted: Counted::Stored,
            ..plain("refined", "join, refined by hand", Update::Join)
        },
        OWN,
    ],
    text: include_str!("../../../../models/lattice/full.xml"),
};

/// Figure 6.
pub const LEADER: Figure = Figure {
    name: "6",
    title: "only the agent with the greatest number becomes leader",
    unit: "agents",
    sizes: &[5, 6, 7, 15, 25, 50, 100],
    quick: 5,
    file: "leader.xta",
    query: "A[] forall (i : id_t) (Agent(i).Leader imply i == N - 1)",
    columns: &[
        Column {
            formula: Some(|n| (1..=n).try_fold(n + 2, u64::checked_mul)),
            ..plain("explicit", "explicit", Update::Simple)
        },
        Column { formula: Some(|n| Some((n + 2) * (n + 1) * n / 6 + 2)), ..plain("cover", "cover", Update::Cover) },
        Column { formula: Some(|n| Some((n + 1) * n / 2 + 2)), ..plain("join", "join", Update::Join) },
    ],
    text: include_str!("../../../../models/lattice/leader.xta"),
};

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURES: [&Figure; 3] = [&DATABASE, &FULL, &LEADER];

    #[test]
    fn the_formulas_give_the_numbers_of_the_paper() {
        let mut compared = 0;
        for figure in FIGURES {
            for column in figure.columns {
                for size in figure.sizes {
                    let cell = published::cell(figure.name, &size.to_string(), column.name);
                    if let (Some(cell), Some(expected)) = (cell, column.expected(*size)) {
                        assert_eq!(cell.states, expected, "{} {size} {}", figure.name, column.name);
                        compared += 1;
                    }
                }
            }
        }
        assert_eq!(compared, 10 + 11 + 15);
    }

    #[test]
    fn searches_with_too_many_states_are_not_run() {
        let explicit = |size| LEADER.is_run(&LEADER.columns[0], size);
        assert_eq!([7, 8, 15, 25, 100].map(explicit), [true, true, false, false, false]);
        assert!(FULL.sizes.iter().all(|size| FULL.columns.iter().all(|column| FULL.is_run(column, *size))));
    }

    #[test]
    fn sizes_are_put_into_the_texts() {
        for figure in FIGURES {
            assert!(figure.model(13).contains("const int N = 13;\n"), "{}", figure.name);
            assert!(figure.sizes.is_sorted() && figure.quick <= figure.sizes.len());
        }
    }
}
