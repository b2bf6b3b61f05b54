//! The parts of a model that depend on elements of lattices.

use std::collections::BTreeSet;

use model::{
    Model, System,
    code::Pc,
    system::{ClockConstraint, ClockTerm, Guard, LocationId, Operand, ProcessId, Rate},
};
use syntax::Span;

/// An edge, the invariant of a location, or what runs with every transition.
pub(super) struct Piece<'m> {
    /// Where it counts; `None`: everywhere.
    pub at: Option<(ProcessId, LocationId)>,
    /// What must hold: before the update, or in the location.
    pub guard: &'m Guard,
    /// Clocks that stand still.
    pub rates: &'m [Rate],
    /// What is done.
    pub update: Option<Pc>,
    /// What messages call the guard.
    pub name: &'static str,
    /// Where the guard is in the text.
    pub guard_span: Span,
    /// Where the update is.
    pub update_span: Span,
}

/// The pieces whose code may depend on elements, and how many places of the text these are.
pub(super) fn pieces(model: &Model) -> (Vec<Piece<'_>>, usize) {
    static TRUE: Guard = Guard { condition: None, clocks: Vec::new() };
    let system = &model.system;
    let mut all = Vec::new();
    for edge in &system.edges {
        let template = &model.tree.templates[system.processes[edge.process.0 as usize].template as usize];
        let own = template.edges.get(edge.origin as usize);
        let branch = edge.branch.and_then(|branch| template.edges.get(branch as usize));
        let update_span = [branch, own].into_iter().flatten().find_map(|edge| {
            let update = edge.update.map(|e| model.tree.span(e));
            update.or_else(|| edge.program.map(|s| model.tree.stmt(s).span))
        });
        all.push(Piece {
            at: Some((edge.process, edge.source)),
            guard: &edge.guard,
            rates: &[],
            update: edge.update,
            name: "guard",
            guard_span: own.and_then(|edge| edge.guard).map_or(Span::NONE, |e| model.tree.span(e)),
            update_span: update_span.unwrap_or(Span::NONE),
        });
    }
    for (i, location) in system.locations.iter().enumerate() {
        let process = &system.processes[location.process.0 as usize];
        let written =
            model.tree.templates[process.template as usize].locations.get(i - process.first_location.0 as usize);
        all.push(Piece {
            at: Some((location.process, LocationId(i as u32))),
            guard: &location.invariant,
            rates: &location.rates,
            update: None,
            name: "invariant",
            guard_span: written.and_then(|l| l.invariant).map_or(Span::NONE, |e| model.tree.span(e)),
            update_span: Span::NONE,
        });
    }
    for update in [system.before_update, system.after_update].into_iter().flatten() {
        let (guard_span, update_span) = (Span::NONE, Span::NONE);
        let update = Some(update);
        all.push(Piece { at: None, guard: &TRUE, rates: &[], update, name: "guard", guard_span, update_span });
    }
    let mut places = BTreeSet::new();
    all.retain(|piece| {
        let (checks, does) = (piece.checks(system), piece.does(system));
        let key = |span: Span| (span.start, span.end);
        places.extend(checks.then(|| key(piece.guard_span)));
        places.extend(does.then(|| key(piece.update_span)));
        checks || does
    });
    (all, places.len())
}

impl Piece<'_> {
    /// Whether what must hold may depend on elements.
    fn checks(&self, system: &System) -> bool {
        let rates = self.rates.iter().flat_map(|rate| rate.condition.into_iter().chain(code_of(rate.rate)));
        let clocks = self.guard.clocks.iter().flat_map(code);
        self.guard.condition.into_iter().chain(rates).chain(clocks).any(|pc| system.reads_lattices(pc))
    }

    /// Whether what is done may depend on elements.
    fn does(&self, system: &System) -> bool {
        self.update.is_some_and(|pc| system.reads_lattices(pc))
    }

    /// Whether it counts in a state.
    pub(super) fn counts(&self, system: &System, row: &[i32]) -> bool {
        self.at.is_none_or(|(process, location)| system.location(row, process) == location)
    }
}

fn code_of(operand: Operand) -> Option<Pc> {
    match operand {
        Operand::Code { pc, .. } => Some(pc),
        Operand::Const(_) => None,
    }
}

fn code(constraint: &ClockConstraint) -> Vec<Pc> {
    let terms = [constraint.left, constraint.right].into_iter().filter_map(|term| match term {
        ClockTerm::Element { pc, .. } => Some(pc),
        ClockTerm::Clock(_) => None,
    });
    constraint.condition.into_iter().chain(code_of(constraint.bound)).chain(terms).collect()
}
