//! Heuristics that explore a database before the search, as the user writes them.

use std::fmt;

use explore::heuristic::{
    Budget, Evaluator,
    merge::{FactorSize, Merge},
    pattern::{Pattern, Pdb},
    predicate::{PredicateAbstraction, PredicateSettings, PredicateSource, SubnetworkBound},
};
use model::{Formula, System};

use crate::words::OptionError;

/// An abstraction that is explored before the search, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Predicates from the text of the model.
    Syntax {
        /// How many processes are in one part.
        bound: SubnetworkBound,
        /// Whether a transition of several parts counts once.
        once: bool,
    },
    /// Predicates from spurious errors.
    Refine {
        /// How many processes are in one part.
        bound: SubnetworkBound,
        /// How often predicates are added, at most.
        rounds: u32,
        /// Whether a transition of several parts counts once.
        once: bool,
    },
    /// The same, as long as it pays.
    Auto {
        /// How many processes are in one part.
        bound: SubnetworkBound,
        /// Whether a transition of several parts counts once.
        once: bool,
    },
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
            Database::Syntax { bound, once } | Database::Auto { bound, once } => {
                *once = take_once(&mut rest);
                read_bound(name, rest.next(), bound)?;
            }
            Database::Refine { bound, rounds, once } => {
                *once = take_once(&mut rest);
                read_bound(name, rest.next(), bound)?;
                read_number(name, "a number of rounds", rest.next(), 0, rounds)?;
            }
            Database::Merge { most } | Database::MergeShrink { most } => {
                read_number(name, "a number of states", rest.next(), 2, most)?;
            }
            Database::Pattern { names } | Database::ZonePattern { names } => {
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
        let (Database::Pattern { names } | Database::ZonePattern { names }) = self else { return Ok(()) };
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
            Database::Syntax { .. }
            | Database::Refine { .. }
            | Database::Auto { .. }
            | Database::ZonePattern { .. } => true,
            Database::Merge { .. } | Database::MergeShrink { .. } | Database::Pattern { .. } => false,
        }
    }

    /// Whether A* finds a shortest path with it.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        match self {
            Database::Syntax { bound, once }
            | Database::Refine { bound, once, .. }
            | Database::Auto { bound, once } => *once || *bound == SubnetworkBound::All,
            _ => true,
        }
    }

    /// Makes it for a system and a goal.
    #[must_use]
    pub fn build<'s>(&self, system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Box<dyn Evaluator + 's> {
        let predicates = |bound: SubnetworkBound, source, once| -> Box<dyn Evaluator + 's> {
            Box::new(PredicateAbstraction::new(system, goal, PredicateSettings { bound, source, once }, budget))
        };
        match self {
            Database::Syntax { bound, once } => predicates(*bound, PredicateSource::Syntax, *once),
            Database::Refine { bound, rounds, once } => predicates(*bound, PredicateSource::Refine(*rounds), *once),
            Database::Auto { bound, once } => predicates(*bound, PredicateSource::Auto, *once),
            Database::Merge { most } => Box::new(Merge::new(system, goal, FactorSize::After(*most as usize), budget)),
            Database::MergeShrink { most } => {
                Box::new(Merge::new(system, goal, FactorSize::Before(*most as usize), budget))
            }
            Database::Pattern { names } if names.is_empty() => {
                Box::new(Pdb::new(system, goal, &Pattern::without_clocks(system), budget))
            }
            Database::ZonePattern { names } if names.is_empty() => Box::new(Pdb::chosen(system, goal, budget)),
            Database::Pattern { names } | Database::ZonePattern { names } => {
                Box::new(Pdb::new(system, goal, &Pattern::named(system, names), budget))
            }
        }
    }
}

/// Takes the word `once` away, if it is the last.
fn take_once<'a>(rest: &mut (impl DoubleEndedIterator<Item = &'a str> + Clone)) -> bool {
    let found = rest.clone().next_back() == Some("once");
    if found {
        rest.next_back();
    }
    found
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
        let (name, bound, rounds, once) = match self {
            Database::Syntax { bound, once } => ("pa-syntax", bound, None, once),
            Database::Refine { bound, rounds, once } => ("pa-refine", bound, Some(rounds), once),
            Database::Auto { bound, once } => ("pa-auto", bound, None, once),
            Database::Merge { most } => return write!(f, "merge({most})"),
            Database::MergeShrink { most } => return write!(f, "merge-shrink({most})"),
            Database::Pattern { names } => return write!(f, "pdb({})", names.join(",")),
            Database::ZonePattern { names } => return write!(f, "zone-pdb({})", names.join(",")),
        };
        let mut arguments = Vec::new();
        match bound {
            SubnetworkBound::Processes(bound) => arguments.push(bound.to_string()),
            SubnetworkBound::All => arguments.push("all".to_owned()),
            SubnetworkBound::Auto => {}
        }
        arguments.extend(rounds.map(ToString::to_string));
        arguments.extend(once.then(|| "once".to_owned()));
        write!(f, "{name}")?;
        if arguments.is_empty() { Ok(()) } else { write!(f, "({})", arguments.join(",")) }
    }
}
