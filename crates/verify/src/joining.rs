//! How states are joined, as the user says it.

use explore::{
    goal::asks_deadlock,
    merging::{JoinLocations, JoinStrategy, SharedGuide, TwoStates, can_split},
    store::Update,
    user::UserJoin,
};
use model::{
    Property, Quantity, System,
    code::Pc,
    system::{LocationId, Sync},
};

use crate::words::{OptionError, call, split};

/// How states are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// Only where some process is in one of these locations; `None`: everywhere.
    pub places: Option<Vec<LocationId>>,
    /// Only what these variables hold, by their places in [`model::Network::lattices`]; `None`:
    /// what all of them hold.
    pub variables: Option<Vec<usize>>,
    /// Whether zones are joined, too.
    pub zones: bool,
    /// Only states of which this holds.
    pub condition: Option<TwoStates>,
    /// Only states for which this function of the user returns `true`.
    pub function: Option<UserJoin>,
    /// After how many joins of a discrete part elements are widened.
    pub widen_after: Option<u32>,
    /// Whether joins that have led to a goal out of reach are undone.
    pub refines: bool,
    /// What the user says about paths through joins.
    pub guide: Option<SharedGuide>,
    /// Whether elements are distinguished as locations are: states neither cover others by them nor
    /// are joined.
    pub apart: bool,
    /// Whether the model is taken to be monotone, whatever is known of its guards.
    pub trusts: bool,
}

impl Default for Joining {
    fn default() -> Joining {
        Joining {
            places: None,
            variables: None,
            zones: true,
            condition: None,
            function: None,
            widen_after: None,
            refines: false,
            guide: None,
            apart: false,
            trusts: false,
        }
    }
}

/// A word of `--join`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinWord {
    /// The word, with its arguments.
    pub name: &'static str,
    /// What it says.
    pub help: &'static str,
}

/// The words of `--join`. Those of a list hold together.
pub const JOINS: &[JoinWord] = &[
    JoinWord { name: "always", help: "All states with the same locations and variables are joined" },
    JoinWord { name: "never", help: "None are; states only cover each other" },
    JoinWord { name: "at(P.A,Q.B)", help: "Only where some process is in one of these locations" },
    JoinWord { name: "of(v,w,zones)", help: "Only what these variables hold; everything else has to be equal" },
    JoinWord {
        name: "if(EXPRESSION)",
        help: "Only states of which it holds; x.v is v in the stored one, y.v in the new one, z.v in their join",
    },
];

impl Joining {
    /// Reads a list of the words in [`JOINS`]. `None`: nothing is joined. `condition` compiles what
    /// stands in `if(...)`.
    ///
    /// # Errors
    /// The first mistake.
    pub fn read(
        text: &str,
        system: &System,
        condition: &mut dyn FnMut(&str) -> Result<TwoStates, OptionError>,
    ) -> Result<Option<Joining>, OptionError> {
        let mut joining = Joining::default();
        let mut joins = true;
        for item in split(text)? {
            let (word, inside) = call(item)?;
            match (word, inside) {
                ("always", None) => {}
                ("never", None) => joins = false,
                ("at", Some(list)) => {
                    let places: Result<Vec<_>, _> =
                        split(list)?.into_iter().map(|name| location(name, system)).collect();
                    joining.places = Some(places?);
                }
                ("of", Some(list)) => {
                    let names = split(list)?;
                    joining.zones &= names.contains(&"zones");
                    let variables =
                        names.into_iter().filter(|name| *name != "zones").map(|name| variable(name, system));
                    let named = variables.collect::<Result<Vec<_>, _>>()?.concat();
                    let kept = |v: &usize| joining.variables.as_ref().is_none_or(|before| before.contains(v));
                    joining.variables = Some(named.into_iter().filter(kept).collect());
                }
                ("if", Some(expression)) => {
                    let new = condition(expression)?;
                    joining.condition = Some(match joining.condition.take() {
                        Some(before) => TwoStates::And(Box::new(before), Box::new(new)),
                        None => new,
                    });
                }
                ("at" | "of" | "if", None) => return Err(OptionError::NoArguments(word.to_owned())),
                ("always" | "never", Some(_)) => return Err(OptionError::Arguments(word.to_owned())),
                _ => {
                    let words = ["always", "never", "at", "of", "if"];
                    let advice = Some("`merkhet list joins` names them");
                    return Err(OptionError::unknown("strategy", word, words, advice));
                }
            }
        }
        Ok(joins.then_some(joining))
    }

    /// The variables in [`model::Network::lattices`] by which states may cover each other and be
    /// joined: not those on which something depends in another way than that more is possible with
    /// greater elements, for all that is known.
    pub(crate) fn merged(&self, system: &System, property: &Property, update: Update) -> Vec<usize> {
        let all = 0..system.lattices.len();
        if self.apart {
            return Vec::new();
        }
        if self.trusts {
            return all.collect();
        }
        let can_split = |pc: &Pc| update == Update::Join && can_split(system, *pc);
        let guards = system.non_monotone.iter().filter(|pc| !can_split(pc)).copied();
        let goals = property.code().into_iter().filter(|pc| system.non_monotone_goals.contains(pc));
        let apart: Vec<usize> = guards.chain(goals).flat_map(|pc| system.lattices_read(pc)).collect();
        all.filter(|i| !system.lattices[*i].varies && !apart.contains(i)).collect()
    }

    /// What a search needs to know of it.
    pub(crate) fn strategy<'s>(&self, system: &'s System) -> JoinStrategy<'s> {
        let mut strategy = JoinStrategy::always(system);
        if let Some(places) = &self.places {
            strategy.places = JoinLocations::At(places.clone());
        }
        strategy.variables.clone_from(&self.variables);
        strategy.zones = self.zones;
        strategy.function.clone_from(&self.function);
        strategy.widening = self.widen_after.map(|after| (after, thresholds(system)));
        match &self.condition {
            Some(condition) => strategy.only_if(condition.clone()),
            None => strategy,
        }
    }
}

/// The location with a name: `P.A`.
fn location(name: &str, system: &System) -> Result<LocationId, OptionError> {
    let full = |i: usize| {
        let location = &system.locations[i];
        format!("{}.{}", system.processes[location.process.0 as usize].name, location.name)
    };
    let known: Vec<String> = (0..system.locations.len()).map(full).collect();
    match known.iter().position(|known| known == name) {
        Some(i) => Ok(LocationId(i as u32)),
        None => {
            // `P.A` for one of `P(1)`, `P(2)`, …
            let bare = |known: &&String| {
                known
                    .split_once('(')
                    .zip(known.rsplit_once(")."))
                    .is_some_and(|((process, _), (_, location))| name.split_once('.') == Some((process, location)))
            };
            Err(match known.iter().find(bare) {
                Some(one) => OptionError::Unknown {
                    kind: "location",
                    name: name.to_owned(),
                    near: Some(format!("name one process, such as `{one}`")),
                },
                None => OptionError::unknown("location", name, known.iter().map(String::as_str), None),
            })
        }
    }
}

/// The lattice variables with a name; an array is all of its elements.
fn variable(name: &str, system: &System) -> Result<Vec<usize>, OptionError> {
    let is_of = |known: &str| known == name || known.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
    let found: Vec<usize> = (0..system.lattices.len()).filter(|i| is_of(&system.lattices[*i].name)).collect();
    if found.is_empty() {
        let known = system.lattices.iter().map(|v| v.name.as_str());
        return Err(OptionError::unknown("lattice variable", name, known, None));
    }
    Ok(found)
}

/// Where widening may stop: the numbers that the model mentions, and those next to them.
fn thresholds(system: &System) -> Vec<i32> {
    let mut numbers: Vec<i32> =
        system.code.constants().flat_map(|n| [n.saturating_sub(1), n, n.saturating_add(1)]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether states with greater elements can do all that others can, apart from what guards say: not
/// where it matters what a state can't do.
pub(crate) fn may_cover(system: &System, property: &Property) -> bool {
    let asks = match property {
        Property::State { goal: p, .. } => !asks_deadlock(p),
        Property::Bounds { predicate, quantities, .. } => {
            let reads = |q: &Quantity| matches!(q, Quantity::Integer(pc) if system.reads_lattices(*pc));
            !asks_deadlock(predicate) && !quantities.iter().any(reads)
        }
        Property::Run { .. } => false,
    };
    // A guard that holds of more elements makes a receiver take part, an urgent synchronisation
    // happen, or others wait.
    let forces = system.edges.iter().any(|edge| {
        let (Sync::Send(c) | Sync::Receive(c)) = edge.sync else { return false };
        let channel = &system.channels[c.0 as usize];
        let receives = matches!(edge.sync, Sync::Receive(_));
        let reads = edge.guard.condition.is_some_and(|pc| system.reads_lattices(pc));
        reads && (channel.urgent || channel.broadcast && receives)
    });
    asks && !forces && !system.has_priorities
}
