//! Names in certificates and reports.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt::Write,
};

use model::{
    System,
    system::{EdgeId, Sync},
};

use crate::{
    bound::DifferenceBound,
    clauses::{ClauseLiteral, Relation},
    zone::{DifferenceConstraint, Zone},
};

/// Unique names of locations, variables, clocks and edges.
#[derive(Clone, Debug)]
pub struct Names {
    /// The locations of each process.
    pub(crate) locations: Vec<Vec<String>>,
    /// The variables, including meta variables.
    pub(crate) variables: Vec<String>,
    /// The clocks. The first is the reference clock, which has no name.
    pub(crate) clocks: Vec<String>,
    edges: Vec<String>,
    initial: Vec<i32>,
}

impl Names {
    /// Returns the names of a system.
    #[must_use]
    pub fn new(system: &System) -> Names {
        let of_process = |process: &model::system::Process| {
            let first = process.first_location.0 as usize;
            let locations = &system.locations[first..first + process.locations as usize];
            unique(locations.iter().map(|l| format!("{}.{}", process.name, l.name)))
        };
        let slots = system.processes.len()..system.initial.len();
        Names {
            locations: system.processes.iter().map(of_process).collect(),
            variables: unique(slots.map(|slot| system.slot_name(slot as u32))),
            clocks: unique(system.clocks.iter().map(|c| c.name.clone())),
            edges: (0..system.edges.len()).map(|e| edge(system, EdgeId(e as u32))).collect(),
            initial: system.initial.clone(),
        }
    }

    /// Renders an edge: `P: a -> b [c!]`.
    #[must_use]
    pub fn edge(&self, e: EdgeId) -> String {
        self.edges[e.0 as usize].clone()
    }

    /// Renders a discrete state: the location of each process, then the variables that do not have
    /// their initial values.
    #[must_use]
    pub fn row(&self, row: &[i32]) -> String {
        let mut text = String::new();
        let processes = self.locations.len();
        for (names, at) in self.locations.iter().zip(row) {
            space(&mut text);
            token(&names[*at as usize], &mut text);
        }
        let values = row[processes..].iter().zip(&self.initial[processes..]);
        for ((value, initial), name) in values.zip(&self.variables) {
            if value != initial {
                space(&mut text);
                token(name, &mut text);
                let _ = write!(text, "={value}");
            }
        }
        text
    }

    /// Renders clock constraints.
    #[must_use]
    pub fn constraints(&self, constraints: &[DifferenceConstraint]) -> String {
        let mut text = String::new();
        let mirrored = |c: &DifferenceConstraint| {
            let number = c.bound.number().unwrap_or(0);
            let opposite =
                DifferenceConstraint { left: c.right, right: c.left, bound: DifferenceBound::new(-number, false) };
            if c.bound.is_strict() { None } else { constraints.iter().position(|o| *o == opposite) }
        };
        for (i, c) in constraints.iter().enumerate() {
            let Some(number) = c.bound.number() else { continue };
            match mirrored(c) {
                // Two opposite bounds are written as one equality.
                Some(j) if j < i => continue,
                Some(_) if c.left == 0 => self.constraint(&mut text, c.right, 0, "==", -number),
                Some(_) => self.constraint(&mut text, c.left, c.right, "==", number),
                None => {
                    let strict = c.bound.is_strict();
                    if c.left == 0 {
                        self.constraint(&mut text, c.right, 0, if strict { ">" } else { ">=" }, -number);
                    } else {
                        self.constraint(&mut text, c.left, c.right, if strict { "<" } else { "<=" }, number);
                    }
                }
            }
        }
        text
    }

    fn constraint(&self, text: &mut String, left: u32, right: u32, relation: &str, number: i128) {
        space(text);
        token(&self.clocks[left as usize], text);
        if right != 0 {
            text.push('-');
            token(&self.clocks[right as usize], text);
        }
        let _ = write!(text, "{relation}{number}");
    }

    /// Renders a clause.
    #[must_use]
    pub fn clause(&self, clause: &[ClauseLiteral]) -> String {
        let mut text = String::new();
        for literal in clause {
            match literal {
                ClauseLiteral::Number { slot, relation, value } => {
                    space(&mut text);
                    let slot = *slot as usize;
                    match (self.locations.get(slot), relation) {
                        (Some(names), Relation::Is) => token(&names[*value as usize], &mut text),
                        (Some(names), Relation::IsNot) => {
                            text.push('!');
                            token(&names[*value as usize], &mut text);
                        }
                        // Locations have no order: each of those in the range is named.
                        (Some(names), _) => {
                            let in_range =
                                |at: &i32| if *relation == Relation::AtMost { at <= value } else { at >= value };
                            let names = (0..).zip(names).filter(|(at, _)| in_range(at));
                            for (i, (_, name)) in names.enumerate() {
                                text.push_str(if i > 0 { " " } else { "" });
                                token(name, &mut text);
                            }
                        }
                        (None, _) => {
                            token(&self.variables[slot - self.locations.len()], &mut text);
                            let _ = write!(text, "{}{value}", relation.text());
                        }
                    }
                }
                ClauseLiteral::Clocks(c) => {
                    let bounds = self.constraints(&[*c]);
                    space(&mut text);
                    text.push_str(&bounds);
                }
            }
        }
        text
    }

    /// Renders a state.
    #[must_use]
    pub fn state(&self, row: &[i32], zone: &Zone) -> String {
        let row = self.row(row);
        let clocks = self.constraints(&essential(zone));
        match (row.is_empty(), clocks.is_empty()) {
            (_, true) => row,
            (true, false) => clocks,
            (false, false) => format!("{row} with {clocks}"),
        }
    }
}

/// Returns constraints that define a zone, without most of the redundant ones.
fn essential(zone: &Zone) -> Vec<DifferenceConstraint> {
    let mut all = zone.constraints();
    let mut at = all.len();
    while at > 0 {
        at -= 1;
        let one = all.remove(at);
        if Zone::of(zone.clocks(), &all).as_ref() != Some(zone) {
            all.insert(at, one);
        }
    }
    all
}

fn edge(system: &System, e: EdgeId) -> String {
    let edge = &system.edges[e.0 as usize];
    let location = |l: model::system::LocationId| &system.locations[l.0 as usize].name;
    let sync = match edge.sync {
        Sync::Internal => String::new(),
        Sync::Send(c) => format!(" [{}!]", system.channels[c.0 as usize].name),
        Sync::Receive(c) => format!(" [{}?]", system.channels[c.0 as usize].name),
        Sync::Event(e) => format!(" [@{}]", system.events[e.0 as usize]),
    };
    let process = &system.processes[edge.process.0 as usize].name;
    format!("{process}: {} -> {}{sync}", location(edge.source), location(edge.target))
}

/// Makes names unique by numbers.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut all = Vec::new();
    for name in names {
        let mut fresh = name.clone();
        loop {
            match seen.entry(fresh) {
                Entry::Vacant(entry) => {
                    fresh = entry.key().clone();
                    entry.insert(1);
                    break;
                }
                Entry::Occupied(mut entry) => {
                    *entry.get_mut() += 1;
                    fresh = format!("{name}#{}", entry.get());
                }
            }
        }
        all.push(fresh);
    }
    all
}

fn space(text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
}

/// Returns whether a character may occur in an unquoted name.
pub(crate) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.()[],:#@$".contains(c)
}

/// Writes a name, quoted if it is ambiguous.
pub(crate) fn token(name: &str, text: &mut String) {
    if !name.is_empty() && name.chars().all(is_plain) {
        text.push_str(name);
    } else {
        quoted(name, text);
    }
}

/// Writes a quoted text.
pub(crate) fn quoted(name: &str, text: &mut String) {
    text.push('"');
    for c in name.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
