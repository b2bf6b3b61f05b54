//! Random options of `merkhet verify`.

use std::sync::LazyLock;

use explore::guided::TieBreak;
use model::{Formula, Property, System, code::Cmp, system::LocationId};
use oracle::{Loaded, random::Rng};
use verify::{
    Abstraction, FormulaOptions, Guidance, Joining, LocalTime, Method, OptionError, Options, Order, Skipping, Symmetry,
    Threads, TwoStates, Update, Wanted, Which,
};

use super::wrong::WrongAnswer;
use crate::options::{About, VERIFY};

/// An option with its values as on the command line. The first value means that it is not given.
pub struct Factor {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: Vec<&'static str>,
    /// The answers that it affects.
    pub about: About,
    /// The least probability of the first value, in percent.
    absent: usize,
}

/// All options that are combined. `--monotone assume` is an unchecked assumption, so with it only
/// runs and answers about networks without lattices are compared.
pub static FACTORS: LazyLock<Vec<Factor>> = LazyLock::new(|| {
    let factor = |name, absent, about, values: &[&'static str]| Factor {
        name,
        values: std::iter::once("").chain(values.iter().copied()).collect(),
        about,
        absent,
    };
    let options = VERIFY.iter().filter_map(|option| {
        let values = if option.values.is_empty() { &["on"] } else { option.values };
        option.absent.map(|absent| factor(option.name, absent, option.about, values))
    });
    // Options that depend on the network, and settings of a search that are not options: several
    // queries are answered by one search; states are not distinguished by variables that nothing
    // reads; the states become a certificate; zones have bounds of 64 bits.
    let others = [
        factor("join", 20, About::States, &["never", "at", "of", "of(zones)", "if"]),
        factor("together", 50, About::States, &["on"]),
        factor("unread", 70, About::States, &["on"]),
        factor("certificate", 60, About::All, &["on"]),
        factor("wide", 60, About::States, &["on"]),
    ];
    options.chain(others).collect()
});

/// The default budget of heuristics: random networks are small.
const DEFAULT_BUDGET: usize = 2_000;

/// The default bound of formulas. Without a bound they grow until a run is found.
const DEFAULT_BOUND: usize = 8;

/// Returns whether values of two factors may be combined: formulas and searches of states have
/// separate options.
pub fn are_compatible((a, x): (usize, usize), (b, y): (usize, usize)) -> bool {
    let is_about = |factor: usize, value: usize, about: About| value > 0 && FACTORS[factor].about == about;
    let is_engine = |factor: usize, value: usize| value == 0 && FACTORS[factor].name == "engine";
    let mixes = |a: usize, x: usize, b: usize, y: usize| {
        is_about(a, x, About::States) && is_about(b, y, About::Formulas)
            || is_engine(a, x) && is_about(b, y, About::Formulas)
    };
    !mixes(a, x, b, y) && !mixes(b, y, a, x)
}

/// One value of each option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionChoice {
    /// The index of the value of each option.
    pub numbers: Vec<usize>,
    /// The options for joining, which depend on the model.
    joining: Joining,
}

impl OptionChoice {
    /// Draws a random choice.
    pub fn draw(rng: &mut Rng, loaded: &Loaded) -> OptionChoice {
        let system = &loaded.system;
        let numbers = FACTORS
            .iter()
            .map(|factor| if rng.chance(factor.absent) { 0 } else { rng.below(factor.values.len()) })
            .collect();
        let mut choice = OptionChoice { numbers, joining: Joining::default() };
        let is_net = loaded.model.tree.net.is_some();
        if is_net && rng.chance(50) {
            // Nets have their own formulas.
            choice.set("engine", 1);
        }
        // Options without effect are not chosen, so that they are not counted as tried.
        let ignored = if choice.by_formulas() { About::States } else { About::Formulas };
        for (factor, number) in FACTORS.iter().zip(&mut choice.numbers) {
            if factor.about == ignored || factor.name == "encoding" && !is_net {
                *number = 0;
            }
        }
        let some = |rng: &mut Rng, count: usize| (0..count).filter(|_| rng.chance(50)).collect::<Vec<usize>>();
        match choice.value("join") {
            "never" => choice.joining.places = Some(Vec::new()),
            "at" => {
                let places = some(rng, system.locations.len());
                choice.joining.places = Some(places.into_iter().map(|i| LocationId(i as u32)).collect());
            }
            "of" => {
                choice.joining.variables = Some(some(rng, system.lattices.len()));
                choice.joining.zones = rng.chance(50);
            }
            "of(zones)" => choice.joining.variables = Some(Vec::new()),
            "if" => choice.joining.condition = condition(rng, &loaded.properties),
            _ => {}
        }
        choice.joining.widen_after = choice.value("widen").parse().ok();
        choice.joining.refines = choice.value("no-refine").is_empty();
        choice.joining.trusts = choice.value("monotone") == "assume";
        choice
    }

    fn set(&mut self, name: &str, number: usize) {
        FACTORS.iter().zip(&mut self.numbers).filter(|(factor, _)| factor.name == name).for_each(|(_, n)| *n = number);
    }

    /// Returns whether formulas answer.
    pub fn by_formulas(&self) -> bool {
        self.value("engine") == "smt"
    }

    /// Returns the options of formulas.
    pub fn formula_options(&self) -> FormulaOptions {
        use bounded::net::NetEncoding;
        let bound = self.value("bound").parse().ok();
        let method = match (self.value("method"), bound) {
            ("induction", _) => Method::Induction,
            ("search", _) | (_, Some(_)) => Method::Search,
            _ => Method::Invariant,
        };
        FormulaOptions {
            encoding: match self.value("encoding") {
                "la" => NetEncoding::Linear,
                "dl" => NetEncoding::Differences,
                "dl-exact" => NetEncoding::ExactDifferences,
                _ => NetEncoding::Events,
            },
            bound: bound.or((method != Method::Invariant).then_some(DEFAULT_BOUND)),
            method,
            ..FormulaOptions::default()
        }
    }

    /// Returns the value of an option as on the command line.
    pub fn value(&self, name: &str) -> &'static str {
        let at = FACTORS.iter().position(|factor| factor.name == name);
        at.map_or("", |at| FACTORS[at].values[self.numbers[at]])
    }

    /// Returns whether a flag is given.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name) == "on"
    }

    /// Returns the options of a search.
    ///
    /// # Errors
    /// There is no heuristic of this name.
    pub fn options(&self) -> Result<Options, WrongAnswer> {
        let number = |name: &str, otherwise: usize| self.value(name).parse().unwrap_or(otherwise);
        let heuristics = match self.value("heuristic") {
            "" => Vec::new(),
            list => {
                let missing = || OptionError::Expression("not in the model".to_owned());
                verify::heuristics(list, &mut |_| Err(missing()))
                    .map_err(|why| WrongAnswer::Options(why.to_string()))?
            }
        };
        let order = match self.value("order") {
            "auto" => Order::Auto,
            "bfs" => Order::Bfs,
            "dfs" => Order::Dfs,
            "random-dfs" => Order::RandomDfs,
            "waiting" => Order::Waiting,
            "astar" => Order::Astar,
            "greedy" => Order::Greedy,
            "local" => Order::Local,
            _ if !heuristics.is_empty() => Order::Greedy,
            _ => Order::Adaptive,
        };
        Ok(Options {
            order,
            guidance: Guidance {
                heuristics,
                weight: number("weight", 1) as u32,
                helpful: self.is_on("helpful"),
                useless: self.is_on("useless"),
                ties: match self.value("ties") {
                    "oldest" => TieBreak::Oldest,
                    "youngest" => TieBreak::Youngest,
                    "place" => TieBreak::Place,
                    _ => TieBreak::Auto,
                },
                covers_shorter: self.is_on("cover-shorter"),
                table: self.value("heuristic-table").parse().ok(),
                budget: number("heuristic-budget", DEFAULT_BUDGET),
            },
            abstraction: match self.value("abstraction") {
                "alu" => Some(Abstraction::Alu),
                "am" => Some(Abstraction::Am),
                "extra-lu-plus" => Some(Abstraction::ExtraLuPlus),
                "extra-lu" => Some(Abstraction::ExtraLu),
                "extra-m" => Some(Abstraction::ExtraM),
                "none" => Some(Abstraction::None),
                _ => None,
            },
            update: match self.value("update") {
                "simple" => Some(Update::Simple),
                "cover" => Some(Update::Cover),
                "join" => Some(Update::Join),
                _ => None,
            },
            joining: self.joining.clone(),
            seed: number("seed", 0) as u64,
            wanted: match self.value("trace") {
                "short" => Wanted::Short,
                "shortest" => Wanted::Shortest,
                "fastest" => Wanted::Fastest,
                _ => Wanted::Some,
            },
            passing: match self.value("state-space-reduction") {
                "conservative" => Some(Skipping::Committed),
                "aggressive" => Some(Skipping::Acyclic),
                _ => None,
            },
            symmetry: if self.value("symmetry") == "off" { Symmetry::Off } else { Symmetry::On },
            local_time: match self.value("local-time") {
                "on" => LocalTime::On,
                "off" => LocalTime::Off,
                _ => LocalTime::Auto,
            },
            wide: self.is_on("wide"),
            threads: Threads { count: number("threads", 1), after: 0 },
            user_order: None,
            cluster: None,
        })
    }

    /// Returns the command line that repeats an answer.
    pub fn command_line(&self, system: &System, file: &str, query: &str) -> String {
        let mut words = vec![format!("merkhet verify {file} -q '{query}'")];
        let joins = self.value("update") == "join";
        for factor in FACTORS.iter() {
            let value = self.value(factor.name);
            words.push(match (factor.name, value) {
                // These have no effect without `--update join`.
                ("join" | "widen" | "no-refine", _) if !joins => continue,
                ("heuristic-budget", "") if !self.by_formulas() => format!("--heuristic-budget {DEFAULT_BUDGET}"),
                ("bound", "") if self.by_formulas() && self.formula_options().bound.is_some() => {
                    format!("--bound {DEFAULT_BOUND}")
                }
                ("together" | "unread" | "wide", _) | (_, "") => continue,
                // The condition has no text. `describe` has its value.
                ("join", "if") => continue,
                ("join", "never" | "of(zones)") => format!("--join '{value}'"),
                ("join", _) => format!("--join '{}'", self.join_list(system)),
                ("certificate", _) => "--certificate /dev/null".to_owned(),
                (name, "on") => format!("--{name}"),
                (name, value) => format!("--{name} '{value}'"),
            });
        }
        words.join(" ")
    }

    /// Describes all values, including those without an option.
    pub fn describe(&self) -> String {
        let words =
            FACTORS.iter().zip(&self.numbers).map(|(factor, i)| format!("{}={}", factor.name, factor.values[*i]));
        words.collect::<Vec<String>>().join(" ")
    }

    fn join_list(&self, system: &System) -> String {
        if let Some(places) = &self.joining.places {
            let name = |place: &LocationId| {
                let location = &system.locations[place.0 as usize];
                format!("{}.{}", system.processes[location.process.0 as usize].name, location.name)
            };
            return format!("at({})", places.iter().map(name).collect::<Vec<String>>().join(","));
        }
        let variables = self.joining.variables.iter().flatten().map(|i| system.lattices[*i].name.as_str());
        format!("of({})", variables.chain(self.joining.zones.then_some("zones")).collect::<Vec<&str>>().join(","))
    }
}

/// Returns a random condition on two states: a condition of a query on one of them, or whether both
/// agree on it.
fn condition(rng: &mut Rng, properties: &[Property]) -> Option<TwoStates> {
    let mut codes = Vec::new();
    let mut open: Vec<&Formula> = properties.iter().flat_map(Property::formulas).collect();
    while let Some(formula) = open.pop() {
        match formula {
            Formula::Condition(pc) => codes.push(*pc),
            Formula::And(parts) | Formula::Or(parts) => open.extend(parts),
            _ => {}
        }
    }
    if codes.is_empty() {
        return None;
    }
    let pc = *rng.pick(&codes);
    let of = |which| Box::new(TwoStates::Of(which, pc));
    Some(match rng.below(4) {
        0 => *of(Which::Stored),
        1 => TwoStates::Not(of(Which::New)),
        2 => TwoStates::Not(of(Which::Joined)),
        _ => TwoStates::Compare(Cmp::Eq, of(Which::Stored), of(Which::New)),
    })
}
