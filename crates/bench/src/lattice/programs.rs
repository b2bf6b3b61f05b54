//! Programs on a processor with a cache, for bounds on their execution time.

use verify::Update;

use super::figures::{Column, OWN, plain};

/// A program.
#[derive(Debug)]
pub struct Program {
    /// Its name in the table.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Whether all searches take less than about a second.
    pub quick: bool,
    text: &'static str,
    /// Constants of the text, and their values.
    constants: &'static [(&'static str, &'static str)],
}

const SEARCH: &str = include_str!("../../../../models/lattice/binary_search.xta");
const FILTER: &str = include_str!("../../../../models/lattice/filter.xta");

/// The programs.
pub const PROGRAMS: [Program; 5] = [
    Program {
        name: "once",
        help: "a binary search in 100 elements",
        quick: true,
        text: SEARCH,
        constants: &[("bool AGAIN", "false")],
    },
    Program { name: "again", help: "one search after the other", quick: true, text: SEARCH, constants: &[] },
    Program {
        name: "exact",
        help: "the same, for an index that is chosen at the start",
        quick: false,
        text: SEARCH,
        constants: &[("bool EXACT", "true")],
    },
    Program { name: "filter-4", help: "a filter with 4 rounds", quick: true, text: FILTER, constants: &[] },
    Program {
        name: "filter-6",
        help: "a filter with 6 rounds",
        quick: false,
        text: FILTER,
        constants: &[("int ROUNDS", "6")],
    },
];

/// The searches. The last one proves the least bound; the others explore all states.
pub const COLUMNS: [Column; 4] = [
    plain("explicit", "explicit", Update::Simple),
    plain("cover", "cover", Update::Cover),
    plain("join", "join", Update::Join),
    OWN,
];

impl Program {
    /// The model.
    pub fn model(&self) -> String {
        let mut text = self.text.to_owned();
        for (name, value) in self.constants {
            let start = format!("const {name} = ");
            let Some((before, after)) = text.split_once(&start) else { continue };
            let rest = after.trim_start_matches(|c| c != ';');
            text = format!("{before}{start}{value}{rest}");
        }
        text
    }

    /// The query that it takes no longer than `bound`.
    pub fn query(bound: i32) -> String {
        format!("A[] cost <= {bound}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_put_into_the_texts() {
        for program in &PROGRAMS {
            for (name, value) in program.constants {
                assert!(program.model().contains(&format!("const {name} = {value};\n")), "{}", program.name);
            }
        }
    }
}
