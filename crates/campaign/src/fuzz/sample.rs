//! Attacks by seed: the same seed and corpus give the same attack.

use oracle::random::Rng;

use super::{
    case::{Action, FuzzCase, Input, OUTPUT},
    corpus::{Bundle, Corpus, Format},
    limits::RunLimits,
    mutate::mutate,
    options,
};

/// Commands of scripts.
const SCRIPT: &str = include_str!("../../samples/script.txt");

/// The name of the model file, without extension.
const MODEL: &str = "model";

/// The greatest number of queries, each of which has the time limit.
const MAX_QUERIES: usize = 3;

/// A run takes at most the time limit of this many queries.
const MAX_TURNS: usize = 10;

/// The greatest number of lines of a script, each of which is answered with all transitions.
const MAX_COMMANDS: usize = 60;

/// The greatest length of a word of a command line.
const MAX_WORD: usize = 50_000;

/// The frequency of each command.
const SHARES: [(Action, usize); 11] = [
    (Action::Check, 16),
    (Action::Laws, 3),
    (Action::Verify, 30),
    (Action::Report, 4),
    (Action::Certify, 8),
    (Action::Replay, 8),
    (Action::Convert, 7),
    (Action::Graph, 8),
    (Action::Simulate, 8),
    (Action::Verifyta, 7),
    (Action::List, 1),
];

/// Returns the attack of a seed.
pub fn sample(seed: u64, corpus: &Corpus, limits: &RunLimits) -> FuzzCase {
    // Neighbouring seeds have unrelated streams only after one step.
    let mut rng = Rng::new(Rng::new(seed).bits());
    let mut ticket = rng.below(SHARES.iter().map(|(_, share)| share).sum());
    let drawn = SHARES.iter().find(|(_, share)| {
        let won = ticket < *share;
        ticket = ticket.wrapping_sub(*share);
        won
    });
    let action = drawn.map_or(Action::Check, |(action, _)| *action);
    Maker { rng, corpus, limits }.make(action)
}

/// The source of a part of an attack.
struct Maker<'a> {
    rng: Rng,
    corpus: &'a Corpus,
    limits: &'a RunLimits,
}

impl Maker<'_> {
    fn make(mut self, action: Action) -> FuzzCase {
        let words = vec![action.command().to_owned()];
        let mut case = FuzzCase {
            action,
            format: Format::Words,
            words,
            inputs: Vec::new(),
            stdin: Vec::new(),
            turns: 1,
            json: false,
        };
        if action == Action::List {
            options::list(&mut self.rng, &mut case);
            return case;
        }
        let bundle = self.bundle(action);
        let other = self.corpus.bundles[self.rng.below(self.corpus.bundles.len())].clone();
        match action {
            Action::Certify | Action::Replay => self.evidence(&mut case, &bundle, &other),
            Action::Simulate => self.simulation(&mut case, &bundle, &other),
            _ => self.questions(&mut case, &bundle, &other),
        }
        options::add(&mut self.rng, &mut case);
        let limits = self.limits.words(action);
        // Options follow the words that they belong to.
        case.words.extend(limits);
        case
    }

    /// Draws a model. All formats have the same probability, whatever their number of files.
    fn bundle(&mut self, action: Action) -> Bundle {
        let wanted = |bundle: &&Bundle| match action {
            Action::Certify => bundle.certificate.is_some(),
            Action::Replay => bundle.trace.is_some(),
            _ => true,
        };
        let format = *self.rng.pick(&self.corpus.formats());
        let all: Vec<&Bundle> = self.corpus.bundles.iter().filter(wanted).collect();
        let fitting: Vec<&Bundle> = all.iter().copied().filter(|bundle| bundle.format == format).collect();
        let chosen = if !fitting.is_empty() { &fitting } else { &all };
        match chosen.is_empty() {
            false => (*self.rng.pick(chosen)).clone(),
            true => self.corpus.bundles[0].clone(),
        }
    }

    /// Adds the model to the command line.
    fn model(&mut self, case: &mut FuzzCase, format: Format, bytes: Vec<u8>) {
        let endings = ["xta", "xml", "ta", "tck", "net", "ndr", "pnml", "tapn", "q", "txt"];
        let ending = if self.rng.chance(4) { self.rng.pick(&endings) } else { format.ending() };
        case.turns = case.turns.max(count(&bytes, b"<formula>").min(MAX_TURNS) as u32);
        if self.rng.chance(4) && case.action != Action::Simulate {
            case.words.push("-".to_owned());
            case.stdin = bytes;
        } else {
            self.file(case, &format!("{MODEL}.{ending}"), bytes);
        }
    }

    fn file(&mut self, case: &mut FuzzCase, name: &str, bytes: Vec<u8>) {
        case.words.push(name.to_owned());
        case.inputs.push(Input { name: name.to_owned(), bytes });
    }

    /// Creates an attack with a model and queries.
    fn questions(&mut self, case: &mut FuzzCase, bundle: &Bundle, other: &Bundle) {
        let asks = matches!(case.action, Action::Check | Action::Verify | Action::Report | Action::Verifyta);
        let mutated = if asks { self.rng.below(10) } else { 0 };
        let mut model = bundle.model.clone();
        if mutated < 8 {
            model = mutate(&mut self.rng, &model, &other.model);
            case.format = bundle.format;
        }
        let mut queries = shorten(&bundle.queries);
        if mutated >= 7 {
            queries = shorten(&mutate(&mut self.rng, &queries, &other.queries));
            if mutated >= 8 {
                case.format = Format::Queries;
            }
        }
        self.model(case, bundle.format, model);
        if !asks {
            return;
        }
        // The drawings of a report have the time of one more query.
        case.turns = case.turns.max(MAX_QUERIES as u32 + u32::from(case.action == Action::Report));
        let text = String::from_utf8_lossy(&queries).replace('\0', " ");
        match self.rng.below(4) {
            0 => {}
            // Operating systems limit the length of a word, but not of a file.
            1 if case.action != Action::Verifyta && text.len() < MAX_WORD => {
                for line in text.lines().filter(|line| !line.trim().is_empty()).take(MAX_QUERIES) {
                    case.words.extend(["-q".to_owned(), line.to_owned()]);
                }
            }
            _ => {
                if case.action == Action::Check {
                    case.words.push("--queries".to_owned());
                }
                self.file(case, "queries.q", queries);
            }
        }
    }

    /// Creates an attack with a model and a trace or certificate.
    fn evidence(&mut self, case: &mut FuzzCase, bundle: &Bundle, other: &Bundle) {
        let (format, own, lent) = match case.action {
            Action::Certify => (Format::Certificate, &bundle.certificate, &other.certificate),
            _ => (Format::Trace, &bundle.trace, &other.trace),
        };
        let (mut model, mut evidence) = (bundle.model.clone(), own.clone().unwrap_or_default());
        if self.rng.chance(70) {
            evidence = mutate(&mut self.rng, &evidence, lent.as_deref().unwrap_or(b"{}"));
            case.format = format;
        } else {
            model = mutate(&mut self.rng, &model, &other.model);
            case.format = bundle.format;
        }
        // Each query of the file has the time limit.
        let word: &[u8] = if format == Format::Certificate { b"\nquery " } else { b"\"query\"" };
        case.turns = count(&evidence, word).clamp(1, MAX_TURNS) as u32;
        self.model(case, bundle.format, model);
        self.file(case, "evidence", evidence);
    }

    /// Creates an attack with a model and a script.
    fn simulation(&mut self, case: &mut FuzzCase, bundle: &Bundle, other: &Bundle) {
        let lines: Vec<&str> = SCRIPT.lines().collect();
        let mut script = String::new();
        for _ in 0..self.rng.below(25) {
            let line: &&str = self.rng.pick(&lines);
            script.push_str(line);
            script.push('\n');
        }
        let (mut model, mut script) = (bundle.model.clone(), script.into_bytes());
        if self.rng.chance(50) {
            script = first_lines(&mutate(&mut self.rng, &script, &other.queries), MAX_COMMANDS);
            case.format = Format::Script;
        } else {
            model = mutate(&mut self.rng, &model, &other.model);
            case.format = bundle.format;
        }
        // Scripts save to this file.
        case.stdin = script.into_iter().map(|b| if b == b'/' || b == b'\\' { b'_' } else { b }).collect();
        // Each command of a session has the time limit.
        case.turns = count(&case.stdin, b"\n").clamp(1, MAX_TURNS) as u32;
        self.model(case, bundle.format, model);
        if let Some(trace) = bundle.trace.clone().filter(|_| self.rng.chance(20)) {
            case.words.push("--trace".to_owned());
            self.file(case, "trace.json", trace);
        }
    }
}

/// Returns the first lines.
fn first_lines(text: &[u8], many: usize) -> Vec<u8> {
    text.split_inclusive(|&b| b == b'\n').take(many).flatten().copied().collect()
}

/// Returns the first queries.
fn shorten(queries: &[u8]) -> Vec<u8> {
    let lines = queries.split_inclusive(|&b| b == b'\n');
    lines
        .filter(|line| !line.starts_with(b"//") && !line.trim_ascii().is_empty())
        .take(MAX_QUERIES)
        .flatten()
        .copied()
        .collect()
}

fn count(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).filter(|window| *window == word).count()
}

/// Returns the name of an output file.
pub fn output(ending: &str) -> String {
    format!("{OUTPUT}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_is_the_same_attack_and_all_commands_and_formats_come() {
        let corpus = Corpus::samples();
        let limits = RunLimits::default();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..3_000 {
            let case = sample(seed, &corpus, &limits);
            assert_eq!(case.line(), sample(seed, &corpus, &limits).line());
            // All output files have known names.
            assert!(case.inputs.iter().all(|input| !input.name.contains('/')), "{}", case.line());
            seen.insert((case.format, case.action));
        }
        for action in Action::ALL {
            assert!(seen.iter().any(|(_, seen)| *seen == action), "{action:?}");
        }
        for format in corpus.formats() {
            assert!(seen.contains(&(format, Action::Verify)), "{format:?}");
        }
    }
}
