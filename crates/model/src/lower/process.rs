//! A process: its variables, locations and edges.

use std::sync::Arc;

use syntax::{
    Diagnostic,
    ast::{Binding as Selected, Decl, Direction, Edge as EdgeTree, Endpoint, ExprId, ExprKind, StmtId, Template},
};

use super::{
    Binding, Lowerer, MAX_EDGES, NotLowered, Result,
    guard::{ChannelIndex, SplitGuard, Test},
};
use crate::{
    check::ProcessEntry,
    code::{Op, Pc},
    symbols::{SymbolId, SymbolKind},
    system::{ChannelId, Edge, Guard, Location, LocationId, Process, ProcessId, Shape, Sync},
};

/// An edge of the template with its branch, before the select label is resolved.
struct Route<'t> {
    template: u32,
    stem: &'t EdgeTree,
    origin: u32,
    branch: Option<(&'t EdgeTree, u32)>,
    source: u32,
    target: u32,
}

/// The required indices of a selected channel.
type Chosen = Vec<ChannelIndex>;

impl Lowerer<'_> {
    /// Adds the process of an entry of the system line, whose free parameters are bound to `args`.
    pub(super) fn process(&mut self, entry: ProcessEntry, args: &[i32]) -> Result<()> {
        let tree = self.tree;
        let index = self.bind_arguments(entry.symbol)?;
        let template = &tree.templates[index as usize];
        if template.init.is_none_or(|i| i as usize >= template.locations.len()) {
            let text = tree.text(template.name.sym);
            let d = Diagnostic::error("no-initial-location", entry.span, format!("`{text}` has no initial location"))
                .also(template.name.span, "declared here");
            return Err(self.report(d));
        }
        self.check_memory(0, entry.span)?;
        self.current = self.system.processes.len() as u32;
        let mut name = tree.text(self.checked.symbols.get(entry.symbol).name).to_owned();
        if !args.is_empty() {
            let list: Vec<String> = args.iter().map(i32::to_string).collect();
            name = format!("{name}({})", list.join(","));
        }
        self.s.scalars.owner = Some(self.current);
        let declared = self.variables(index, template, &name);
        self.s.scalars.owner = None;
        declared?;
        let process = ProcessId(self.system.processes.len() as u32);
        let first = LocationId(self.system.locations.len() as u32);
        for location in &template.locations {
            let labels = self.location_labels(location);
            let (invariant, mut parts) = match location.invariant {
                None => Default::default(),
                Some(e) => self.invariant(e).unwrap_or_else(|NotLowered| {
                    self.give_up(tree.span(e), "invariants of this kind");
                    Default::default()
                }),
            };
            self.system.locations.push(Location {
                process,
                name: Arc::from(tree.text(location.name.sym)),
                urgent: location.urgent,
                committed: location.committed,
                invariant,
                rates: std::mem::take(&mut parts.rates),
                labels,
            });
            self.note_location(parts.flows, parts.rest);
            self.note_rate(location);
        }
        self.edges(process, first, index, template)?;
        self.note_stays(process.0, index)?;
        self.remember(index, entry, args);
        self.system.processes.push(Process {
            name,
            template: index,
            priority: entry.priority,
            first_location: first,
            locations: template.locations.len() as u32,
            initial: template.init.unwrap_or(0),
        });
        Ok(())
    }

    fn invariant(&mut self, e: ExprId) -> Result<(Guard, SplitGuard)> {
        let mut parts = self.parts(&[e])?;
        let condition = match self.condition(&parts, &[])? {
            Test::Always => None,
            Test::Code(pc) => Some(pc),
            // The location is never entered, as its condition says.
            Test::Never => Some(self.never()),
        };
        let clocks = std::mem::take(&mut parts.constraints);
        Ok((Guard { condition, clocks }, parts))
    }

    /// Compiles the narrowing by the invariant of a location.
    pub(super) fn narrowing_at(&mut self, template: u32, location: u32) -> Result<Option<Pc>> {
        let invariant = self.tree.templates[template as usize].locations[location as usize].invariant;
        match invariant.filter(|e| self.count_comparisons(*e) > 0) {
            Some(e) => {
                let parts = self.parts(&[e])?;
                self.narrowing(&parts)
            }
            None => Ok(None),
        }
    }

    fn never(&mut self) -> Pc {
        self.chunk = Default::default();
        self.emit(Op::Answer { truth: false });
        self.finish()
    }

    fn variables(&mut self, index: u32, template: &Template, process: &str) -> Result<()> {
        for &param in &self.checked.templates[index as usize].params {
            self.own_parameter(param, process)?;
        }
        for decl in &template.decls {
            if let Decl::Var(d) = decl
                && let Some(id) = self.checked.symbols.at(d.name.span)
            {
                self.declare(id, d.init, &format!("{process}.{}", self.tree.text(d.name.sym)))?;
            }
        }
        Ok(())
    }

    /// Allocates a value parameter that the template changes, as a variable of the process.
    fn own_parameter(&mut self, param: SymbolId, process: &str) -> Result<()> {
        let p = *self.checked.symbols.get(param);
        if p.kind != (SymbolKind::Param { reference: false }) || !self.checked.written.contains(&param) {
            return Ok(());
        }
        let name = format!("{process}.{}", self.tree.text(p.name));
        let before = self.binding(param).cloned().ok_or(NotLowered)?;
        let binding = self.allocate(p.ty, None, &name, p.span)?;
        let Binding::Object(object) = &binding else { return Ok(()) };
        let values: Vec<i32> = match before {
            Binding::Const(value) => vec![value],
            Binding::Object(constant) => {
                let (_, first) = crate::code::Region::split(constant.ints);
                let count = constant.shape.size().ints;
                self.s.code.constants[first as usize..(first + count) as usize].to_vec()
            }
            Binding::Reference { .. } => return Err(NotLowered),
        };
        let (_, first) = crate::code::Region::split(object.ints);
        let initial = if self.checked.types.is_meta(p.ty) { &mut self.s.initial_meta } else { &mut self.s.initial };
        initial[first as usize..first as usize + values.len()].copy_from_slice(&values);
        self.bind(param, binding);
        Ok(())
    }

    fn edges(&mut self, process: ProcessId, first: LocationId, index: u32, tree: &Template) -> Result<()> {
        for (i, stem) in tree.edges.iter().enumerate() {
            let Endpoint::Location(source) = stem.source else { continue };
            let origin = i as u32;
            match stem.target {
                Endpoint::Location(target) => {
                    let route = Route { template: index, stem, origin, branch: None, source, target };
                    self.choices(process, first, &route)?;
                }
                Endpoint::Branchpoint(b) => {
                    for (j, branch) in tree.edges.iter().enumerate() {
                        let (Endpoint::Branchpoint(from), Endpoint::Location(target)) = (branch.source, branch.target)
                        else {
                            continue;
                        };
                        if from == b {
                            let branch = Some((branch, j as u32));
                            let route = Route { template: index, stem, origin, branch, source, target };
                            self.choices(process, first, &route)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds one edge for each choice of the select label.
    fn choices(&mut self, process: ProcessId, first: LocationId, route: &Route<'_>) -> Result<()> {
        let selects: Vec<&Selected> =
            route.stem.select.iter().chain(route.branch.iter().flat_map(|(b, _)| &b.select)).collect();
        let mut ranges = Vec::new();
        let mut count = 1u64;
        for select in &selects {
            let ty = self.checked.type_expr(select.ty);
            let (low, high) = self.values(ty)?;
            ranges.push((low, high));
            count = count.saturating_mul((i64::from(high) - i64::from(low) + 1).max(0) as u64);
        }
        if count.saturating_add(self.system.edges.len() as u64) > MAX_EDGES as u64 {
            let span = selects.first().map_or(route.stem.span, |s| s.name.span);
            return Err(self.report(
                Diagnostic::error("too-large", span, format!("the edge has {count} choices"))
                    .help(format!("a system can have {MAX_EDGES} edges")),
            ));
        }
        let mut values: Vec<i32> = ranges.iter().map(|r| r.0).collect();
        for _ in 0..count {
            for (select, &value) in selects.iter().zip(&values) {
                self.bind_value(select.name, value)?;
            }
            // Lowering continues, to report the errors of other edges.
            if self.edge(process, first, route, &values).is_err() {
                self.give_up(route.stem.span, "edges of this kind");
                self.s.failed.insert((route.template, route.origin));
                if self.is_over {
                    return Err(NotLowered);
                }
            }
            for (value, &(low, high)) in values.iter_mut().zip(&ranges).rev() {
                if *value < high {
                    *value += 1;
                    break;
                }
                *value = low;
            }
        }
        Ok(())
    }

    fn edge(&mut self, process: ProcessId, first: LocationId, route: &Route<'_>, select: &[i32]) -> Result<()> {
        let intersections = route.stem.update.map(|update| self.intersections(update)).unwrap_or_default();
        let guards = route.stem.guard.into_iter().chain(route.branch.and_then(|(b, _)| b.guard));
        let guards: Vec<ExprId> = guards.chain(intersections).collect();
        let parts = self.parts(&guards)?;
        let updates: Vec<ExprId> =
            route.stem.update.into_iter().chain(route.branch.and_then(|(b, _)| b.update)).collect();
        let before = self.narrowing(&parts)?;
        let after = self.narrowing_at(route.template, route.target)?;
        let delays = self.lets_time_pass(&updates);
        let narrows = before.is_some() || after.is_some() || delays;
        let update = self.update(&updates, route.stem.program, narrows)?;
        let weight = self.weight(route.branch.and_then(|(branch, _)| branch.probability));
        for (sync, chosen) in self.synchronisations(route)? {
            self.watch_guard(&guards, sync);
            let condition = match self.condition(&parts, &chosen)? {
                Test::Always => None,
                Test::Code(pc) => Some(pc),
                // A weak participant that is not enabled blocks the others.
                Test::Never if self.is_weak(route.template, route.stem) => Some(self.never()),
                // An edge that is never enabled is dropped.
                Test::Never => continue,
            };
            let guard = Guard { condition, clocks: parts.constraints.clone() };
            self.check_memory(0, route.stem.span)?;
            if self.system.edges.len() >= MAX_EDGES {
                let message = format!("the system has more than {MAX_EDGES} edges");
                return Err(self.report(Diagnostic::error("too-large", route.stem.span, message)));
            }
            self.s.constraints += guard.clocks.len();
            self.note_narrowing(before, after, delays);
            self.system.edges.push(Edge {
                process,
                source: LocationId(first.0 + route.source),
                target: LocationId(first.0 + route.target),
                guard,
                sync,
                update,
                origin: route.origin,
                branch: route.branch.map(|(_, j)| j),
                select: select.into(),
            });
            self.note_guard(&parts.rest);
            self.note_weight(&weight, route.stem.select.len());
        }
        Ok(())
    }

    /// Returns the constraints that federations are intersected with at the start of an update.
    fn intersections(&self, update: ExprId) -> Vec<ExprId> {
        let (mut constraints, mut rest) = (Vec::new(), Some(update));
        while let Some(e) = rest {
            let (before, last) = match self.tree.kind(e) {
                ExprKind::Comma(before, last) => (Some(before), last),
                _ => (None, e),
            };
            rest = before;
            if let ExprKind::Assign(_, _, constraint) = self.tree.kind(last)
                && self.checked.intersections.contains(&last)
            {
                constraints.push(constraint);
            }
        }
        constraints.reverse();
        constraints
    }

    fn update(&mut self, updates: &[ExprId], program: Option<StmtId>, narrows: bool) -> Result<Option<Pc>> {
        self.fresh(updates, |l| {
            for &e in updates {
                l.effects(e)?;
                l.watch(e);
            }
            if let Some(program) = program {
                l.statement(program)?;
            }
            if l.chunk.ops.is_empty() {
                return Ok(None);
            }
            // The code returns if a narrowing follows, and ends otherwise.
            l.emit(if narrows { Op::Return } else { Op::End });
            Ok(Some(l.finish()))
        })
    }

    /// Returns the synchronisations of a label. A variable index gives one for each channel, with
    /// the condition that selects it. An index outside of its array fails where the guard holds, as
    /// in UPPAAL; there is always at least one synchronisation to report that.
    fn synchronisations(&mut self, route: &Route<'_>) -> Result<Vec<(Sync, Chosen)>> {
        let Some((channel, direction)) = route.stem.sync.or(route.branch.and_then(|(b, _)| b.sync)) else {
            return Ok(vec![(self.event_sync(route.template, route.stem), Vec::new())]);
        };
        let syncs = |channel: u32| match direction {
            Direction::Send => vec![Sync::Send(ChannelId(channel))],
            Direction::Receive => vec![Sync::Receive(ChannelId(channel))],
            // Without a direction either side may send.
            Direction::Both => vec![Sync::Send(ChannelId(channel)), Sync::Receive(ChannelId(channel))],
        };
        let mut indices = Vec::new();
        let mut root = channel;
        while let ExprKind::Index(of, index) = self.tree.kind(root) {
            indices.push(index);
            root = of;
        }
        indices.reverse();
        let place = self.fresh(&[root], |l| l.place_of(root))?;
        let super::place::Root::Fixed { channels, .. } = place.root else { return Err(NotLowered) };
        let base = channels + place.channels;
        // Each candidate: a channel and the values of the variable indices.
        let mut possible: Vec<(u32, Chosen)> = vec![(base, Vec::new())];
        let mut shape = place.shape;
        for index in indices {
            let Shape::Array { low, length, element, .. } = &*shape.clone() else { return Err(NotLowered) };
            if *length == 0 {
                self.fresh(&[index], |l| l.value(index))?;
                // There is no channel that could report a run-time error.
                let d = Diagnostic::warning("index", self.tree.span(index), "this array has no channels");
                self.report(d.label("this edge can't be taken"));
                return Ok(Vec::new());
            }
            possible = self.select_channels(possible, index, (*low, *length), element.size().channels)?;
            shape = element.clone();
        }
        let every = possible
            .into_iter()
            .flat_map(|(channel, values)| syncs(channel).into_iter().map(move |sync| (sync, values.clone())));
        Ok(every.collect())
    }

    /// Extends the candidates by an index into an array with a low index and a length, each element
    /// of which has `each` channels.
    fn select_channels(
        &mut self,
        mut possible: Vec<(u32, Chosen)>,
        index: ExprId,
        (low, length): (i32, u32),
        each: u32,
    ) -> Result<Vec<(u32, Chosen)>> {
        let last = (i64::from(low) + i64::from(length) - 1) as i32;
        let value = self.fresh(&[index], |l| l.value(index))?;
        let Some(known) = value.known else {
            let (from, to) = (value.low.max(low), value.high.min(last));
            let inside = if from <= to { from..=to } else { low..=low };
            let extended = possible.iter().flat_map(|(channel, values)| {
                inside.clone().map(move |v| {
                    let mut values = values.clone();
                    values.push(ChannelIndex { index, value: v, low, length });
                    (channel + (v - low) as u32 * each, values)
                })
            });
            return Ok(extended.collect());
        };
        let at = i64::from(known) - i64::from(low);
        if at < 0 || at >= i64::from(length) {
            let message = format!("channel index {known} is outside of {low} to {last}");
            let label = "this is a run-time error where the guard holds";
            self.report(Diagnostic::warning("index", self.tree.span(index), message).label(label));
            let chosen = ChannelIndex { index, value: known, low, length };
            possible.iter_mut().for_each(|(_, values)| values.push(chosen));
        } else {
            possible.iter_mut().for_each(|(channel, _)| *channel += at as u32 * each);
        }
        Ok(possible)
    }
}
