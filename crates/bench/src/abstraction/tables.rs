//! The tables of searches.

use super::{published, search::AbstractionSearch};

/// A table of searches.
#[derive(Debug)]
pub struct AbstractionTable {
    /// The number of the paper's table that it repeats, or follows.
    pub number: u32,
    /// Whether its searches are not in the paper.
    pub later: bool,
    /// What it is about.
    pub title: &'static str,
    /// The headings of the columns.
    pub heads: Vec<String>,
    /// The lines that each model has.
    pub lines: Vec<Line>,
}

/// A line of a table.
#[derive(Debug)]
pub struct Line {
    /// The number of automata in one slice, if it distinguishes the lines of a table.
    pub bound: Option<&'static str>,
    /// A search for each column.
    pub searches: Vec<AbstractionSearch>,
}

impl AbstractionTable {
    /// Whether the paper's table that it repeats, or follows, has this model.
    pub fn has(&self, model: &str) -> bool {
        if self.number == 3 { published::refine_has(model) } else { published::syntax_has(model) }
    }

    /// What the paper prints in a cell.
    pub fn published(&self, model: &str, line: &Line, column: usize) -> Option<published::PrintedCell> {
        match (self.later, self.number, line.bound) {
            (true, ..) => None,
            (_, 1, _) => published::summary(model, column),
            (_, 2, _) => published::syntax(model, column),
            (_, _, bound) => published::refine(model, bound?, column),
        }
    }
}

/// The values of the split bound.
const BOUNDS: [&str; 5] = ["1", "2", "3", "4", "all"];

/// The numbers of refinements of Table 3.
const ROUNDS: [u32; 4] = [0, 1, 4, 7];

/// The plans of the paper for other refinements, and what Merkhet adds: parts that know what other
/// processes change.
const PLANS: [&str; 4] = ["all-paths", "relevant", "perimeter(4)", "effects"];

/// All tables, in the order in which they are printed.
pub fn tables() -> Vec<AbstractionTable> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let refine = |bound: &'static str| {
        let rounds = ROUNDS.iter().map(|rounds| AbstractionSearch::greedy(format!("pa-refine({bound},{rounds})")));
        let auto = AbstractionSearch::greedy(format!("pa-auto({bound})"));
        Line { bound: Some(bound), searches: rounds.chain([auto]).collect() }
    };
    let later = ["pa-auto", "merge-shrink", "zone-pdb"];
    vec![
        AbstractionTable {
            number: 1,
            later: false,
            title: "random depth-first, greedy by the better of hl and hu, merge(50), pa-syntax(2), pa-refine(3,4)",
            heads: words(&published::COLUMNS),
            lines: vec![Line {
                bound: None,
                searches: vec![
                    AbstractionSearch::RandomDfs,
                    AbstractionSearch::Best,
                    AbstractionSearch::greedy("merge(50)"),
                    AbstractionSearch::greedy("pa-syntax(2)"),
                    AbstractionSearch::greedy("pa-refine(3,4)"),
                ],
            }],
        },
        AbstractionTable {
            number: 1,
            later: true,
            title: "searches that came later",
            heads: words(&["pa-auto", "merge-shrink", "zone-pdb", "--order auto"]),
            lines: vec![Line {
                bound: None,
                searches: later.map(AbstractionSearch::greedy).into_iter().chain([AbstractionSearch::Auto]).collect(),
            }],
        },
        AbstractionTable {
            number: 2,
            later: false,
            title: "greedy by pa-syntax(b), with at most b automata in one part",
            heads: BOUNDS
                .iter()
                .map(|b| if *b == "all" { "Syntax-all".to_owned() } else { format!("Syntax-b{b}") })
                .collect(),
            lines: vec![Line {
                bound: None,
                searches: BOUNDS.iter().map(|bound| AbstractionSearch::greedy(format!("pa-syntax({bound})"))).collect(),
            }],
        },
        AbstractionTable {
            number: 3,
            later: false,
            title: "greedy by pa-refine(b,r), with at most b automata in one part and r refinements; and by pa-auto(b)",
            heads: ROUNDS.iter().map(|rounds| format!("r {rounds}")).chain(["pa-auto(b)".to_owned()]).collect(),
            lines: BOUNDS.into_iter().map(refine).collect(),
        },
        AbstractionTable {
            number: 1,
            later: false,
            title: "as the paper searches: abstraction extra-lu, and of equal states the youngest first",
            heads: published::COLUMNS.iter().map(|column| format!("{column}, extra-lu")).collect(),
            lines: vec![Line {
                bound: None,
                searches: vec![
                    AbstractionSearch::RandomDfs,
                    AbstractionSearch::as_paper("hl"),
                    AbstractionSearch::as_paper("merge(50)"),
                    AbstractionSearch::as_paper("pa-syntax(2,isolated)"),
                    AbstractionSearch::as_paper("pa-refine(3,4)"),
                ],
            }],
        },
        AbstractionTable {
            number: 1,
            later: true,
            title: "what the paper plans in its section 5, by pa-refine(3,4,...), searched as the paper does",
            heads: words(&PLANS),
            lines: vec![Line {
                bound: None,
                searches: PLANS
                    .iter()
                    .map(|plan| AbstractionSearch::as_paper(format!("pa-refine(3,4,{plan})")))
                    .collect(),
            }],
        },
    ]
}

/// The model whose refinements the paper follows one by one.
pub const SERIES_MODEL: &str = "C4";

/// The largest number of automata in one slice.
pub const SERIES_BOUND: u32 = 3;

/// The number of refinements in the paper.
const SERIES_ROUNDS: u32 = 10;

/// A step of the series.
#[derive(Debug)]
pub struct SeriesStep {
    /// The number of refinements; `None`: as many as seem to pay off.
    pub rounds: Option<u32>,
    /// The search.
    pub search: AbstractionSearch,
    /// The paper's figures.
    pub published: Option<published::PrintedStep>,
}

/// The series of a model, searched as the paper does: one refinement after the other, and then as
/// many as seem to pay off.
pub fn series(model: &str) -> Vec<SeriesStep> {
    let step = |rounds| SeriesStep {
        rounds: Some(rounds),
        search: AbstractionSearch::as_paper(format!("pa-refine({SERIES_BOUND},{rounds})")),
        published: (model == SERIES_MODEL).then(|| published::step(rounds)).flatten(),
    };
    let autos = [format!("pa-auto({SERIES_BOUND})"), "pa-auto".to_owned()];
    let auto = |text| SeriesStep { rounds: None, search: AbstractionSearch::AsPaper(text), published: None };
    (0..=SERIES_ROUNDS).map(step).chain(autos.map(auto)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_head() {
        for table in tables() {
            assert!(table.lines.iter().all(|line| line.searches.len() == table.heads.len()), "{}", table.title);
        }
    }

    #[test]
    fn the_paper_has_every_search_but_the_later_ones() {
        for table in tables() {
            let (model, lines) = ("C3", &table.lines);
            assert!(table.has(model) && !table.has("FC5") && !table.has("C7"));
            for line in lines {
                let cells = (0..line.searches.len()).map(|column| table.published(model, line, column).is_some());
                let theirs = |search: &AbstractionSearch| !table.later && !search.name().starts_with("pa-auto");
                assert_eq!(cells.collect::<Vec<_>>(), line.searches.iter().map(theirs).collect::<Vec<_>>());
            }
        }
        assert!(series("C4").iter().all(|step| step.published.is_some() == step.rounds.is_some()));
        assert!(series("C5").iter().all(|step| step.published.is_none()));
    }
}
