//! Options of `merkhet verify`, and how they are drawn.

use model::{System, system::LocationId};
use oracle::random::Rng;
use verify::{Abstraction, Guidance, Joining, Options, Order, Passing, Symmetry, Update, Wanted};

/// An option and its values, as they are typed; the empty word: it is not given.
pub struct Factor {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
    /// The first is taken at least so often of 100 times. What hides the effect of others is rare.
    first: usize,
}

const fn factor(name: &'static str, first: usize, values: &'static [&'static str]) -> Factor {
    Factor { name, values, first }
}

const FLAG: &[&str] = &["", "on"];

/// All options that are combined.
pub const FACTORS: [Factor; 20] = [
    factor("order", 15, &["greedy", "", "auto", "bfs", "dfs", "random-dfs", "waiting", "astar", "local"]),
    factor(
        "heuristic",
        0,
        &[
            "",
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
            "pa-syntax",
            "pa-syntax(1,once)",
            "pa-refine(2,3)",
            "pa-auto(once)",
            "merge",
            "merge(4)",
            "merge-shrink",
            "merge-shrink(9)",
            "pdb",
            "zone-pdb",
            "max(hl,dl)",
            "max(merge,zone-pdb)",
            "sum(hu,du)",
            "hu,merge",
        ],
    ),
    factor("weight", 50, &["", "3"]),
    factor("helpful", 40, FLAG),
    factor("useless", 40, FLAG),
    factor("heuristic-table", 70, &["", "7"]),
    factor("heuristic-budget", 50, &["2000", "20"]),
    factor("abstraction", 30, &["", "alu", "am", "extra-lu-plus", "extra-lu", "extra-m", "none"]),
    factor("update", 10, &["", "simple", "cover", "join"]),
    factor("join", 30, &["always", "at", "of", "of(zones)"]),
    factor("widen", 30, &["", "0", "2"]),
    factor("no-refine", 30, FLAG),
    factor("state-space-reduction", 20, &["", "conservative", "aggressive"]),
    factor("symmetry", 40, &["", "off"]),
    factor("trace", 40, &["some", "short", "shortest", "fastest"]),
    factor("seed", 0, &["", "7"]),
    // Not options, but settings of a search: several queries are given, so that one search may answer them; states do not differ by
    // variables that nothing reads; the states are handed out as a proof; and zones have bounds of 64 bits, which no model here needs.
    factor("together", 50, FLAG),
    factor("unread", 70, FLAG),
    factor("certificate", 70, FLAG),
    factor("wide", 60, FLAG),
];

/// One value of each option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which of the values, by option.
    pub numbers: [usize; FACTORS.len()],
    /// Where states are joined, and what, where that is chosen for the model.
    joining: Joining,
}

impl Choice {
    /// One at random.
    pub fn draw(rng: &mut Rng, system: &System) -> Choice {
        let numbers =
            FACTORS.each_ref().map(|factor| if rng.chance(factor.first) { 0 } else { rng.below(factor.values.len()) });
        let mut choice = Choice { numbers, joining: Joining::default() };
        let some = |rng: &mut Rng, most: usize| (0..most).filter(|_| rng.chance(50)).collect::<Vec<usize>>();
        match choice.value("join") {
            "at" => {
                let places = some(rng, system.locations.len());
                choice.joining.places = Some(places.into_iter().map(|i| LocationId(i as u32)).collect());
            }
            "of" => {
                choice.joining.variables = Some(some(rng, system.lattices.len()));
                choice.joining.zones = rng.chance(50);
            }
            "of(zones)" => choice.joining.variables = Some(Vec::new()),
            _ => {}
        }
        choice.joining.widen_after = choice.value("widen").parse().ok();
        choice.joining.refines = choice.value("no-refine").is_empty();
        choice
    }

    /// The value of an option, as it is typed.
    pub fn value(&self, name: &str) -> &'static str {
        let at = FACTORS.iter().position(|factor| factor.name == name);
        at.map_or("", |at| FACTORS[at].values[self.numbers[at]])
    }

    /// Whether a flag is given.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name) == "on"
    }

    /// What they mean.
    ///
    /// # Errors
    /// If a heuristic has no such name.
    pub fn options(&self) -> Result<Options, String> {
        let number = |name: &str, otherwise: usize| self.value(name).parse().unwrap_or(otherwise);
        let heuristics = match self.value("heuristic") {
            "" => Vec::new(),
            list => verify::heuristics(list, &mut |_| Err("not in the model".to_owned()))?,
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
                table: self.value("heuristic-table").parse().ok(),
                budget: number("heuristic-budget", Guidance::default().budget),
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
                "conservative" => Some(Passing::Committed),
                "aggressive" => Some(Passing::Acyclic),
                _ => None,
            },
            symmetry: if self.value("symmetry") == "off" { Symmetry::Off } else { Symmetry::On },
            wide: self.is_on("wide"),
        })
    }

    /// What to type to repeat an answer.
    pub fn command_line(&self, system: &System, file: &str, query: &str) -> String {
        let mut words = vec![format!("merkhet verify {file} -q '{query}'")];
        let joins = self.value("update") == "join";
        for factor in &FACTORS {
            let value = self.value(factor.name);
            words.push(match (factor.name, value) {
                // Nothing is joined without it, whatever the others say.
                ("join" | "widen" | "no-refine", _) if !joins => continue,
                ("join", "always") | ("trace", "some") | ("together" | "unread" | "wide", _) | (_, "") => continue,
                ("join", _) => format!("--join '{}'", self.join_list(system)),
                ("certificate", _) => "--certificate /dev/null".to_owned(),
                (name, "on") => format!("--{name}"),
                (name, value) => format!("--{name} '{value}'"),
            });
        }
        words.join(" ")
    }

    /// All values, those included that no command line has.
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
