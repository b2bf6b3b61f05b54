//! The heuristics by their names.

mod databases;

use explore::heuristic::{
    Budget, Evaluator,
    combine::{Combination, Combined},
    coverage::Coverage,
    distance::{Combine, Distance},
    hadd::Hadd,
    hamming::Hamming,
    hff::Hff,
    hl::Hl,
    hu::Hu,
    relaxed::{Increments, RelaxationSettings},
    user::User,
};
use model::{Formula, System, code::Pc};

pub use databases::Database;

/// A heuristic that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeuristicPart {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it guesses.
    pub what: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it never says more than there is, so that A* finds a shortest way.
    pub admissible: bool,
    /// Whether it tells states from which no way leads to the goal; where it does, there is none.
    pub dead_ends: bool,
    /// Whether it takes clocks into account.
    pub clocks: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Layers,
    Plan,
    Sum,
    SumPlan,
    Distance(Combine),
    Hamming,
    Coverage,
    Database,
}

const RELAXED: &str = "Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006";
const RELAXED_PLACES: &str = "section 7 of Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006";
const PREDICATES: &str = "Hoffmann, Smaus, Rybalchenko, Kupferschmid and Podelski, MoChArt 2006";
const DISTANCES: &str = "Edelkamp, Lluch Lafuente and Leue, STTT 2004";

const fn part(name: &'static str, what: &'static str, source: &'static str, kind: Kind) -> HeuristicPart {
    HeuristicPart { name, what, source, admissible: false, dead_ends: true, clocks: false, kind }
}

/// All that have a name of their own.
pub const HEURISTICS: [HeuristicPart; 17] = [
    HeuristicPart {
        admissible: true,
        ..part("hl", "layers until the goal may be there, if whatever was reached stays reached", RELAXED, Kind::Layers)
    },
    part("hu", "transitions that are needed, if whatever was reached stays reached", RELAXED, Kind::Plan),
    HeuristicPart {
        admissible: true,
        clocks: true,
        ..part(
            "hl-loc",
            "as hl, with the values of variables and clocks at each location",
            RELAXED_PLACES,
            Kind::Layers,
        )
    },
    HeuristicPart {
        clocks: true,
        ..part("hu-loc", "as hu, with the values of variables and clocks at each location", RELAXED_PLACES, Kind::Plan)
    },
    part("hadd", "as hl, with what is needed at once added up", "Bonet and Geffner, AIJ 2001", Kind::Sum),
    part("hff", "as hu, with the plan chosen by hadd", "Keyder and Geffner, ECAI 2008", Kind::SumPlan),
    HeuristicPart {
        admissible: true,
        ..part(
            "dl",
            "the greatest distance of a process to where it must be",
            DISTANCES,
            Kind::Distance(Combine::Greatest),
        )
    },
    part("du", "the sum of these distances", DISTANCES, Kind::Distance(Combine::Sum)),
    HeuristicPart {
        dead_ends: false,
        ..part("hamming", "bits that differ from the goal", "Yang and Dill, DAC 1998", Kind::Hamming)
    },
    HeuristicPart {
        dead_ends: false,
        ..part("coverage", "how often the last edges were taken before", "Groce and Visser, ISSTA 2002", Kind::Coverage)
    },
    HeuristicPart {
        clocks: true,
        ..part(
            "pa-syntax",
            "distance in a predicate abstraction of parts of the network, by what guards and invariants say; pa-syntax(2) looks at \
             two processes at a time, and with `once` at the end transitions of several parts count once, which is admissible",
            PREDICATES,
            Kind::Database,
        )
    },
    HeuristicPart {
        clocks: true,
        ..part(
            "pa-refine",
            "the same by predicates that exclude spurious errors; pa-refine(3,4) looks at three processes at a time, in four rounds",
            PREDICATES,
            Kind::Database,
        )
    },
    HeuristicPart { clocks: true, ..part("pa-auto", "the same, in as many rounds as pay", PREDICATES, Kind::Database) },
    HeuristicPart {
        admissible: true,
        ..part(
            "merge",
            "distance in the product of all automata and variables, merged to 50 states after each step, or N with merge(N)",
            "Dr\u{e4}ger, Finkbeiner and Podelski, SPIN 2006",
            Kind::Database,
        )
    },
    HeuristicPart {
        admissible: true,
        ..part(
            "merge-shrink",
            "the same, shrunk before each step so that products have 20000 states, or N with merge-shrink(N)",
            "Helmert, Haslum, Hoffmann and Nissim, JACM 2014",
            Kind::Database,
        )
    },
    HeuristicPart {
        admissible: true,
        ..part(
            "pdb",
            "distance without clocks; pdb(P,v) keeps some processes and variables only",
            "Qian and Nymeyer, TACAS 2004",
            Kind::Database,
        )
    },
    HeuristicPart {
        admissible: true,
        clocks: true,
        ..part(
            "zone-pdb",
            "distance with some of the processes, variables and clocks, which are chosen as it pays; zone-pdb(P,v,x) names them",
            "Kupferschmid, Hoffmann and Larsen, TACAS 2008",
            Kind::Database,
        )
    },
];

/// A heuristic, as the user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// One with a name.
    Part {
        /// Which.
        part: &'static HeuristicPart,
        /// How it treats increments.
        increments: Increments,
    },
    /// One that explores an abstraction first.
    Database(Database),
    /// An expression of the model.
    User(Pc),
    /// Several as one.
    Combined(Combination, Vec<Heuristic>),
}

impl Heuristic {
    /// One by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Heuristic> {
        if let Some(database) = Database::named(name) {
            return Some(Heuristic::Database(database));
        }
        let part = HEURISTICS.iter().find(|part| part.name == name)?;
        Some(Heuristic::Part { part, increments: Increments::Step })
    }

    /// Makes it for a system and a goal.
    #[must_use]
    pub fn build<'s>(&self, system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Box<dyn Evaluator + 's> {
        match self {
            Heuristic::Database(database) => database.build(system, goal, budget),
            Heuristic::Part { part, increments } => {
                let settings = RelaxationSettings { increments: *increments, places: part.clocks };
                match part.kind {
                    Kind::Layers => Box::new(Hl::new(system, goal, settings)),
                    Kind::Plan => Box::new(Hu::new(system, goal, settings)),
                    Kind::Sum => Box::new(Hadd::new(system, goal, settings)),
                    Kind::SumPlan => Box::new(Hff::new(system, goal, settings)),
                    Kind::Distance(combine) => Box::new(Distance::new(system, goal, combine)),
                    Kind::Hamming => Box::new(Hamming::new(system, goal)),
                    Kind::Coverage => Box::new(Coverage::new(system)),
                    Kind::Database => unreachable!("made by their arguments"),
                }
            }
            Heuristic::User(expression) => Box::new(User::new(system, *expression)),
            Heuristic::Combined(how, parts) => {
                Box::new(Combined::new(*how, parts.iter().map(|part| part.build(system, goal, budget)).collect()))
            }
        }
    }

    /// Whether all that it names is there.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, system: &System) -> Result<(), String> {
        match self {
            Heuristic::Database(database) => database.check(system),
            Heuristic::Combined(_, parts) => parts.iter().try_for_each(|part| part.check(system)),
            Heuristic::Part { .. } | Heuristic::User(_) => Ok(()),
        }
    }

    /// Whether it goes by what the goal says about clocks.
    #[must_use]
    pub fn sees_clocks(&self) -> bool {
        match self {
            Heuristic::Database(database) => database.sees_clocks(),
            Heuristic::Combined(_, parts) => parts.iter().any(Heuristic::sees_clocks),
            Heuristic::Part { .. } | Heuristic::User(_) => false,
        }
    }

    /// Whether A* finds a shortest way with it.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        match self {
            Heuristic::Part { part, .. } => part.admissible,
            Heuristic::Database(database) => database.is_admissible(),
            Heuristic::User(_) => false,
            Heuristic::Combined(how, parts) => *how == Combination::Max && parts.iter().all(Heuristic::is_admissible),
        }
    }
}

/// Reads a list of heuristics: `hu,max(hl,dl)`. `expression` compiles those of the model: that in
/// `user(EXPRESSION)`, or for `user` alone the one that the model declares.
///
/// # Errors
/// What is wrong, in words.
pub fn heuristics(
    text: &str,
    expression: &mut dyn FnMut(Option<&str>) -> Result<Pc, String>,
) -> Result<Vec<Heuristic>, String> {
    split(text)?.into_iter().map(|one| heuristic(one, expression)).collect()
}

fn heuristic(text: &str, expression: &mut dyn FnMut(Option<&str>) -> Result<Pc, String>) -> Result<Heuristic, String> {
    let (name, inside) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => {
            let inside =
                rest.trim_end().strip_suffix(')').ok_or_else(|| format!("`{text}` lacks a closing parenthesis"))?;
            (name.trim(), Some(inside))
        }
    };
    match (name, inside) {
        ("user", inside) => return Ok(Heuristic::User(expression(inside)?)),
        ("max" | "sum", Some(inside)) => {
            let how = if name == "max" { Combination::Max } else { Combination::Sum };
            return Ok(Heuristic::Combined(how, heuristics(inside, expression)?));
        }
        ("max" | "sum", None) => return Err(format!("`{name}` is of others: `{name}(hl,dl)`")),
        _ => {}
    }
    let part = match Heuristic::named(name) {
        None => return Err(unknown(name)),
        Some(Heuristic::Database(database)) => {
            let arguments = inside.map_or(Ok(Vec::new()), split)?;
            return Ok(Heuristic::Database(database.with(name, &arguments)?));
        }
        Some(Heuristic::Part { part, .. }) => part,
        Some(other) => return Ok(other),
    };
    let increments = match inside.map(str::trim) {
        None => Increments::Step,
        Some(word) if !matches!(part.kind, Kind::Layers | Kind::Plan | Kind::Sum | Kind::SumPlan) => {
            return Err(format!("`{name}` takes no `{word}`"));
        }
        Some("step") => Increments::Step,
        Some("jump") => Increments::Jump,
        Some(word) => return Err(format!("increments are relaxed by `step` or `jump`, not by `{word}`")),
    };
    Ok(Heuristic::Part { part, increments })
}

fn unknown(name: &str) -> String {
    let names = HEURISTICS.iter().map(|part| part.name).chain(["user", "max", "sum"]);
    match syntax::nearest(name, names) {
        Some(near) => format!("there is no heuristic `{name}`; did you mean `{near}`?"),
        None => format!("there is no heuristic `{name}`; `merkhet list heuristics` names them"),
    }
}

/// Splits a list at its commas, but for those in parentheses.
pub(crate) fn split(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return Err(format!("`{text}` has a closing parenthesis too many"));
        }
    }
    parts.push(text[from..].trim());
    if depth > 0 {
        return Err(format!("`{text}` lacks a closing parenthesis"));
    }
    if parts.iter().any(|part| part.is_empty()) {
        return Err("the name of a heuristic is missing".to_owned());
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Heuristic>, String> {
        heuristics(text, &mut |text| {
            text.map_or(Ok(Pc(7)), |text| if text == "n + f(1, 2)" { Ok(Pc(9)) } else { Err("no".into()) })
        })
    }

    #[test]
    fn lists_are_read() {
        let [hu, max] = &read("hu, max(hl(jump),dl)").unwrap()[..] else { panic!("two") };
        assert_eq!(*hu, Heuristic::named("hu").unwrap());
        let Heuristic::Combined(Combination::Max, parts) = max else { panic!("max") };
        assert!(matches!(parts[0], Heuristic::Part { increments: Increments::Jump, .. }));
        assert!(max.is_admissible() && !hu.is_admissible());
        assert_eq!(read("user(n + f(1, 2))").unwrap(), [Heuristic::User(Pc(9))]);
        assert_eq!(read("user").unwrap(), [Heuristic::User(Pc(7))]);
    }

    #[test]
    fn mistakes_are_told() {
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
            let told = read(text).unwrap_err();
            assert!(told.contains(part), "{text}: {told}");
        }
    }
}
