//! Warnings about suspicious models: legal, but probably not intended.

use rustc_hash::FxHashSet;
use syntax::{
    Diagnostic, Span, Tree,
    ast::{Decl, Declarator, Endpoint, ExprId, Template},
};

use crate::{
    check::Checked,
    code::{Code, Op, Pc},
    lower::Lowered,
    replay::Replayer,
    symbols::{SymbolId, SymbolKind},
    system::{ClockConstraint, ClockId, ClockTerm, Edge, LocationId, Operand, Process, Sync, System},
    types::TyKind,
};

/// Returns all warnings about a model, in the order of its parts.
pub(crate) fn warnings(tree: &Tree, checked: &Checked, lowered: &Lowered, system: &System) -> Vec<Diagnostic> {
    let mut w = Warner { tree, checked, system, out: Vec::new() };
    if tree.net.is_some() {
        // These automata are generated.
        return w.out;
    }
    w.unread(&tree.decls);
    w.unread(&tree.system_decls);
    let used: FxHashSet<u32> = system.processes.iter().map(|p| p.template).collect();
    for (i, template) in tree.templates.iter().enumerate() {
        if used.contains(&(i as u32)) {
            w.unread(&template.decls);
            w.unreachable(template);
        } else {
            let text = tree.text(template.name.sym);
            let message = format!("template `{text}` is not in the system line");
            w.out.push(Diagnostic::warning("unused-template", template.name.span, message));
        }
    }
    w.dead_edges(lowered);
    w.strict_invariants();
    w.violated_invariants();
    w.urgent_guards();
    w.partners(lowered);
    w.participants();
    w.out
}

/// Returns the invariants that the initial state violates. A process that could not be lowered has
/// no location.
pub(crate) fn violated_at_start(tree: &Tree, system: &System) -> Vec<Diagnostic> {
    let made = |p: &Process| system.locations.len() > (p.first_location.0 + p.initial) as usize;
    if !system.processes.iter().all(made) {
        return Vec::new();
    }
    let mut seen = FxHashSet::default();
    let mut out = Vec::new();
    for at in Replayer::new(system).violated_at_start() {
        let span = invariant_of(tree, system, at).map_or(Span::NONE, |e| tree.span(e));
        if seen.insert(span) {
            let name = &system.locations[at.0 as usize].name;
            let message = format!("the initial state violates the invariant of `{name}`");
            out.push(
                Diagnostic::warning("violated-invariant", span, message)
                    .help("there is no run: `A` queries are satisfied, and `E` queries are not"),
            );
        }
    }
    out
}

/// Returns the expression of a location's invariant.
fn invariant_of(tree: &Tree, system: &System, location: LocationId) -> Option<ExprId> {
    let l = &system.locations[location.0 as usize];
    let process = &system.processes[l.process.0 as usize];
    let i = location.0 - process.first_location.0;
    tree.templates.get(process.template as usize)?.locations.get(i as usize)?.invariant
}

struct Warner<'a> {
    tree: &'a Tree,
    checked: &'a Checked,
    system: &'a System,
    out: Vec<Diagnostic>,
}

impl Warner<'_> {
    fn unread(&mut self, decls: &[Decl]) {
        for decl in decls {
            if let Decl::Var(d) = decl
                && let Some(id) = self.checked.symbols.at(d.name.span)
                && !self.checked.read.contains(&id)
            {
                self.unread_variable(d, id);
            }
        }
    }

    fn unread_variable(&mut self, d: &Declarator, id: SymbolId) {
        let symbol = self.checked.symbols.get(id);
        let mut ty = symbol.ty;
        while let TyKind::Array(_, element) = self.checked.types.kind(ty) {
            ty = *element;
        }
        let text = self.tree.text(symbol.name);
        let written = self.checked.written.contains(&id);
        let (what, never) = match self.checked.types.kind(ty) {
            // Channels have their own warnings.
            TyKind::Chan { .. } => return,
            TyKind::Clock { .. } if written => ("clock", "reset but never compared"),
            TyKind::Clock { .. } => ("clock", "never used"),
            _ if self.checked.types.is_constant(symbol.ty) => ("constant", "never used"),
            _ if written => ("variable", "assigned but never read"),
            _ => ("variable", "never used"),
        };
        let message = format!("{what} `{text}` is {never}");
        self.out.push(Diagnostic::warning("unused", d.name.span, message));
    }

    /// Warns of locations that no path of edges reaches.
    fn unreachable(&mut self, template: &Template) {
        let locations = template.locations.len();
        let number = |e: Endpoint| match e {
            Endpoint::Location(i) => i as usize,
            Endpoint::Branchpoint(i) => locations + i as usize,
        };
        let mut leaving = vec![Vec::new(); locations + template.branchpoints.len()];
        for edge in &template.edges {
            leaving[number(edge.source)].push(number(edge.target));
        }
        let mut seen = vec![false; leaving.len()];
        let mut open: Vec<usize> = template.init.iter().map(|i| *i as usize).filter(|i| *i < locations).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&leaving[at]);
            }
        }
        for (location, _) in template.locations.iter().zip(&seen).filter(|(_, seen)| !**seen) {
            let text = self.tree.text(location.name.sym);
            let message = format!("no edges lead to location `{text}` from the initial one");
            self.out.push(Diagnostic::warning("unreachable", location.name.span, message));
        }
    }

    /// Warns of edges whose guards are false for the parameters and constants of every process.
    fn dead_edges(&mut self, lowered: &Lowered) {
        // Edges may remain of a process that could not be lowered.
        let template_of = |e: &Edge| self.system.processes.get(e.process.0 as usize).map(|p| p.template);
        let mut alive = lowered.failed.clone();
        alive.extend(self.system.edges.iter().filter_map(|e| Some((template_of(e)?, e.origin))));
        let used: FxHashSet<u32> = self.system.processes.iter().map(|p| p.template).collect();
        for (t, template) in self.tree.templates.iter().enumerate().filter(|(t, _)| used.contains(&(*t as u32))) {
            for (i, edge) in template.edges.iter().enumerate() {
                let leaves_location = matches!(edge.source, Endpoint::Location(_));
                if let Some(guard) = edge.guard
                    && leaves_location
                    && !alive.contains(&(t as u32, i as u32))
                {
                    let span = self.tree.span(guard);
                    self.out.push(
                        Diagnostic::warning("never-enabled", span, "this guard never holds")
                            .label("false whatever the state"),
                    );
                }
            }
        }
    }

    /// Returns the invariant of a location in the tree.
    fn invariant_of(&self, location: LocationId) -> Option<ExprId> {
        invariant_of(self.tree, self.system, location)
    }

    fn strict_invariants(&mut self) {
        let mut seen = FxHashSet::default();
        for (i, location) in self.system.locations.iter().enumerate() {
            let strict = |c: &ClockConstraint| c.strict && c.left != ClockTerm::ZERO;
            if location.invariant.clocks.iter().any(strict)
                && let Some(e) = self.invariant_of(LocationId(i as u32))
                && seen.insert(e)
            {
                self.out.push(
                    Diagnostic::warning("strict-invariant", self.tree.span(e), "strict invariant")
                        .help("time can come as near to the bound as it likes and never reach it; `<=` is usual"),
                );
            }
        }
    }

    /// Warns of invariants that the initial state or an edge's own resets violate.
    fn violated_invariants(&mut self) {
        self.out.extend(violated_at_start(self.tree, self.system));
        let mut seen = FxHashSet::default();
        for edge in &self.system.edges {
            let Some(resets) = edge.update.and_then(|pc| fixed_resets(&self.system.code, pc)) else {
                continue;
            };
            let value = |c: ClockId| resets.iter().rev().find(|r| r.0 == c).map(|r| r.1);
            let target = &self.system.locations[edge.target.0 as usize];
            let template = self.system.processes[edge.process.0 as usize].template;
            let tree_edge = &self.tree.templates[template as usize].edges[edge.origin as usize];
            if target.invariant.clocks.iter().any(|c| violates(c, &value))
                && let (Some(update), Some(e)) = (tree_edge.update, self.invariant_of(edge.target))
                && seen.insert((template, edge.origin))
            {
                let message = format!("this update violates the invariant of `{}`", target.name);
                self.out.push(
                    Diagnostic::warning("violated-invariant", self.tree.span(update), message)
                        .label("the edge can't be taken")
                        .also(self.tree.span(e), "the invariant"),
                );
            }
        }
    }
    fn urgent_guards(&mut self) {
        let mut seen = FxHashSet::default();
        for edge in &self.system.edges {
            let (Sync::Send(c) | Sync::Receive(c)) = edge.sync else { continue };
            if !self.system.channels[c.0 as usize].urgent || edge.guard.clocks.is_empty() {
                continue;
            }
            let template = self.system.processes[edge.process.0 as usize].template;
            let tree_edge = &self.tree.templates[template as usize].edges[edge.origin as usize];
            if let Some(guard) = tree_edge.guard
                && seen.insert((template, edge.origin))
            {
                self.out.push(
                    Diagnostic::warning("urgent-guard", self.tree.span(guard), "clock guard on an urgent channel")
                        .help("UPPAAL before version 5 refuses this; time stops as soon as the guard holds"),
                );
            }
        }
    }

    /// Warns of participants of synchronisations that have no edge for them.
    fn participants(&mut self) {
        let Some(events) = &self.tree.events else { return };
        let edges =
            (0u32..).zip(&self.tree.templates).flat_map(|(t, template)| template.edges.iter().map(move |e| (t, e)));
        let taken: FxHashSet<(u32, u32)> = edges.filter_map(|(t, edge)| Some((t, edge.event?))).collect();
        for participant in events.syncs.iter().flat_map(|sync| &sync.participants) {
            if !taken.contains(&(participant.process, participant.event)) {
                let process = self.tree.text(self.tree.templates[participant.process as usize].name.sym);
                let event = self.tree.text(events.names[participant.event as usize].sym);
                let message = format!("process `{process}` has no edge with event `{event}`");
                let d = Diagnostic::warning("no-partner", participant.span, message);
                let effect =
                    if participant.weak { "it never takes part" } else { "this synchronisation never happens" };
                self.out.push(d.label(effect));
            }
        }
    }

    /// Warns of channels with senders only or receivers only.
    fn partners(&mut self, lowered: &Lowered) {
        let count = self.system.channels.len();
        let (mut sent, mut received) = (vec![false; count], vec![false; count]);
        for edge in &self.system.edges {
            match edge.sync {
                Sync::Internal | Sync::Event(_) => {}
                Sync::Send(c) => sent[c.0 as usize] = true,
                Sync::Receive(c) => received[c.0 as usize] = true,
            }
        }
        for &(symbol, first, len) in &lowered.channels {
            let range = first as usize..(first + len) as usize;
            let any = |side: &[bool]| side[range.clone()].contains(&true);
            let broadcast = self.system.channels.get(first as usize).is_some_and(|c| c.broadcast);
            let symbol = self.checked.symbols.get(symbol);
            debug_assert!(symbol.kind == SymbolKind::Var);
            let text = self.tree.text(symbol.name);
            let message = match (any(&sent), any(&received)) {
                (true, true) => continue,
                (true, false) if broadcast => continue,
                (true, false) => format!("no process receives on channel `{text}`"),
                (false, true) => format!("no process sends on channel `{text}`"),
                (false, false) => format!("channel `{text}` is never used"),
            };
            self.out.push(Diagnostic::warning("no-partner", symbol.span, message));
        }
    }
}

/// Returns whether constant bounds exclude the known values of clocks.
fn violates(c: &ClockConstraint, value: &dyn Fn(ClockId) -> Option<i32>) -> bool {
    let number = |term: ClockTerm| match term {
        ClockTerm::ZERO => Some(0),
        ClockTerm::Clock(clock) => value(clock),
        ClockTerm::Element { .. } => None,
    };
    let (Some(left), Some(right), Operand::Const(bound), None) =
        (number(c.left), number(c.right), c.bound, c.condition)
    else {
        return false;
    };
    let difference = i64::from(left) - i64::from(right);
    difference > bound || c.strict && difference == bound
}

/// Returns the clocks that an update sets to constants, if it does so on every path.
fn fixed_resets(code: &Code, pc: Pc) -> Option<Vec<(ClockId, i32)>> {
    let mut out = Vec::new();
    for op in code.ops_from(pc) {
        match op {
            Op::SetClock { clock, value } => out.push((ClockId(code.constant(clock)? as u32), code.constant(value)?)),
            Op::Jump { .. } | Op::JumpIf { .. } | Op::Call { .. } | Op::CopyClock { .. } => return None,
            Op::End => return Some(out),
            _ => {}
        }
    }
    None
}
