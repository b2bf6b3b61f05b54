//! The options of `merkhet verify`, for both campaigns.

/// The answers that an option affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Answers by searches of states.
    States,
    /// Answers by formulas.
    Formulas,
    /// All answers.
    All,
}

/// An option.
pub struct VerifyOption {
    /// Its name.
    pub name: &'static str,
    /// Values that are valid for every model; none for a flag.
    pub values: &'static [&'static str],
    /// Values for fuzzed command lines only: they may be rejected or depend on the model.
    pub odd: &'static [&'static str],
    /// The answers that it affects.
    pub about: About,
    /// The least probability that it is left out on random networks, in percent: options that hide
    /// the effect of others are rare. `None`: it is never given.
    pub absent: Option<usize>,
}

const fn states(
    name: &'static str,
    absent: usize,
    values: &'static [&'static str],
    odd: &'static [&'static str],
) -> VerifyOption {
    VerifyOption { name, values, odd, about: About::States, absent: Some(absent) }
}

const fn formulas(
    name: &'static str,
    absent: usize,
    values: &'static [&'static str],
    odd: &'static [&'static str],
) -> VerifyOption {
    VerifyOption { name, values, odd, about: About::Formulas, absent: Some(absent) }
}

/// An option without effect on answers, or one that depends on the model.
const fn other(name: &'static str, odd: &'static [&'static str]) -> VerifyOption {
    VerifyOption { name, values: &[], odd, about: About::All, absent: None }
}

/// All options.
pub const VERIFY: &[VerifyOption] = &[
    states("order", 0, &["greedy", "auto", "bfs", "dfs", "random-dfs", "waiting", "astar", "local"], &[]),
    states(
        "heuristic",
        0,
        &[
            "hl",
            "hl(jump)",
            "hu",
            "hl-loc",
            "hu-loc",
            "hadd",
            "hff",
            "dl",
            "du",
            "hamming",
            "coverage",
            "interleaving",
            "blocked",
            "pa-syntax",
            "pa-syntax(1,once)",
            "pa-refine(2,3)",
            "pa-refine(2,3,effects)",
            "pa-refine(2,2,all-paths)",
            "pa-refine(2,3,relevant,once)",
            "pa-refine(2,3,perimeter(2))",
            "pa-refine(1,4,ubtree)",
            "pa-syntax(2,isolated,ubtree)",
            "pa-auto(once)",
            "merge",
            "merge(4)",
            "merge-shrink",
            "merge-shrink(9)",
            "pdb",
            "symbolic-pdb",
            "zone-pdb",
            "max(hl,dl)",
            "max(merge,zone-pdb)",
            "sum(hu,du)",
            "hu,merge",
        ],
        &["pa-refine", "pa-auto", "user(1)", "user", "hu,hl", "merge(7)", "pa-syntax(2)"],
    ),
    states("weight", 50, &["3"], &["0", "1", "1000000"]),
    states("helpful", 40, &[], &[]),
    states("useless", 40, &[], &[]),
    states("ties", 40, &["oldest", "youngest", "place"], &["auto"]),
    states("cover-shorter", 40, &[], &[]),
    states("heuristic-table", 70, &["7"], &["0", "1", "100"]),
    states("heuristic-budget", 50, &["20"], &["0", "1", "1000", "100000000"]),
    states("abstraction", 30, &["alu", "am", "extra-lu-plus", "extra-lu", "extra-m", "none"], &["auto"]),
    states("update", 10, &["simple", "cover", "join"], &[]),
    other("join", &["always", "never", "of(zones)", "if(1)", "at(P.A)", "if(x.n + y.n < 3)"]),
    states("widen", 30, &["0", "2"], &["1", "5"]),
    states("no-refine", 30, &[], &[]),
    states("monotone", 70, &["assume"], &["check"]),
    states("state-space-reduction", 20, &["conservative", "aggressive"], &["none"]),
    states("symmetry", 40, &["off"], &["on"]),
    states("local-time", 40, &["on", "off"], &["auto"]),
    states("threads", 30, &["2", "3"], &["0", "1", "8", "257"]),
    states("trace", 40, &["short", "shortest", "fastest"], &["none", "some"]),
    states("seed", 0, &["7"], &["0", "18446744073709551615"]),
    formulas("engine", 90, &["smt"], &["auto", "zones"]),
    formulas("method", 30, &["search", "induction"], &["invariant"]),
    formulas("bound", 30, &["5"], &["0", "1", "40"]),
    formulas("encoding", 30, &["la", "dl", "dl-exact"], &["event"]),
    other("define", &["N=3", "K=0", "P.N=1", "N=", "=1", "N=2*K", "N=9999999999", "x={1}"]),
    other("replace", &["nothing", "unchanged", "constants"]),
    other("steps", &["single", "forall", "exists"]),
    other("no-reduce", &[]),
    other("solver", &["embedded"]),
    other("alpha", &["0.01", "0", "1", "x"]),
    other("beta", &["0.01", "0"]),
    other("epsilon", &["0.1", "0.3", "2"]),
    other("discretization", &["0.1"]),
    other("delta", &["0.05", "1"]),
    other("runs", &["1", "10", "0"]),
    other("certain", &[]),
    other("splitting", &["hu", "hl", "n", "x", ""]),
    other("state-limit", &["0", "1", "10", "1000"]),
    other("stats", &[]),
    other("progress", &["always", "never"]),
];
