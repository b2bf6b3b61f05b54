//! Random options for each command.

use oracle::random::Rng;

use super::{
    case::{Action, FuzzCase},
    mutate::mutate,
    sample::output,
};
use crate::options::VERIFY;

/// An option with some of its values; none for a flag.
type OptionValues = (&'static str, &'static [&'static str]);

const GRAPH: &[OptionValues] = &[
    ("--format", &["dot", "svg"]),
    ("--template", &["P", "Train"]),
    ("--automata", &[]),
    ("--states", &[]),
    ("--order", &["bfs", "dfs", "waiting"]),
    ("--abstraction", &["auto", "alu", "extra-m", "none"]),
    ("--update", &["simple", "cover", "join"]),
    ("--join", &["always", "at(P.A)", "of(zones)"]),
    ("--widen", &["1"]),
    ("--state-limit", &["0", "1", "50", "5000"]),
];

const SIMULATE: &[OptionValues] = &[("--seed", &["0", "3"]), ("--random", &["0", "1", "30", "2000"])];

const VERIFYTA: &[OptionValues] = &[
    ("-o", &["0", "1", "2", "3", "4", "6", "5"]),
    ("-t", &["0", "1", "2", "3"]),
    ("-y", &[]),
    ("-Y", &[]),
    ("-S", &["0", "1", "2", "3"]),
    ("-C", &[]),
    ("-A", &[]),
    ("-Z", &[]),
    ("-T", &[]),
    ("-n", &["0", "1", "2", "3", "4"]),
    ("-u", &[]),
    ("-q", &[]),
    ("-s", &[]),
    ("-r", &["5"]),
    ("--query-index", &["0", "1", "9"]),
];

const LIST: &[&str] = &[
    "heuristics",
    "features",
    "orders",
    "abstractions",
    "updates",
    "joins",
    "lattices",
    "encodings",
    "solvers",
    "nothing",
];

/// Returns the options of a command with some of their values.
fn known(action: Action) -> Vec<(String, Vec<&'static str>)> {
    let plain =
        |list: &[OptionValues]| list.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
    match action {
        Action::Verify | Action::Report => {
            VERIFY.iter().map(|option| (format!("--{}", option.name), [option.values, option.odd].concat())).collect()
        }
        Action::Graph => plain(GRAPH),
        Action::Simulate => plain(SIMULATE),
        Action::Verifyta => plain(VERIFYTA),
        _ => Vec::new(),
    }
}

/// Adds options to a command line.
pub fn add(rng: &mut Rng, case: &mut FuzzCase) {
    let all = known(case.action);
    let many = if rng.chance(30) { 0 } else { rng.below(6) };
    let mut used = Vec::new();
    for _ in 0..many.min(all.len()) {
        let (option, values) = rng.pick(&all);
        // An option may be given only once.
        if used.contains(&option) {
            continue;
        }
        used.push(option);
        case.words.push(option.clone());
        if !values.is_empty() {
            let value = *rng.pick(values);
            case.words.push(if rng.chance(3) { spoiled(rng, value) } else { value.to_owned() });
        }
    }
    match case.action {
        Action::Laws => case.words.push("--laws".to_owned()),
        Action::Report => case.words.extend(["-o".to_owned(), output("html")]),
        Action::Verify => {
            written(rng, case, 15, "--trace-file", "json");
            if rng.chance(15) {
                case.words.extend(["--certificate".to_owned(), output("certificate.json")]);
            }
            written(rng, case, 5, "--smt-lib", "smt2");
        }
        Action::Convert => {
            let ending = *rng.pick(&["xml", "xta", "net", "pnml"]);
            let to = if rng.chance(20) { "-".to_owned() } else { output(ending) };
            case.words.extend(["-o".to_owned(), to, "--to".to_owned(), ending.to_owned()]);
        }
        Action::Graph => {
            let ending = *rng.pick(&["svg", "dot"]);
            written(rng, case, 60, "-o", ending);
        }
        Action::Verifyta => {
            written(rng, case, 20, "-f", "trace");
            written(rng, case, 20, "-X", "trace");
        }
        _ => {}
    }
    let reports = matches!(
        case.action,
        Action::Check | Action::Laws | Action::Verify | Action::Certify | Action::Replay | Action::Simulate
    );
    if reports && rng.chance(35) {
        case.words.extend(["--format".to_owned(), "json".to_owned()]);
        case.json = true;
    }
    if matches!(case.action, Action::Check | Action::Laws) && rng.chance(10) {
        case.words.push("--deny-warnings".to_owned());
    }
}

/// Adds an option that names a file to write.
fn written(rng: &mut Rng, case: &mut FuzzCase, percent: usize, option: &str, ending: &str) {
    if rng.chance(percent) {
        case.words.extend([option.to_owned(), output(ending)]);
    }
}

/// Adds the words of `list`.
pub fn list(rng: &mut Rng, case: &mut FuzzCase) {
    case.words.push((*rng.pick(LIST)).to_owned());
    if rng.chance(50) {
        case.words.push(spoiled(rng, "interval"));
    }
    if rng.chance(40) {
        case.words.extend(["--format".to_owned(), "json".to_owned()]);
        case.json = true;
    }
}

/// Returns a word that is probably invalid. It does not look like an option, so that no unexpected
/// file is written.
fn spoiled(rng: &mut Rng, word: &str) -> String {
    let bytes = mutate(rng, word.as_bytes(), b"P.A at of if max user 1/0 \xc2\x9b");
    let text: String = String::from_utf8_lossy(&bytes).chars().filter(|&c| c != '\0').take(2_000).collect();
    text.trim_start_matches('-').to_owned()
}
