//! Traces and states as plain data for pictures.
//!
//! ```
//! use merkhet::{Limits, Model, Options, Session, Source, TraceChoice, pictures};
//!
//! # let text = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;";
//! let mut model = Model::open(Source::text("delay.xta", text))?;
//! let query = model.query("E<> P.b")?;
//! let options = Options { trace: TraceChoice::Some, ..Options::default() };
//! let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ())?;
//! let trace = answer.evidence.trace.ok_or("a trace")?;
//! let trace = pictures::trace(&model.loaded, &trace, pictures::MAX_STEPS);
//! assert!(trace.sequence_chart().contains("data-step=\"1\""));
//! assert!(trace.timeline().starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod net;

use draw::{
    ActiveProcess, TraceEdge, TraceEnding, TraceEvent, TraceProcess, TraceState, TraceStay, TraceStep, TraceTime,
    TraceValue,
};
use model::{
    Model, Ratio, System,
    replay::{ConcreteState, Ending},
    simulate::Simulator,
    system::{EdgeId, LatticeOrder, LatticeVariable, ProcessId, Sync},
};
use syntax::Sources;
use verify::{Stay, Trace};

use net::DrawnNet;

/// The number of steps that a picture usually shows: more are hard to read.
pub const MAX_STEPS: usize = 300;

/// Describes the first steps of a trace. Its title is empty.
#[must_use]
pub fn trace(model: &Model, trace: &Trace, steps: usize) -> draw::DrawnTrace {
    let system = &model.system;
    let subjects = Subjects::new(system);
    let net = &subjects.net;
    let shown = trace.steps.len().min(steps);
    let rows: Vec<&[i32]> = trace.rows().take(shown + 1).collect();
    let variables = if net.is_some() { Vec::new() } else { changing(system, &rows) };
    let mut drawn = draw::DrawnTrace {
        processes: subjects.processes(),
        places: subjects.places(),
        variables: variables.iter().map(|variable| variable.name(system)).collect(),
        clocks: net.as_ref().map_or_else(|| clocks(system), DrawnNet::clocks),
        signal: model.tree.signal,
        ..draw::DrawnTrace::default()
    };
    let mut time = Some(Ratio::ZERO);
    let mut about = 0.0;
    for (number, row) in rows.iter().enumerate() {
        if model.tree.signal.raised().is_some() {
            // A state without its step would be misread.
            drawn.steps.truncate(drawn.states.len().saturating_sub(1));
            break;
        }
        let stay = trace.times.as_ref().map(|times| &times[number]);
        let from =
            TraceTime { at: about, text: time.map_or_else(|| format!("\u{2248} {about:.3}"), |t| t.to_string()) };
        if let Some(stay) = stay {
            time = time.and_then(|time| time.plus(stay.delay));
            about = time.map_or(about + number_of(stay.delay), number_of);
        }
        let values = |stay: &Stay| match net {
            Some(net) => net.ages(row, stay),
            None => stay.entered.iter().zip(&stay.left).skip(1).map(|(a, b)| Some((exact(*a), exact(*b)))).collect(),
        };
        drawn.states.push(TraceState {
            locations: subjects.locations(row),
            tokens: subjects.tokens(row),
            values: variables.iter().map(|variable| variable.value(system, row)).collect(),
            stay: stay.map(|stay| TraceStay { from, delay: exact(stay.delay), clocks: values(stay) }),
        });
        if number < shown {
            drawn.steps.push(subjects.step(&trace.steps[number].edges));
        }
    }
    drawn.omitted = trace.steps.len() - drawn.steps.len();
    drawn.ending = trace.ending.map(|ending| match ending {
        Ending::Cycle(after) => TraceEnding::Cycle(after),
        Ending::Waits => TraceEnding::Waits,
        Ending::Stops => TraceEnding::Stops,
    });
    drawn
}

/// What pictures of a system show: its processes, or its net.
pub struct Subjects<'s> {
    system: &'s System,
    net: Option<DrawnNet<'s>>,
}

impl<'s> Subjects<'s> {
    /// Finds them.
    #[must_use]
    pub fn new(system: &'s System) -> Subjects<'s> {
        Subjects { system, net: DrawnNet::new(system) }
    }

    /// Returns the processes; none for a net.
    #[must_use]
    pub fn processes(&self) -> Vec<TraceProcess> {
        if self.net.is_some() { Vec::new() } else { processes(self.system) }
    }

    /// Returns the names of the places of a net.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        self.net.as_ref().map_or_else(Vec::new, DrawnNet::places)
    }

    /// Returns the number of the location of each process in a row.
    #[must_use]
    pub fn locations(&self, row: &[i32]) -> Vec<usize> {
        if self.net.is_some() { Vec::new() } else { locations(self.system, row) }
    }

    /// Returns the tokens of each place in a row.
    #[must_use]
    pub fn tokens(&self, row: &[i32]) -> Vec<i64> {
        self.net.as_ref().map_or_else(Vec::new, |net| net.tokens(row))
    }

    /// Describes a transition.
    #[must_use]
    pub fn step(&self, edges: &[EdgeId]) -> TraceStep {
        let event = self.net.as_ref().map_or_else(|| event(self.system, edges), |net| net.event(edges));
        TraceStep { event, edges: edges.iter().map(|e| edge(self.system, *e)).collect() }
    }
}

/// Draws a state as an SVG picture: the automata with their active locations and the edges that
/// can be taken after some delay, or a net with its marking and the transitions that can fire.
///
/// Nothing is enabled if that is undecided. Once the signal of the model's tree is raised, the
/// picture is incomplete.
#[must_use]
pub fn state(model: &Model, sources: &Sources, state: &ConcreteState) -> String {
    let system = &model.system;
    let choices = Simulator::new(system).situation(state).map_or_else(|_| Vec::new(), |situation| situation.choices);
    if let Some(net) = DrawnNet::new(system) {
        let mut enabled: Vec<usize> = choices.iter().filter_map(|choice| net.fires(&choice.edges)).collect();
        enabled.sort_unstable();
        enabled.dedup();
        let marking = draw::Marking { tokens: net.tokens(&state.row), enabled };
        return draw::marking_svg(net.net, &marking, model.tree.signal);
    }
    let enabled: Vec<EdgeId> = choices.into_iter().flat_map(|choice| choice.edges).collect();
    draw::state_svg(&model.tree, sources, &active(system, &state.row, &enabled))
}

/// Describes the processes of a network in a state.
fn active(system: &System, row: &[i32], enabled: &[EdgeId]) -> Vec<ActiveProcess> {
    let mut out: Vec<ActiveProcess> = system
        .processes
        .iter()
        .zip(locations(system, row))
        .map(|(process, location)| ActiveProcess {
            name: process.name.clone(),
            template: process.template as usize,
            location,
            edges: Vec::new(),
        })
        .collect();
    for e in enabled {
        let TraceEdge { process, edge, branch } = edge(system, *e);
        out[process].edges.extend([edge].into_iter().chain(branch));
    }
    out
}

/// A value that changes along a trace.
enum Changing<'s> {
    Slot(usize),
    Element(&'s LatticeVariable),
}

impl Changing<'_> {
    fn name(&self, system: &System) -> String {
        match self {
            Changing::Slot(slot) => system.slot_name(*slot as u32),
            Changing::Element(variable) => variable.name.clone(),
        }
    }

    fn value(&self, system: &System, row: &[i32]) -> TraceValue {
        match self {
            Changing::Slot(slot) => TraceValue::Number(i64::from(row[*slot])),
            Changing::Element(variable) => TraceValue::Element(system.show(variable, row)),
        }
    }
}

/// Finds the variables and elements of library lattices that are not the same in all rows.
fn changing<'s>(system: &'s System, rows: &[&[i32]]) -> Vec<Changing<'s>> {
    // Elements of a model's own lattices have fields, which are variables.
    let is_opaque = |v: &&LatticeVariable| matches!(v.order, LatticeOrder::Library(_));
    let differs = |slots: std::ops::Range<usize>| rows.windows(2).any(|w| w[0][slots.clone()] != w[1][slots.clone()]);
    let is_plain = |slot: &usize| system.element_at(*slot as u32).filter(is_opaque).is_none();
    let slots = (system.processes.len()..system.initial.len()).filter(is_plain).filter(|slot| differs(*slot..slot + 1));
    let elements = system.lattices.iter().filter(is_opaque);
    let elements = elements.filter(|v| differs(v.first as usize..(v.first + v.width) as usize));
    slots.map(Changing::Slot).chain(elements.map(Changing::Element)).collect()
}

fn processes(system: &System) -> Vec<TraceProcess> {
    let names = |process: &model::system::Process| {
        let first = process.first_location.0 as usize;
        let locations = &system.locations[first..first + process.locations as usize];
        locations.iter().map(|location| location.name.to_string()).collect()
    };
    system
        .processes
        .iter()
        .map(|p| TraceProcess { name: p.name.clone(), template: p.template as usize, locations: names(p) })
        .collect()
}

/// Returns the names of all clocks except the reference.
fn clocks(system: &System) -> Vec<String> {
    system.clocks.iter().skip(1).map(|clock| clock.name.clone()).collect()
}

/// Returns the number of the location of each process.
fn locations(system: &System, row: &[i32]) -> Vec<usize> {
    let at = |(p, process): (usize, &model::system::Process)| {
        (system.location(row, ProcessId(p as u32)).0 - process.first_location.0) as usize
    };
    system.processes.iter().enumerate().map(at).collect()
}

fn edge(system: &System, id: EdgeId) -> TraceEdge {
    let edge = &system.edges[id.0 as usize];
    let branch = edge.branch.map(|branch| branch as usize);
    TraceEdge { process: edge.process.0 as usize, edge: edge.origin as usize, branch }
}

fn event(system: &System, edges: &[EdgeId]) -> TraceEvent {
    let mut names: Vec<&str> = Vec::new();
    for id in edges {
        match system.edges[id.0 as usize].sync {
            Sync::Send(channel) => {
                return TraceEvent::Send { channel: system.channels[channel.0 as usize].name.clone() };
            }
            Sync::Event(e) if !names.contains(&&*system.events[e.0 as usize]) => {
                names.push(&system.events[e.0 as usize])
            }
            _ => {}
        }
    }
    // Without other processes an event is the label of a step.
    if names.is_empty() { TraceEvent::Internal } else { TraceEvent::Together { names: names.join(", ") } }
}

fn exact(time: Ratio) -> TraceTime {
    TraceTime { at: number_of(time), text: time.to_string() }
}

fn number_of(time: Ratio) -> f64 {
    time.numerator() as f64 / time.denominator() as f64
}
