//! Heuristics that explore a database before the search, as the user writes them.

use std::fmt;

use explore::heuristic::{
    Budget, Evaluator,
    merge::{FactorSize, Merge},
    pattern::{Pattern, Pdb, SymbolicPdb},
    predicate::{
        ExcludedPaths, Lookup, OtherProcesses, PredicateAbstraction, PredicateSettings, PredicateSource,
        SubnetworkBound,
    },
};
use model::{Formula, System};

use crate::words::{OptionError, call};

/// An abstraction that is explored before the search, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Predicates, from the text of the model or from spurious errors.
    Predicates(PredicateSettings),
    /// Products of automata and variables whose states are merged down to a number.
    Merge {
        /// How many.
        most: u32,
    },
    /// The same, shrunk before each product.
    MergeShrink {
        /// How many states a product has at most.
        most: u32,
    },
    /// Some processes and variables, and no clocks.
    Pattern {
        /// Their names; none: all.
        names: Vec<String>,
    },
    /// The same, as a decision diagram.
    SymbolicPattern {
        /// Their names; none: all.
        names: Vec<String>,
    },
    /// Some processes, variables and clocks.
    ZonePattern {
        /// Their names; none: chosen automatically.
        names: Vec<String>,
    },
}

impl Database {
    /// Reads its arguments.
    ///
    /// # Errors
    /// The first argument that does not fit.
    pub fn with(mut self, name: &str, arguments: &[&str]) -> Result<Database, OptionError> {
        let mut rest = arguments.iter().copied();
        match &mut self {
            Database::Predicates(settings) => {
                let words = arguments.iter().position(|word| is_word(settings, word)).unwrap_or(arguments.len());
                let mut numbers = arguments[..words].iter().copied();
                read_bound(name, numbers.next(), &mut settings.bound)?;
                if let PredicateSource::Refine(rounds) = &mut settings.source {
                    read_number(name, "a number of rounds", numbers.next(), 0, rounds)?;
                }
                // A number that is left is not expected.
                rest = arguments[words - numbers.len()..].iter().copied();
                while rest.clone().next().is_some_and(|word| set_word(settings, word)) {
                    rest.next();
                }
            }
            Database::Merge { most } | Database::MergeShrink { most } => {
                read_number(name, "a number of states", rest.next(), 2, most)?;
            }
            Database::Pattern { names } | Database::SymbolicPattern { names } | Database::ZonePattern { names } => {
                names.extend(rest.by_ref().map(str::to_owned));
            }
        }
        match rest.next() {
            None => Ok(self),
            Some(word) => {
                let (name, word, example) = (name.to_owned(), word.to_owned(), Some(self.to_string()));
                Err(OptionError::Unexpected { name, word, example })
            }
        }
    }

    /// Whether the names of a pattern are those of processes, variables or clocks.
    ///
    /// # Errors
    /// The first name that the system does not have, or that can't be kept.
    pub fn check(&self, system: &System) -> Result<(), OptionError> {
        let (Database::Pattern { names } | Database::SymbolicPattern { names } | Database::ZonePattern { names }) =
            self
        else {
            return Ok(());
        };
        let with_clocks = matches!(self, Database::ZonePattern { .. });
        for name in names {
            let processes = system.processes.iter().map(|p| p.name.as_str());
            let variables = system.variables.iter().map(|v| v.name.as_str());
            let clocks = system.clocks.iter().skip(1).map(|c| c.name.as_str());
            let known: Vec<&str> = processes.chain(variables).chain(clocks.clone().filter(|_| with_clocks)).collect();
            if known.contains(&name.as_str()) {
                continue;
            }
            if clocks.clone().any(|clock| clock == name) {
                return Err(OptionError::Clock(name.clone()));
            }
            return Err(OptionError::unknown("process, variable or clock", name, known, None));
        }
        Ok(())
    }

    /// Whether it goes by what the goal says about clocks.
    #[must_use]
    pub fn sees_clocks(&self) -> bool {
        match self {
            Database::Predicates(_) | Database::ZonePattern { .. } => true,
            Database::Merge { .. } | Database::MergeShrink { .. } => false,
            Database::Pattern { .. } | Database::SymbolicPattern { .. } => false,
        }
    }

    /// Whether A* finds a shortest path with it.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        match self {
            Database::Predicates(settings) => settings.once || settings.bound == SubnetworkBound::All,
            _ => true,
        }
    }

    /// Makes it for a system and a goal.
    #[must_use]
    pub fn build<'s>(&self, system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Box<dyn Evaluator + 's> {
        match self {
            Database::Predicates(settings) => Box::new(PredicateAbstraction::new(system, goal, *settings, budget)),
            Database::Merge { most } => Box::new(Merge::new(system, goal, FactorSize::After(*most as usize), budget)),
            Database::MergeShrink { most } => {
                Box::new(Merge::new(system, goal, FactorSize::Before(*most as usize), budget))
            }
            Database::Pattern { names } if names.is_empty() => {
                Box::new(Pdb::new(system, goal, &Pattern::without_clocks(system), budget))
            }
            Database::SymbolicPattern { names } if names.is_empty() => {
                Box::new(SymbolicPdb::new(system, goal, &Pattern::without_clocks(system), budget))
            }
            Database::SymbolicPattern { names } => {
                Box::new(SymbolicPdb::new(system, goal, &Pattern::named(system, names), budget))
            }
            Database::ZonePattern { names } if names.is_empty() => Box::new(Pdb::chosen(system, goal, budget)),
            Database::Pattern { names } | Database::ZonePattern { names } => {
                Box::new(Pdb::new(system, goal, &Pattern::named(system, names), budget))
            }
        }
    }
}

/// Predicates from a source, for subnetworks of some size, with the defaults of all else.
pub(super) fn predicates(source: PredicateSource, bound: SubnetworkBound) -> Database {
    let (excludes, lookup) = (ExcludedPaths::One, Lookup::Groups);
    Database::Predicates(PredicateSettings { bound, source, once: false, others: usual(source), excludes, lookup })
}

/// What subnetworks know of other processes, unless the user says so. Their effects make predicates
/// of guards more precise, but refinement then spends its rounds on them.
fn usual(source: PredicateSource) -> OtherProcesses {
    match source {
        PredicateSource::Refine(_) => OtherProcesses::Unknown,
        PredicateSource::Syntax | PredicateSource::Auto => OtherProcesses::Effects,
    }
}

/// Whether a word is a setting of predicates.
fn is_word(settings: &PredicateSettings, word: &str) -> bool {
    let mut changed = *settings;
    set_word(&mut changed, word)
}

/// The depth of `perimeter`.
const PERIMETER: u32 = 4;

/// Changes settings by a word. Returns whether it is one of theirs.
fn set_word(settings: &mut PredicateSettings, word: &str) -> bool {
    let refines = !matches!(settings.source, PredicateSource::Syntax);
    match word {
        "once" => settings.once = true,
        "effects" => settings.others = OtherProcesses::Effects,
        "isolated" => settings.others = OtherProcesses::Unknown,
        "ubtree" => settings.lookup = Lookup::Tree,
        "all-paths" if refines => settings.excludes = ExcludedPaths::All,
        "relevant" if refines => settings.excludes = ExcludedPaths::Relevant,
        "perimeter" if refines => settings.excludes = ExcludedPaths::Perimeter(PERIMETER),
        word => match call(word) {
            Ok(("perimeter", Some(depth))) if refines => match depth.trim().parse() {
                Ok(depth) => settings.excludes = ExcludedPaths::Perimeter(depth),
                Err(_) => return false,
            },
            _ => return false,
        },
    }
    true
}

fn read_bound(name: &str, word: Option<&str>, bound: &mut SubnetworkBound) -> Result<(), OptionError> {
    match word {
        None => {}
        Some("all") => *bound = SubnetworkBound::All,
        Some(word) => match word.parse() {
            Ok(number) if number > 0 => *bound = SubnetworkBound::Processes(number),
            _ => return Err(OptionError::Processes { name: name.to_owned(), word: word.to_owned() }),
        },
    }
    Ok(())
}

fn read_number(
    name: &str,
    what: &'static str,
    word: Option<&str>,
    least: u32,
    out: &mut u32,
) -> Result<(), OptionError> {
    let Some(word) = word else { return Ok(()) };
    match word.parse() {
        Ok(number) if number >= least => *out = number,
        _ => return Err(OptionError::Number { name: name.to_owned(), what, least, word: word.to_owned() }),
    }
    Ok(())
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = match self {
            Database::Predicates(settings) => settings,
            Database::Merge { most } => return write!(f, "merge({most})"),
            Database::MergeShrink { most } => return write!(f, "merge-shrink({most})"),
            Database::Pattern { names } => return write!(f, "pdb({})", names.join(",")),
            Database::SymbolicPattern { names } => return write!(f, "symbolic-pdb({})", names.join(",")),
            Database::ZonePattern { names } => return write!(f, "zone-pdb({})", names.join(",")),
        };
        let (name, rounds) = match settings.source {
            PredicateSource::Syntax => ("pa-syntax", None),
            PredicateSource::Refine(rounds) => ("pa-refine", Some(rounds)),
            PredicateSource::Auto => ("pa-auto", None),
        };
        let mut arguments = Vec::new();
        match settings.bound {
            SubnetworkBound::Processes(bound) => arguments.push(bound.to_string()),
            SubnetworkBound::All => arguments.push("all".to_owned()),
            SubnetworkBound::Auto => {}
        }
        arguments.extend(rounds.map(|rounds| rounds.to_string()));
        if settings.others != usual(settings.source) {
            let word = if settings.others == OtherProcesses::Effects { "effects" } else { "isolated" };
            arguments.push(word.to_owned());
        }
        match settings.excludes {
            ExcludedPaths::One => {}
            ExcludedPaths::All => arguments.push("all-paths".to_owned()),
            ExcludedPaths::Relevant => arguments.push("relevant".to_owned()),
            ExcludedPaths::Perimeter(depth) => arguments.push(format!("perimeter({depth})")),
        }
        arguments.extend((settings.lookup == Lookup::Tree).then(|| "ubtree".to_owned()));
        arguments.extend(settings.once.then(|| "once".to_owned()));
        write!(f, "{name}")?;
        if arguments.is_empty() { Ok(()) } else { write!(f, "({})", arguments.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_predicates_are_read_as_they_are_written() {
        let refine = || predicates(PredicateSource::Refine(4), SubnetworkBound::Processes(3));
        for text in [
            "3,4",
            "all,9,once",
            "1,0,effects",
            "2,3,all-paths,ubtree",
            "2,3,relevant,once",
            "2,3,effects,perimeter(5),ubtree,once",
        ] {
            let arguments: Vec<&str> = text.split(',').collect();
            assert_eq!(refine().with("pa-refine", &arguments).unwrap().to_string(), format!("pa-refine({text})"));
        }
        // Words may come in any order, and numbers may be left out.
        let database = refine().with("pa-refine", &["once", "perimeter", "isolated"]).unwrap();
        assert_eq!(database.to_string(), "pa-refine(3,4,perimeter(4),once)");
        let syntax = predicates(PredicateSource::Syntax, SubnetworkBound::Processes(2));
        assert_eq!(syntax.clone().with("pa-syntax", &["isolated"]).unwrap().to_string(), "pa-syntax(2,isolated)");
        for (database, name, arguments) in [
            (syntax.clone(), "pa-syntax", &["2", "relevant"][..]),
            (syntax, "pa-syntax", &["2", "3"]),
            (refine(), "pa-refine", &["2", "3", "4"]),
            (refine(), "pa-refine", &["2", "3", "once", "4"]),
            (refine(), "pa-refine", &["2", "3", "perimeter(x)"]),
            (refine(), "pa-refine", &["nobody"]),
            (refine(), "pa-refine", &["2", "often", "once"]),
        ] {
            assert!(database.with(name, arguments).is_err(), "{name} {arguments:?}");
        }
    }
}
