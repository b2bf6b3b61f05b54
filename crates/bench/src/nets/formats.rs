//! Nets with intervals on places in the formats of other tools, which do not know such nets.
//!
//! A token of a place with an interval first waits in a place of its own, and a transition with
//! that interval makes it available. All other transitions fire at once. The reachable markings are
//! the same if the tokens of both places are added up, and so are deadlocks. One that waits at its
//! upper bound would have to inhibit already, which these tools can't express: such nets are
//! refused.

use std::fmt::Write as _;

use syntax::net::{Arc, Interval, Net, Place, Timing, Transition};

/// Why another tool can't be given a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It has no intervals on places.
    #[error("only nets with intervals on places are translated")]
    Timing,
    /// A token inhibits that is not available at once.
    #[error("the tokens of `{0}` inhibit and have to wait: other tools have no such arcs")]
    Inhibitor(String),
}

/// A net whose tokens wait in places of their own.
struct SplitNet<'n>(&'n Net);

impl<'n> SplitNet<'n> {
    fn new(net: &'n Net) -> Result<SplitNet<'n>, FormatError> {
        if net.timing != Timing::Places {
            return Err(FormatError::Timing);
        }
        let inhibitors = net.transitions.iter().flat_map(|t| &t.inhibitors);
        let places = inhibitors.map(|arc| &net.places[arc.place as usize]);
        match places.into_iter().find(|place| waits(place)) {
            Some(place) => Err(FormatError::Inhibitor(place.written.clone())),
            None => Ok(SplitNet(net)),
        }
    }

    fn place(&self, arc: &Arc) -> &'n Place {
        &self.0.places[arc.place as usize]
    }

    /// Returns the name of the place that gets new tokens.
    fn entry(&self, arc: &Arc) -> String {
        entry(self.place(arc))
    }

    /// Returns the inputs that are consumed, and those that are only tested.
    fn inputs<'t>(&self, t: &'t Transition) -> (Vec<&'n str>, Vec<&'n str>) {
        let names = |arcs: &'t [Arc]| arcs.iter().map(|arc| self.place(arc).name.as_str()).collect();
        (names(&t.takes), names(&t.tests))
    }
}

fn waits(place: &Place) -> bool {
    place.delay != Interval::NOW
}

fn entry(place: &Place) -> String {
    if waits(place) { format!("{}_waits", place.name) } else { place.name.clone() }
}

/// Returns the net in TINA's format.
///
/// # Errors
/// It can't be expressed.
pub fn tina(net: &Net) -> Result<String, FormatError> {
    let net = SplitNet::new(net)?;
    let mut out = format!("net {{{}}}\n", net.0.name);
    for place in &net.0.places {
        let _ = writeln!(out, "pl {} ({})", entry(place), place.tokens);
        if waits(place) {
            let (name, delay) = (&place.name, place.delay);
            let _ = writeln!(out, "pl {name}\ntr {name}_matures {delay} {name}_waits -> {name}");
        }
    }
    for t in &net.0.transitions {
        let (takes, tests) = net.inputs(t);
        let tests = tests.iter().map(|name| format!(" {name}?1")).collect::<String>();
        let hinders = t.inhibitors.iter().map(|arc| format!(" {}?-1", net.place(arc).name)).collect::<String>();
        let puts: Vec<String> = t.puts.iter().map(|arc| net.entry(arc)).collect();
        let _ = writeln!(out, "tr {} [0,0] {}{tests}{hinders} -> {}", t.name, takes.join(" "), puts.join(" "));
    }
    Ok(out)
}

/// Returns the net in Romeo's format, with the question whether a marking without enabled
/// transitions is reachable.
///
/// # Errors
/// It can't be expressed.
pub fn romeo(net: &Net) -> Result<String, FormatError> {
    let net = SplitNet::new(net)?;
    let mut counts = Vec::new();
    let mut transitions = String::new();
    let mut dead = Vec::new();
    for place in &net.0.places {
        counts.push(format!("{} = {}", entry(place), place.tokens));
        if waits(place) {
            let name = &place.name;
            counts.push(format!("{name} = 0"));
            let Interval { low, low_open, high, high_open } = place.delay;
            let left = if low_open { ']' } else { '[' };
            let right = high.map_or("inf[".to_owned(), |high| format!("{high}{}", if high_open { '[' } else { ']' }));
            let _ = writeln!(
                transitions,
                "transition {name}_matures {left}{low}, {right} when ({name}_waits >= 1) \
                 {{ {name}_waits = {name}_waits - 1, {name} = {name} + 1; }}"
            );
            dead.push(format!("{name}_waits < 1"));
        }
    }
    for t in &net.0.transitions {
        let (takes, tests) = net.inputs(t);
        let mut guard: Vec<(String, String)> =
            takes.iter().chain(&tests).map(|name| (format!("{name} >= 1"), format!("{name} < 1"))).collect();
        for arc in &t.inhibitors {
            let name = &net.place(arc).name;
            guard.push((format!("{name} < 1"), format!("{name} >= 1")));
        }
        let (when, never): (Vec<String>, Vec<String>) = guard.into_iter().unzip();
        let when = if when.is_empty() { "true".to_owned() } else { when.join(" and ") };
        let kept = |name: &str| t.puts.iter().any(|arc| net.entry(arc) == name);
        let taken = takes.iter().filter(|name| !kept(name)).map(|name| format!("{name} = {name} - 1"));
        let put = t.puts.iter().map(|arc| net.entry(arc)).filter(|name| !takes.contains(&name.as_str()));
        let moves: Vec<String> = taken.chain(put.map(|name| format!("{name} = {name} + 1"))).collect();
        let _ = writeln!(transitions, "transition {} [0, 0] when ({when}) {{ {}; }}", t.name, moves.join(", "));
        dead.push(format!("({})", if never.is_empty() { "false".to_owned() } else { never.join(" or ") }));
    }
    let dead = if dead.is_empty() { "true".to_owned() } else { dead.join(" and ") };
    Ok(format!("initially {{ int {}; }}\n{transitions}check EF[0, inf] ({dead})\n", counts.join(", ")))
}

/// Returns the net in the format of TAPAAL's engines. Its question is `EF deadlock`.
///
/// # Errors
/// It can't be expressed.
pub fn tapaal(net: &Net) -> Result<String, FormatError> {
    let net = SplitNet::new(net)?;
    let mut out = format!("<pnml>\n<net id=\"{}\" type=\"P/T net\">\n", net.0.name);
    let mut arcs = String::new();
    let place = |out: &mut String, name: &str, tokens: u32, invariant: &str| {
        let _ = writeln!(
            out,
            "<place id=\"{name}\" name=\"{name}\" initialMarking=\"{tokens}\" invariant=\"{invariant}\"/>"
        );
    };
    let transition = |out: &mut String, name: &str, urgent: bool| {
        let _ = writeln!(out, "<transition id=\"{name}\" name=\"{name}\" urgent=\"{urgent}\"/>");
    };
    let input = |arcs: &mut String, from: &str, to: &str, ages: &str| {
        let _ = writeln!(arcs, "<inputArc inscription=\"{ages}\" source=\"{from}\" target=\"{to}\" weight=\"1\"/>");
    };
    let output = |arcs: &mut String, from: &str, to: &str| {
        let _ = writeln!(arcs, "<outputArc inscription=\"1\" source=\"{from}\" target=\"{to}\" weight=\"1\"/>");
    };
    let mut transitions = String::new();
    for p in &net.0.places {
        if !waits(p) {
            place(&mut out, &p.name, p.tokens, "&lt; inf");
            continue;
        }
        let Interval { low, low_open, high, high_open } = p.delay;
        let less = if high_open { "&lt;" } else { "&lt;=" };
        let invariant = high.map_or("&lt; inf".to_owned(), |high| format!("{less} {high}"));
        place(&mut out, &entry(p), p.tokens, &invariant);
        place(&mut out, &p.name, 0, "&lt; inf");
        let matures = format!("{}_matures", p.name);
        transition(&mut transitions, &matures, false);
        let left = if low_open { '(' } else { '[' };
        let right = high.map_or("inf)".to_owned(), |high| format!("{high}{}", if high_open { ')' } else { ']' }));
        input(&mut arcs, &entry(p), &matures, &format!("{left}{low},{right}"));
        output(&mut arcs, &matures, &p.name);
    }
    for t in &net.0.transitions {
        transition(&mut transitions, &t.name, true);
        let (takes, tests) = net.inputs(t);
        // A token that is tested is taken and put back, since its age does not matter.
        for name in takes.iter().chain(&tests) {
            input(&mut arcs, name, &t.name, "[0,inf)");
        }
        tests.iter().for_each(|name| output(&mut arcs, &t.name, name));
        t.puts.iter().for_each(|arc| output(&mut arcs, &t.name, &net.entry(arc)));
        for arc in &t.inhibitors {
            let name = &net.place(arc).name;
            let _ = writeln!(
                arcs,
                "<inhibitorArc inscription=\"[0,inf)\" source=\"{name}\" target=\"{}\" weight=\"1\"/>",
                t.name
            );
        }
    }
    let _ = write!(out, "{transitions}{arcs}</net>\n</pnml>\n");
    Ok(out)
}
