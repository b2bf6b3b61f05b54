//! The options of `verifyta`: a table, from which help is made, and the parser.

use std::{ffi::OsString, path::PathBuf};

use merkhet::Fraction;

use super::messages::UsageError;
use crate::args::{LimitArgs, bytes, duration};

/// The effect of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Help,
    Version,
    SearchOrder,
    Diagnostic,
    TraceFile,
    XmlTrace,
    Symbolic,
    Stable,
    SpaceConsumption,
    Matrices,
    Hull,
    Reuse,
    Extrapolation,
    Summary,
    Quiet,
    Silent,
    Seed,
    Alpha,
    Beta,
    Epsilon,
    Discretization,
    QueryIndex,
    TimeLimit,
    MemoryLimit,
    /// It takes a number and is ignored.
    IgnoredNumber,
    /// It is ignored, whatever its value.
    Ignored,
}

/// An option: its letter, its name, the name of its value, its effect and its help.
struct KnownOption(Option<char>, &'static str, Option<&'static str>, Effect, &'static str);

#[rustfmt::skip]
const OPTIONS: &[KnownOption] = &[
    KnownOption(Some('h'), "help", None, Effect::Help, "Print this help and exit"),
    KnownOption(Some('v'), "version", None, Effect::Version, "Print the version and exit"),
    KnownOption(Some('o'), "search-order", Some("N"), Effect::SearchOrder,
        "0: breadth first (default), 1: depth first, 2: random depth first, 3: optimal first (as 0), \
         4: random optimal depth first (as 2), 6: target first (as 0)"),
    KnownOption(Some('t'), "diagnostic", Some("N"), Effect::Diagnostic, "Make a trace: 0: some, 1: shortest, 2: fastest, \
         3: best (as 2: models have no costs)"),
    KnownOption(Some('f'), "trace-file", Some("PREFIX"), Effect::TraceFile,
        "With -t, write traces to PREFIX-N.xtr and not to the standard error; N is the number of the formula"),
    KnownOption(Some('X'), "xml-trace", Some("PREFIX"), Effect::XmlTrace, "With -t, write traces to PREFIXN.xml"),
    KnownOption(Some('y'), "symbolic", None, Effect::Symbolic, "Show traces with constraints on clocks, not with values"),
    KnownOption(Some('Y'), "stable", None, Effect::Stable,
        "The same, with only those values that lie on a run along the whole trace"),
    KnownOption(Some('S'), "statespace-consumption", Some("N"), Effect::SpaceConsumption,
        "0: none, 1: conservative (default), 2: aggressive, 3: extreme (as 2)"),
    KnownOption(Some('C'), "disable-memory-reduction", None, Effect::Matrices,
        "Use difference bound matrices; changes what is printed, nothing else"),
    KnownOption(Some('A'), "approximation-over", None, Effect::Hull, "Join zones: fewer states, and answers with MAY"),
    KnownOption(Some('Z'), "approximation-under", None, Effect::Ignored, "Accepted and ignored: answers are exact"),
    KnownOption(Some('H'), "hashtable-size", Some("N"), Effect::IgnoredNumber, "Accepted and ignored"),
    KnownOption(Some('T'), "reuse", None, Effect::Reuse, "Accepted and ignored: changes what is printed, nothing else"),
    KnownOption(Some('n'), "extrapolation", Some("N"), Effect::Extrapolation,
        "0: automatic (default), 1: none (the search may not end), 2: difference, 3: local, 4: lower/upper; \
         one that is unsound for a query is not used"),
    KnownOption(None, "state-representation", Some("N"), Effect::IgnoredNumber, "Accepted and ignored"),
    KnownOption(None, "exploration", Some("N"), Effect::IgnoredNumber, "Accepted and ignored"),
    KnownOption(Some('u'), "summary", None, Effect::Summary, "Print the number of states, the time and the memory"),
    KnownOption(Some('q'), "nosummary", None, Effect::Quiet, "Don't print the options"),
    KnownOption(Some('s'), "silence-progress", None, Effect::Silent, "Don't show the progress of a search"),
    KnownOption(None, "query-index", Some("N"), Effect::QueryIndex, "Answer only this query; the first has the index 0"),
    KnownOption(Some('r'), "seed", Some("N"), Effect::Seed, "The seed of random orders; 0 if there is none"),
    KnownOption(None, "time-limit", Some("TIME"), Effect::TimeLimit,
        "Stop a formula after this time: `10`, `90s`, `5m`; UPPAAL has no such option"),
    KnownOption(None, "memory-limit", Some("SIZE"), Effect::MemoryLimit,
        "Stop when more memory is needed: `512M`, `4G`; UPPAAL has no such option"),
    KnownOption(Some('O'), "trajectory", Some("FORMAT"), Effect::Ignored, "Accepted and ignored: values along runs are printed"),
    KnownOption(Some('a'), "alpha", Some("X"), Effect::Alpha, "The probability of false negatives; 0.05 if there is none"),
    KnownOption(Some('B'), "beta", Some("X"), Effect::Beta, "The probability of false positives; 0.05 if there is none"),
    KnownOption(Some('E'), "epsilon", Some("X"), Effect::Epsilon, "The uncertainty of probabilities; 0.05 if there is none"),
    KnownOption(Some('D'), "discretization", Some("X"), Effect::Discretization,
        "The longest step of differential equations; 0.01 if there is none"),
    KnownOption(None, "key", Some("KEY"), Effect::Ignored, "Accepted and ignored: no licence is needed"),
    KnownOption(None, "lease", Some("HOURS"), Effect::Ignored, "Accepted and ignored"),
];

/// The kind of trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnostic {
    None,
    Some,
    Shortest,
    Fastest,
    Best,
}

/// The options of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// A number of the table above.
    pub order: u8,
    /// The trace.
    pub diagnostic: Diagnostic,
    /// `-f`
    pub trace_file: Option<PathBuf>,
    /// `-X`
    pub xml_trace: Option<PathBuf>,
    /// `-y` and `-Y`: traces have constraints on clocks.
    pub symbolic: bool,
    /// `-Y`
    pub stable: bool,
    /// A number of the table above.
    pub space: u8,
    /// `-C`
    pub matrices: bool,
    /// `-A`
    pub hull: bool,
    /// `-T`
    pub reuse: bool,
    /// A number of the table above.
    pub extrapolation: u8,
    /// `-u`
    pub summary: bool,
    /// `-q`
    pub quiet: bool,
    /// `-s`
    pub silent: bool,
    /// `-r`
    pub seed: u64,
    /// `-a`
    pub alpha: Fraction,
    /// `-B`
    pub beta: Fraction,
    /// `-E`
    pub epsilon: Fraction,
    pub discretization: Fraction,
    /// `--query-index`
    pub query_index: Option<usize>,
    /// Not with `UPPAAL_DISABLE_SYMMETRY`.
    pub symmetry: bool,
    /// `--time-limit` and `--memory-limit`
    pub limits: LimitArgs,
}

impl Default for Settings {
    fn default() -> Settings {
        let statistics = merkhet::Options::default();
        Settings {
            order: 0,
            diagnostic: Diagnostic::None,
            trace_file: None,
            xml_trace: None,
            symbolic: false,
            stable: false,
            space: 1,
            matrices: false,
            hull: false,
            reuse: false,
            extrapolation: 0,
            summary: false,
            quiet: false,
            silent: false,
            seed: 0,
            alpha: statistics.alpha,
            beta: statistics.beta,
            epsilon: statistics.epsilon,
            discretization: statistics.discretization,
            query_index: None,
            symmetry: true,
            limits: LimitArgs::default(),
        }
    }
}

impl Settings {
    /// Sets an option that the model gives for a query. Unknown keys belong to other engines and
    /// are ignored.
    ///
    /// # Errors
    /// The option does not have this value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), UsageError> {
        match OPTIONS.iter().find(|known| key.strip_prefix("--") == Some(known.1)) {
            // Only queries can have the value -1: no trace.
            Some(known) if known.3 == Effect::Diagnostic && value == "-1" => self.diagnostic = Diagnostic::None,
            Some(known) => self.apply(known, value.into())?,
            None => {}
        }
        Ok(())
    }

    fn apply(&mut self, known: &KnownOption, value: OsString) -> Result<(), UsageError> {
        let KnownOption(_, name, _, effect, _) = known;
        let text = value.to_string_lossy();
        let wrong = || UsageError::InvalidArgument { value: text.to_string(), name };
        let one_of = |values: &[u8]| text.parse().ok().filter(|n| values.contains(n)).ok_or_else(wrong);
        match effect {
            Effect::SearchOrder => self.order = one_of(&[0, 1, 2, 3, 4, 6])?,
            Effect::Diagnostic => {
                self.diagnostic = match one_of(&[0, 1, 2, 3])? {
                    0 => Diagnostic::Some,
                    1 => Diagnostic::Shortest,
                    2 => Diagnostic::Fastest,
                    _ => Diagnostic::Best,
                }
            }
            Effect::SpaceConsumption => self.space = one_of(&[0, 1, 2, 3])?,
            Effect::Extrapolation => self.extrapolation = one_of(&[0, 1, 2, 3, 4])?,
            Effect::QueryIndex => self.query_index = Some(text.parse().map_err(|_| wrong())?),
            Effect::TimeLimit => self.limits.time_limit = Some(duration(&text).map_err(UsageError::InvalidLimit)?),
            Effect::MemoryLimit => self.limits.memory_limit = Some(bytes(&text).map_err(UsageError::InvalidLimit)?),
            Effect::Alpha => self.alpha = fraction(&text).ok_or_else(wrong)?,
            Effect::Beta => self.beta = fraction(&text).ok_or_else(wrong)?,
            Effect::Discretization => self.discretization = fraction(&text).ok_or_else(wrong)?,
            Effect::Epsilon => self.epsilon = fraction(&text).ok_or_else(wrong)?,
            Effect::Seed => self.seed = text.parse().map_err(|_| wrong())?,
            Effect::IgnoredNumber => drop(text.parse::<u64>().map_err(|_| wrong())?),
            Effect::TraceFile => self.trace_file = Some(value.into()),
            Effect::XmlTrace => self.xml_trace = Some(value.into()),
            Effect::Symbolic => self.symbolic = true,
            Effect::Stable => (self.symbolic, self.stable) = (true, true),
            Effect::Matrices => self.matrices = true,
            Effect::Hull => self.hull = true,
            Effect::Reuse => self.reuse = true,
            Effect::Summary => self.summary = true,
            Effect::Quiet => self.quiet = true,
            Effect::Silent => self.silent = true,
            Effect::Help | Effect::Version | Effect::Ignored => {}
        }
        Ok(())
    }
}

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub enum CommandLine {
    Help,
    Version,
    Check(Job),
}

/// A model to check.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    pub model: PathBuf,
    pub queries: Option<PathBuf>,
    pub settings: Settings,
}

/// Reads a command line. Options may come anywhere; letters may be joined, with a value after the
/// last.
///
/// # Errors
/// The command line is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<CommandLine, UsageError> {
    let mut words = words.into_iter();
    let mut settings = Settings::default();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut special = None;
    let mut only_files = false;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if only_files || text == "-" || !text.starts_with('-') {
            files.push(word.into());
        } else if text == "--" {
            only_files = true;
        } else if let Some(name) = text.strip_prefix("--") {
            let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            let known = find(|known| known.1 == name).ok_or_else(|| unknown(&format!("--{name}")))?;
            let value = match (known.2, value) {
                (None, None) => OsString::new(),
                (None, Some(_)) => return Err(UsageError::NeedlessArgument(known.1)),
                (Some(_), Some(value)) => value.into(),
                (Some(_), None) => words.next().ok_or(UsageError::MissingArgument(known.1))?,
            };
            settings.apply(known, value)?;
            special = special.or(asks(known));
        } else {
            let mut letters = text[1..].chars();
            while let Some(letter) = letters.next() {
                let known = find(|known| known.0 == Some(letter)).ok_or_else(|| unknown(&format!("-{letter}")))?;
                let value = match known.2 {
                    None => OsString::new(),
                    Some(_) if letters.as_str().is_empty() => {
                        words.next().ok_or(UsageError::MissingArgument(known.1))?
                    }
                    Some(_) => std::mem::replace(&mut letters, "".chars()).as_str().into(),
                };
                settings.apply(known, value)?;
                special = special.or(asks(known));
            }
        }
    }
    if let Some(special) = special {
        return Ok(special);
    }
    let mut files = files.into_iter();
    let model = files.next().ok_or(UsageError::NoModel)?;
    let queries = files.next();
    match files.next() {
        None => Ok(CommandLine::Check(Job { model, queries, settings })),
        Some(file) => Err(UsageError::TooManyFiles(file)),
    }
}

/// Reads a number between 0 and 1.
fn fraction(text: &str) -> Option<Fraction> {
    text.parse().ok().and_then(Fraction::new)
}

fn find(wanted: impl Fn(&KnownOption) -> bool) -> Option<&'static KnownOption> {
    OPTIONS.iter().find(|known| wanted(known))
}

fn asks(known: &KnownOption) -> Option<CommandLine> {
    match known.3 {
        Effect::Help => Some(CommandLine::Help),
        Effect::Version => Some(CommandLine::Version),
        _ => None,
    }
}

fn unknown(option: &str) -> UsageError {
    let names = OPTIONS.iter().map(|known| known.1);
    let near = option.strip_prefix("--").and_then(|name| syntax::nearest(name, names));
    match near {
        Some(near) => UsageError::MisspeltOption(option.to_owned(), near),
        None => UsageError::UnknownOption(option.to_owned()),
    }
}

/// The list of options, each with its help on the lines below. The lines fit a manual page.
pub fn list() -> String {
    let mut text = String::new();
    for KnownOption(letter, name, value, _, help) in OPTIONS {
        let names = letter.map_or_else(|| format!("--{name}"), |letter| format!("-{letter} [ --{name} ]"));
        let value = value.map_or(String::new(), |value| format!(" {value}"));
        text.push_str(&format!("  {names}{value}\n"));
        let mut line = String::new();
        for word in help.split_whitespace() {
            if line.len() + word.len() > 60 {
                text.push_str(&format!("     {line}\n"));
                line.clear();
            }
            line.push(' ');
            line.push_str(word);
        }
        text.push_str(&format!("     {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<CommandLine, UsageError> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn job(line: &str) -> Job {
        match parsed(line) {
            Ok(CommandLine::Check(job)) => job,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_stand_anywhere_and_letters_join() {
        let expected = Settings {
            order: 1,
            diagnostic: Diagnostic::Shortest,
            trace_file: Some("p/x".into()),
            summary: true,
            quiet: true,
            silent: true,
            ..Settings::default()
        };
        for line in [
            "-o1 -t1 -squ -fp/x m.xml m.q",
            "m.xml -o 1 -t 1 -f p/x m.q -s -q -u",
            "m.xml m.q --search-order=1 --diagnostic 1 --trace-file=p/x --summary -sq",
            "-squt1 -o1 -f p/x -- m.xml m.q",
        ] {
            let job = job(line);
            assert_eq!(job.settings, expected, "{line}");
            assert_eq!((job.model, job.queries), ("m.xml".into(), Some("m.q".into())), "{line}");
        }
        let job = job("-y -X pre -S2 -C -A -T -n 4 -r 7 --key K --lease 8 -E 0.1 -O std -H 27 -Z m.xml -");
        assert!(job.settings.symbolic && job.settings.matrices && job.settings.hull && job.settings.reuse);
        assert_eq!((job.settings.space, job.settings.extrapolation, job.settings.seed), (2, 4, 7));
        assert_eq!(job.queries, Some("-".into()));
    }

    #[test]
    fn wrong_lines_are_refused_with_a_reason() {
        for (line, why) in [
            ("", "no model"),
            ("-k m.xml", "'-k'"),
            ("--serach-order 1 m.xml", "search-order"),
            ("m.xml -t", "'--diagnostic'"),
            ("m.xml -t 4", "('4')"),
            ("m.xml -S4", "('4')"),
            ("m.xml --query-index -1", "('-1')"),
            ("m.xml -o5", "('5')"),
            ("m.xml -S -1", "('-1')"),
            ("m.xml --summary=1", "'--summary'"),
            ("m.xml -H many", "('many')"),
            ("a b c", "'c'"),
        ] {
            let said = parsed(line).unwrap_err().to_string();
            assert!(said.contains(why), "{line}: {said}");
        }
        assert_eq!(parsed("-h -o 1"), Ok(CommandLine::Help));
        assert_eq!(parsed("m.xml -v"), Ok(CommandLine::Version));
    }

    #[test]
    fn queries_have_options_of_their_own() {
        let mut settings = Settings::default();
        settings.set("--diagnostic", "2").unwrap();
        settings.set("--search-order", "1").unwrap();
        settings.set("--sigma", "0.1").unwrap();
        assert_eq!((settings.diagnostic, settings.order), (Diagnostic::Fastest, 1));
        settings.set("--diagnostic", "-1").unwrap();
        assert_eq!(settings.diagnostic, Diagnostic::None);
        assert!(settings.set("--extrapolation", "9").is_err());
    }
}
