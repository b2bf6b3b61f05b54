//! The heuristics by their names.

mod databases;
mod ties;

use explore::{
    heuristic::{
        Budget, Evaluator,
        blocked::Blocked,
        combine::{Combination, Combined},
        coverage::Coverage,
        distance::{Combine, Distance},
        function::Function,
        hadd::Hadd,
        hamming::Hamming,
        hff::Hff,
        hl::Hl,
        hu::Hu,
        interleaving::Interleaving,
        predicate,
        relaxed::{Increments, RelaxationSettings},
        user::User,
    },
    user::UserHeuristic,
};
use model::{Formula, System, code::Pc};

use crate::words::{OptionError, call, split};
use predicate::{PredicateSource, SubnetworkBound};

pub use databases::Database;
pub use ties::second_estimate;

/// Makes a heuristic for a system and a goal.
type Maker = for<'s> fn(&'s System, &Formula, RelaxationSettings) -> Box<dyn Evaluator + 's>;

/// A heuristic that has a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedHeuristic {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it estimates.
    pub what: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it never overestimates, so that A* finds a shortest path.
    pub admissible: bool,
    /// Whether it recognises states from which the goal is out of reach, and never errs in that.
    pub dead_ends: bool,
    /// Whether it takes clocks into account.
    pub clocks: bool,
    /// Whether the relaxation of increments can be chosen: `hl(jump)`.
    relaxes: bool,
    make: Make,
}

/// How a heuristic is made.
#[derive(Clone, Copy, Debug)]
enum Make {
    /// From the system and the goal.
    Evaluator(Maker),
    /// From its arguments; these are the default ones.
    Database(fn() -> Database),
}

impl PartialEq for NamedHeuristic {
    fn eq(&self, other: &NamedHeuristic) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedHeuristic {}

const RELAXED: &str = "Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006";
const RELAXED_PLACES: &str = "section 7 of Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006";
const PREDICATES: &str = "Hoffmann, Smaus, Rybalchenko, Kupferschmid and Podelski, MoChArt 2006";
const DISTANCES: &str = "Edelkamp, Lluch Lafuente and Leue, STTT 2004";

const fn named(name: &'static str, what: &'static str, source: &'static str, make: Maker) -> NamedHeuristic {
    let make = Make::Evaluator(make);
    NamedHeuristic { name, what, source, admissible: false, dead_ends: true, clocks: false, relaxes: false, make }
}

/// A heuristic of the monotone relaxation.
const fn relaxed(name: &'static str, what: &'static str, source: &'static str, make: Maker) -> NamedHeuristic {
    NamedHeuristic { relaxes: true, ..named(name, what, source, make) }
}

/// A heuristic that explores an abstraction before the search.
const fn database(
    name: &'static str,
    what: &'static str,
    source: &'static str,
    defaults: fn() -> Database,
) -> NamedHeuristic {
    let make = Make::Database(defaults);
    NamedHeuristic { name, what, source, admissible: false, dead_ends: true, clocks: false, relaxes: false, make }
}

/// All that have a name of their own.
pub static HEURISTICS: [NamedHeuristic; 20] = [
    NamedHeuristic {
        admissible: true,
        ..relaxed(
            "hl",
            "layers until the goal may be there, if whatever was reached stays reached",
            RELAXED,
            |s, g, o| Box::new(Hl::new(s, g, o)),
        )
    },
    relaxed("hu", "transitions that are needed, if whatever was reached stays reached", RELAXED, |s, g, o| {
        Box::new(Hu::new(s, g, o))
    }),
    NamedHeuristic {
        admissible: true,
        clocks: true,
        ..relaxed(
            "hl-loc",
            "as hl, with the values of variables and clocks at each location",
            RELAXED_PLACES,
            |s, g, o| Box::new(Hl::new(s, g, o)),
        )
    },
    NamedHeuristic {
        clocks: true,
        ..relaxed(
            "hu-loc",
            "as hu, with the values of variables and clocks at each location",
            RELAXED_PLACES,
            |s, g, o| Box::new(Hu::new(s, g, o)),
        )
    },
    relaxed("hadd", "as hl, with what is needed at once added up", "Bonet and Geffner, AIJ 2001", |s, g, o| {
        Box::new(Hadd::new(s, g, o))
    }),
    relaxed("hff", "as hu, with the plan chosen by hadd", "Keyder and Geffner, ECAI 2008", |s, g, o| {
        Box::new(Hff::new(s, g, o))
    }),
    NamedHeuristic {
        admissible: true,
        ..named("dl", "the greatest distance of a process to where it must be", DISTANCES, |s, g, _| {
            Box::new(Distance::new(s, g, Combine::Greatest))
        })
    },
    named("du", "the sum of these distances", DISTANCES, |s, g, _| Box::new(Distance::new(s, g, Combine::Sum))),
    NamedHeuristic {
        dead_ends: false,
        ..named("hamming", "bits that differ from the goal", "Yang and Dill, DAC 1998", |s, g, _| {
            Box::new(Hamming::new(s, g))
        })
    },
    NamedHeuristic {
        dead_ends: false,
        ..named("coverage", "how often the last edges were taken before", "Groce and Visser, ISSTA 2002", |s, _, _| {
            Box::new(Coverage::new(s))
        })
    },
    NamedHeuristic {
        dead_ends: false,
        ..named(
            "interleaving",
            "how often, and how far back, the processes that just moved have moved before",
            "Groce and Visser, ISSTA 2002",
            |s, _, _| Box::new(Interleaving::new(s)),
        )
    },
    NamedHeuristic {
        dead_ends: false,
        ..named("blocked", "processes that are not blocked", "Groce and Visser, ISSTA 2002", |s, _, _| {
            Box::new(Blocked::new(s))
        })
    },
    NamedHeuristic {
        clocks: true,
        ..database(
            "pa-syntax",
            "distance in a predicate abstraction of parts of the network, by what guards and invariants say; pa-syntax(2) looks at \
             two processes at a time, and with `once` at the end transitions of several parts count once, which is admissible",
            PREDICATES,
            || databases::predicates(PredicateSource::Syntax, SubnetworkBound::Processes(2)),
        )
    },
    NamedHeuristic {
        clocks: true,
        ..database(
            "pa-refine",
            "the same by predicates that exclude spurious errors; pa-refine(3,4) looks at three processes at a time, in four rounds; \
             `all-paths` excludes all shortest errors in a round, `relevant` the one whose predicates exclude the most others, \
             `perimeter(4)` none of its last four steps; with `effects` parts know what other processes change, and with `ubtree` \
             states are looked up as in the paper",
            PREDICATES,
            || databases::predicates(PredicateSource::Refine(4), SubnetworkBound::Processes(3)),
        )
    },
    NamedHeuristic {
        clocks: true,
        ..database("pa-auto", "the same, in as many rounds as pay", PREDICATES, || {
            databases::predicates(PredicateSource::Auto, SubnetworkBound::Auto)
        })
    },
    NamedHeuristic {
        admissible: true,
        ..database(
            "merge",
            "distance in the product of all automata and variables, merged to 50 states after each step, or N with merge(N)",
            "Dr\u{e4}ger, Finkbeiner and Podelski, SPIN 2006",
            || Database::Merge { most: 50 },
        )
    },
    NamedHeuristic {
        admissible: true,
        ..database(
            "merge-shrink",
            "the same, shrunk before each step so that products have 20000 states, or N with merge-shrink(N)",
            "Helmert, Haslum, Hoffmann and Nissim, JACM 2014",
            || Database::MergeShrink { most: 20_000 },
        )
    },
    NamedHeuristic {
        admissible: true,
        ..database(
            "pdb",
            "distance without clocks; pdb(P,v) keeps some processes and variables only",
            "Qian and Nymeyer, TACAS 2004",
            || Database::Pattern { names: Vec::new() },
        )
    },
    NamedHeuristic {
        admissible: true,
        ..database(
            "symbolic-pdb",
            "the same by decision diagrams, from the goal backwards; symbolic-pdb(P,v) keeps some processes and variables only",
            "Qian and Nymeyer, TACAS 2004",
            || Database::SymbolicPattern { names: Vec::new() },
        )
    },
    NamedHeuristic {
        admissible: true,
        clocks: true,
        ..database(
            "zone-pdb",
            "distance with some of the processes, variables and clocks, which are chosen as it pays; zone-pdb(P,v,x) names them",
            "Kupferschmid, Hoffmann and Larsen, TACAS 2008",
            || Database::ZonePattern { names: Vec::new() },
        )
    },
];

/// A heuristic, as the user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// One with a name.
    Named {
        /// Which.
        heuristic: &'static NamedHeuristic,
        /// How it treats increments.
        increments: Increments,
    },
    /// One that explores an abstraction first.
    Database(Database),
    /// An expression of the model.
    User(Pc),
    /// A function of the user.
    Function(UserHeuristic),
    /// Several as one.
    Combined(Combination, Vec<Heuristic>),
}

impl Heuristic {
    /// One by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Heuristic> {
        let heuristic = HEURISTICS.iter().find(|heuristic| heuristic.name == name)?;
        Some(match heuristic.make {
            Make::Evaluator(_) => Heuristic::Named { heuristic, increments: Increments::Step },
            Make::Database(defaults) => Heuristic::Database(defaults()),
        })
    }

    /// Makes it for a system and a goal.
    #[must_use]
    pub fn build<'s>(&self, system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Box<dyn Evaluator + 's> {
        match self {
            Heuristic::Database(database) => database.build(system, goal, budget),
            Heuristic::Named { heuristic, increments } => match heuristic.make {
                Make::Evaluator(make) => {
                    make(system, goal, RelaxationSettings { increments: *increments, places: heuristic.clocks })
                }
                Make::Database(defaults) => defaults().build(system, goal, budget),
            },
            Heuristic::User(expression) => Box::new(User::new(system, *expression)),
            Heuristic::Function(heuristic) => Box::new(Function::new(system, heuristic.clone())),
            Heuristic::Combined(how, parts) => {
                Box::new(Combined::new(*how, parts.iter().map(|part| part.build(system, goal, budget)).collect()))
            }
        }
    }

    /// Whether all that it names is there.
    ///
    /// # Errors
    /// A name that the system does not have.
    pub fn check(&self, system: &System) -> Result<(), OptionError> {
        match self {
            Heuristic::Database(database) => database.check(system),
            Heuristic::Combined(_, parts) => parts.iter().try_for_each(|part| part.check(system)),
            Heuristic::Named { .. } | Heuristic::User(_) | Heuristic::Function(_) => Ok(()),
        }
    }

    /// Whether it goes by what the goal says about clocks.
    #[must_use]
    pub fn sees_clocks(&self) -> bool {
        match self {
            Heuristic::Database(database) => database.sees_clocks(),
            Heuristic::Combined(_, parts) => parts.iter().any(Heuristic::sees_clocks),
            Heuristic::Named { .. } | Heuristic::User(_) | Heuristic::Function(_) => false,
        }
    }

    /// Returns whether A* finds a shortest path with it.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        match self {
            Heuristic::Named { heuristic, .. } => heuristic.admissible,
            Heuristic::Database(database) => database.is_admissible(),
            Heuristic::User(_) => false,
            Heuristic::Function(heuristic) => heuristic.is_admissible,
            Heuristic::Combined(how, parts) => *how == Combination::Max && parts.iter().all(Heuristic::is_admissible),
        }
    }
}

/// Compiles an expression of the model: that of `user(EXPRESSION)`, or for `user` alone the one
/// that the model declares.
pub type CompileExpression<'c> = dyn FnMut(Option<&str>) -> Result<Pc, OptionError> + 'c;

/// Reads a list of heuristics: `hu,max(hl,dl)`.
///
/// # Errors
/// The first mistake.
pub fn heuristics(text: &str, expression: &mut CompileExpression<'_>) -> Result<Vec<Heuristic>, OptionError> {
    split(text)?.into_iter().map(|one| heuristic(one, expression)).collect()
}

fn heuristic(text: &str, expression: &mut CompileExpression<'_>) -> Result<Heuristic, OptionError> {
    let (name, inside) = call(text)?;
    match (name, inside) {
        ("user", inside) => return Ok(Heuristic::User(expression(inside)?)),
        ("max" | "sum", Some(inside)) => {
            let how = if name == "max" { Combination::Max } else { Combination::Sum };
            return Ok(Heuristic::Combined(how, heuristics(inside, expression)?));
        }
        ("max" | "sum", None) => return Err(OptionError::NoOperands(name.to_owned())),
        _ => {}
    }
    match Heuristic::named(name) {
        None => {
            let names = HEURISTICS.iter().map(|heuristic| heuristic.name).chain(["user", "max", "sum"]);
            Err(OptionError::unknown("heuristic", name, names, Some("`merkhet list heuristics` names them")))
        }
        Some(Heuristic::Database(database)) => {
            let arguments = inside.map_or(Ok(Vec::new()), split)?;
            Ok(Heuristic::Database(database.with(name, &arguments)?))
        }
        Some(Heuristic::Named { heuristic, .. }) => {
            let increments = match inside.map(str::trim) {
                None | Some("step") if heuristic.relaxes => Increments::Step,
                Some("jump") if heuristic.relaxes => Increments::Jump,
                Some(word) if heuristic.relaxes => return Err(OptionError::Increments(word.to_owned())),
                None => Increments::Step,
                Some(word) => {
                    let (name, word) = (name.to_owned(), word.to_owned());
                    return Err(OptionError::Unexpected { name, word, example: None });
                }
            };
            Ok(Heuristic::Named { heuristic, increments })
        }
        Some(other) => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Heuristic>, OptionError> {
        let wrong = || OptionError::Expression("no".to_owned());
        heuristics(text, &mut |text| {
            text.map_or(Ok(Pc(7)), |text| if text == "n + f(1, 2)" { Ok(Pc(9)) } else { Err(wrong()) })
        })
    }

    #[test]
    fn lists_are_read() {
        let [hu, max] = &read("hu, max(hl(jump),dl)").unwrap()[..] else { panic!("two") };
        assert_eq!(*hu, Heuristic::named("hu").unwrap());
        let Heuristic::Combined(Combination::Max, parts) = max else { panic!("max") };
        assert!(matches!(parts[0], Heuristic::Named { increments: Increments::Jump, .. }));
        assert!(max.is_admissible() && !hu.is_admissible());
        assert_eq!(read("user(n + f(1, 2))").unwrap(), [Heuristic::User(Pc(9))]);
        assert_eq!(read("user").unwrap(), [Heuristic::User(Pc(7))]);
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, part) in [
            ("hk", "did you mean `hl`"),
            ("nonsense", "`merkhet list heuristics`"),
            ("max", "`max(hl,dl)`"),
            ("hl,", "missing"),
            ("hl(jump", "lacks"),
            ("hl)", "too many"),
            ("hl(leap)", "`step` or `jump`"),
            ("dl(jump)", "takes no"),
            ("user(x)", "no"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
