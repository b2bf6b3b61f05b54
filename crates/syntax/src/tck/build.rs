//! Builds the tree from declarations: resolves processes, locations and events, and interprets
//! attributes.
//!
//! Variables are resolved by the checker: TChecker resolves them after all declarations, and so do
//! we.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scan::{Attribute, Declaration, Item, SyncParticipant};
use crate::{
    ast::{
        BinaryOp, Edge, Endpoint, Events, ExprId, ExprKind, Location, MAX_HEIGHT, Name, Participant, Stmt, StmtId,
        StmtKind, Synchronisation, SystemLine, Template, Tree,
    },
    diagnostic::{Diagnostic, nearest},
    lexer::Dialect,
    names::Sym,
    parser::Parser,
    problems::{Problems, Reported},
    source::{Fragment, Span},
};

/// The meaning of a name in a table.
#[derive(Clone, Copy)]
struct DeclaredName {
    index: u32,
    /// The index of the declaration.
    at: usize,
    span: Span,
}

/// A symbol table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Namespace {
    Processes,
    Events,
    /// The locations of a process.
    Locations(u32),
}

pub(super) struct Builder<'a, 'd> {
    fragment: &'a Fragment,
    pub tree: &'a mut Tree,
    pub problems: &'a mut Problems<'d>,
    names: FxHashMap<(Namespace, Sym), DeclaredName>,
    /// Unknown names that were reported.
    unknown: FxHashSet<(Namespace, Sym)>,
    events: Events,
    /// The initial locations of each process, in the order of the text.
    initial: Vec<Vec<u32>>,
    /// The synchronisations, with sorted participants.
    syncs: FxHashMap<Vec<(u32, u32, bool)>, Span>,
    /// The number of array elements so far.
    pub elements: i64,
}

/// Builds the tree of a whole model.
pub(super) fn build(fragment: &Fragment, declarations: &[Declaration], tree: &mut Tree, problems: &mut Problems<'_>) {
    let complete = !problems.has_errors();
    let mut builder = Builder {
        fragment,
        tree,
        problems,
        names: FxHashMap::default(),
        unknown: FxHashSet::default(),
        events: Events::default(),
        initial: Vec::new(),
        syncs: FxHashMap::default(),
        elements: 0,
    };
    builder.system(declarations, complete);
    builder.declare(declarations);
    for (at, declaration) in declarations.iter().enumerate() {
        if builder.problems.is_over() {
            break;
        }
        builder.declaration(at, declaration);
    }
    if complete {
        builder.initial_locations();
    }
    builder.starts();
    builder.tree.events = Some(builder.events);
}

impl Builder<'_, '_> {
    fn text(&self, name: Name) -> &str {
        self.tree.text(name.sym)
    }

    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.problems.report(Diagnostic::error(code, span, message));
    }

    /// Checks that `system:NAME` is the first declaration and occurs once.
    fn system(&mut self, declarations: &[Declaration], complete: bool) {
        let is_system = |d: &&Declaration| matches!(d.item, Item::System);
        let mut systems = declarations.iter().filter(is_system);
        let first = systems.next();
        if complete && !declarations.first().as_ref().is_some_and(is_system) {
            let span = declarations.first().map_or(self.fragment.span().after(), |d| d.span);
            let mut d = Diagnostic::error("no-system", span, "the first declaration must name the system")
                .help("write `system:NAME` above all others");
            if let Some(first) = first {
                d = d.also(first.span, "this line belongs there");
            }
            self.problems.report(d);
        }
        for second in systems {
            let mut d = Diagnostic::error("duplicate", second.span, "the system has two names");
            if let Some(first) = first {
                d = d.also(first.span, "first named here");
            }
            self.problems.report(d);
        }
        let span = first.or(declarations.first()).map(|d| d.span);
        self.tree.system = SystemLine { processes: Vec::new(), span };
    }

    /// Enters processes, events and locations, in this order, so that a use before the declaration
    /// is reported as such.
    fn declare(&mut self, declarations: &[Declaration]) {
        for (at, declaration) in declarations.iter().enumerate() {
            match declaration.item {
                Item::Process(name) => {
                    let index = self.tree.templates.len() as u32;
                    if self.enter(Namespace::Processes, name, index, at).is_none() {
                        self.tree.system.processes.push((name, false));
                    }
                    self.tree.templates.push(Template::new(name, declaration.span));
                    self.initial.push(Vec::new());
                }
                Item::Event(name) => {
                    let index = self.events.names.len() as u32;
                    if let Some(first) = self.enter(Namespace::Events, name, index, at) {
                        let message = format!("event `{}` is declared twice", self.text(name));
                        self.problems.report(
                            Diagnostic::error("duplicate", name.span, message)
                                .label("declared again here")
                                .also(first.span, "first declared here"),
                        );
                    }
                    self.events.names.push(name);
                }
                _ => {}
            }
        }
        for (at, declaration) in declarations.iter().enumerate() {
            if let Item::Location { process, name } = declaration.item
                && let Some(process) = self.find(Namespace::Processes, process, at)
            {
                let index = self.tree.templates[process as usize].locations.len() as u32;
                // The checker reports duplicates.
                self.enter(Namespace::Locations(process), name, index, at);
                let location = Location::new(name, declaration.span);
                self.tree.templates[process as usize].locations.push(location);
                self.location(process, index, &declaration.attributes);
            }
        }
        if self.tree.templates.is_empty() && !self.problems.has_errors() {
            let end = self.fragment.span().after();
            self.error("no-process", end, "the model has no process");
        }
    }

    /// Adds a name to a table. If it is already there, returns its entry.
    fn enter(&mut self, table: Namespace, name: Name, index: u32, at: usize) -> Option<DeclaredName> {
        let entry = DeclaredName { index, at, span: name.span };
        let before = *self.names.entry((table, name.sym)).or_insert(entry);
        (before.at != at).then_some(before)
    }

    /// Resolves a name in the declaration with index `at`.
    fn find(&mut self, table: Namespace, name: Name, at: usize) -> Option<u32> {
        let found = self.names.get(&(table, name.sym)).copied();
        if found.is_some_and(|entry| entry.at < at) {
            return found.map(|entry| entry.index);
        }
        if self.tree.lost.contains(&name.sym) || !self.unknown.insert((table, name.sym)) {
            return found.map(|entry| entry.index);
        }
        let text = self.text(name);
        let what = match table {
            Namespace::Processes => format!("process `{text}`"),
            Namespace::Events => format!("event `{text}`"),
            Namespace::Locations(process) => {
                let process = self.tree.templates[process as usize].name;
                format!("location `{text}` of process `{}`", self.text(process))
            }
        };
        let d = match found {
            Some(entry) => {
                Diagnostic::error("unknown-name", name.span, format!("{what} is used before it is declared"))
                    .also(entry.span, "declared here")
                    .help("TChecker reads from top to bottom; move the declaration up")
            }
            None => {
                let tree = &*self.tree;
                let known = self.names.keys().filter(|key| key.0 == table).map(|key| tree.text(key.1));
                let near = nearest(text, known);
                let d = Diagnostic::error("unknown-name", name.span, format!("unknown {what}")).label("not declared");
                if let Some(near) = near { d.help(format!("did you mean `{near}`?")) } else { d }
            }
        };
        self.problems.report(d);
        found.map(|entry| entry.index)
    }

    fn declaration(&mut self, at: usize, declaration: &Declaration) {
        let attributes = &declaration.attributes;
        match &declaration.item {
            Item::System => self.no_attributes(attributes, "the system"),
            Item::Process(_) => self.no_attributes(attributes, "a process"),
            Item::Event(_) => self.no_attributes(attributes, "an event"),
            Item::Clock { size, name } => {
                self.no_attributes(attributes, "a clock");
                self.clock(*size, *name, declaration.span);
            }
            Item::Int { size, low, high, init, name } => {
                self.no_attributes(attributes, "a variable");
                let bounds = [*low, *high, *init];
                self.int(*size, bounds, *name, declaration.span);
            }
            // Handled when it was entered.
            Item::Location { .. } => {}
            Item::Edge { process, source, target, event } => {
                let Some(process) = self.find(Namespace::Processes, *process, at) else { return };
                let source = self.find(Namespace::Locations(process), *source, at);
                let target = self.find(Namespace::Locations(process), *target, at);
                let event = self.find(Namespace::Events, *event, at);
                self.edge(process, [source, target], event, declaration);
            }
            Item::Sync(constraints) => {
                self.no_attributes(attributes, "a synchronisation");
                self.synchronisation(at, constraints, declaration.span);
            }
        }
    }

    fn location(&mut self, process: u32, index: u32, attributes: &[Attribute]) {
        let (mut invariant, mut labels) = (None, Vec::new());
        let (mut urgent, mut committed) = (false, false);
        for attribute in attributes {
            match self.tree.text(attribute.key.sym) {
                "initial" => self.initial(process, index),
                "urgent" => urgent = true,
                "committed" => committed = true,
                "labels" => self.labels(attribute.text, &mut labels),
                "invariant" => invariant = self.and(invariant, attribute.text),
                _ => {
                    let known = ["initial", "urgent", "committed", "labels", "invariant"];
                    self.unknown_attribute(attribute, "a location", &known);
                }
            }
        }
        let location = &mut self.tree.templates[process as usize].locations[index as usize];
        location.invariant = invariant;
        location.labels = labels;
        location.committed = committed;
        // Time stops in a committed location anyway, and UPPAAL's languages allow one of both.
        location.urgent = urgent && !committed;
    }

    fn initial(&mut self, process: u32, index: u32) {
        let known = &mut self.initial[process as usize];
        if !known.contains(&index) {
            known.push(index);
        }
        self.tree.templates[process as usize].init.get_or_insert(index);
    }

    /// If a process has several initial locations, all processes choose theirs in one step, from a
    /// location that is added for that. In one step, so that no process moves before another one
    /// has chosen.
    fn starts(&mut self) {
        if self.problems.has_errors() || self.initial.iter().all(|known| known.len() <= 1) {
            return;
        }
        let event = self.events.names.len() as u32;
        let mut participants = Vec::new();
        for process in 0..self.tree.templates.len() {
            let template = &self.tree.templates[process];
            let (span, name) = (template.name.span, self.free_location(template));
            let name = Name { sym: self.tree.names.intern(&name), span };
            let template = &mut self.tree.templates[process];
            let start = template.locations.len() as u32;
            template.locations.push(Location { committed: true, ..Location::new(name, span) });
            template.init = Some(start);
            for &initial in &self.initial[process] {
                let ends = (Endpoint::Location(start), Endpoint::Location(initial));
                template.edges.push(Edge { event: Some(event), ..Edge::new(ends.0, ends.1, span) });
            }
            self.events.starts.push(start);
            participants.push(Participant { process: process as u32, event, weak: false, span });
        }
        let span = participants.first().map_or(Span::NONE, |p| p.span);
        let known = self.events.names.iter().map(|name| self.text(*name));
        let name = free("start", &known.collect::<Vec<&str>>());
        self.events.names.push(Name { sym: self.tree.names.intern(&name), span });
        if participants.len() > 1 {
            self.events.syncs.push(Synchronisation { participants, span });
        }
    }

    /// Returns a name for another location of a process.
    fn free_location(&self, template: &Template) -> String {
        let known = template.locations.iter().map(|location| self.text(location.name));
        free("start", &known.collect::<Vec<&str>>())
    }

    fn initial_locations(&mut self) {
        for i in 0..self.tree.templates.len() {
            let template = &self.tree.templates[i];
            if template.init.is_none() {
                let name = template.name;
                let message = format!("process `{}` has no initial location", self.text(name));
                self.problems.report(
                    Diagnostic::error("no-initial-location", name.span, message)
                        .help("give one of its locations the attribute `initial:`"),
                );
            }
        }
    }

    /// `a, b`
    fn labels(&mut self, text: Span, out: &mut Vec<Name>) {
        let mut start = text.start;
        let base = self.fragment.span().start;
        for part in self.fragment.text()[(text.start - base) as usize..(text.end - base) as usize].split(',') {
            let label = part.trim();
            if !label.is_empty() {
                let from = start + (part.len() - part.trim_start().len()) as u32;
                let span = Span { start: from, end: from + label.len() as u32 };
                out.push(Name { sym: self.tree.names.intern(label), span });
            }
            start += part.len() as u32 + 1;
        }
    }

    /// Parses a condition and conjoins it with the previous one.
    fn and(&mut self, before: Option<ExprId>, text: Span) -> Option<ExprId> {
        let condition = self.parse(text, |p| p.conjunction());
        let (Some(before), Some(condition)) = (before, condition) else { return condition.or(before) };
        let span = self.tree.span(condition);
        let both = self.tree.expr(ExprKind::Binary(BinaryOp::And, before, condition), span);
        if self.tree.height(both) > MAX_HEIGHT {
            self.error("too-deep", span, format!("nested more than {MAX_HEIGHT} levels deep"));
            return Some(condition);
        }
        Some(both)
    }

    fn parse<T>(&mut self, text: Span, rule: fn(&mut Parser<'_>) -> Result<T, Reported>) -> Option<T> {
        let mut parser = Parser::within(self.tree, self.problems.list, self.fragment, text, Dialect::Tck);
        let result = rule(&mut parser).ok();
        if result.is_some() {
            parser.finish();
        }
        self.problems.limit();
        result
    }

    fn edge(&mut self, process: u32, ends: [Option<u32>; 2], event: Option<u32>, declaration: &Declaration) {
        let (mut guard, mut statements) = (None, Vec::new());
        for attribute in &declaration.attributes {
            match self.tree.text(attribute.key.sym) {
                "provided" => guard = self.and(guard, attribute.text),
                "do" => statements.extend(self.parse(attribute.text, |p| p.sequence()).unwrap_or_default()),
                _ => self.unknown_attribute(attribute, "an edge", &["provided", "do"]),
            }
        }
        let [Some(source), Some(target)] = ends else { return };
        let (update, program) = self.update(&statements);
        self.tree.templates[process as usize].edges.push(Edge {
            guard,
            event,
            update,
            program,
            ..Edge::new(Endpoint::Location(source), Endpoint::Location(target), declaration.span)
        });
    }

    /// Returns assignments as an expression, like UPPAAL's; other updates as statements.
    fn update(&mut self, statements: &[StmtId]) -> (Option<ExprId>, Option<StmtId>) {
        let mut update = None;
        for &s in statements {
            match self.tree.stmt(s).kind {
                StmtKind::Empty => {}
                StmtKind::Expr(e) => {
                    update = Some(match update {
                        None => e,
                        Some(before) if self.tree.height(before) < MAX_HEIGHT => {
                            let span = self.tree.span(before).to(self.tree.span(e));
                            self.tree.expr(ExprKind::Comma(before, e), span)
                        }
                        Some(_) => return (None, Some(self.block(statements))),
                    });
                }
                _ => return (None, Some(self.block(statements))),
            }
        }
        (update, None)
    }

    fn block(&mut self, statements: &[StmtId]) -> StmtId {
        let spans = statements.iter().map(|s| self.tree.stmt(*s).span);
        let span = spans.fold(Span::NONE, Span::to);
        self.tree.stmts.push(Stmt { kind: StmtKind::Block(Vec::new(), statements.to_vec()), span });
        StmtId(self.tree.stmts.len() as u32 - 1)
    }

    fn synchronisation(&mut self, at: usize, constraints: &[SyncParticipant], span: Span) {
        let mut participants: Vec<Participant> = Vec::new();
        let mut seen: FxHashMap<u32, Span> = FxHashMap::default();
        let mut complete = true;
        for constraint in constraints {
            let process = self.find(Namespace::Processes, constraint.process, at);
            let event = self.find(Namespace::Events, constraint.event, at);
            let (Some(process), Some(event)) = (process, event) else {
                complete = false;
                continue;
            };
            if let Some(first) = seen.insert(process, constraint.span) {
                let message = format!("process `{}` takes part twice", self.text(constraint.process));
                self.problems.report(
                    Diagnostic::error("duplicate", constraint.span, message)
                        .also(first, "first named here")
                        .help("a process takes one edge at a time"),
                );
                complete = false;
                continue;
            }
            participants.push(Participant { process, event, weak: constraint.weak, span: constraint.span });
        }
        if !complete {
            return;
        }
        if participants.len() == 1 {
            // TChecker also takes its edges alone, so the line has no effect.
            self.problems.report(
                Diagnostic::warning("no-partner", span, "a synchronisation of one process has no effect")
                    .help("name at least two: `sync:P@a:Q@b`"),
            );
            return;
        }
        let mut key: Vec<_> = participants.iter().map(|p| (p.process, p.event, p.weak)).collect();
        key.sort_unstable();
        if let Some(&first) = self.syncs.get(&key) {
            self.problems.report(
                Diagnostic::error("duplicate", span, "this synchronisation is declared twice")
                    .label("declared again here")
                    .also(first, "first declared here"),
            );
            return;
        }
        self.syncs.insert(key, span);
        self.events.syncs.push(Synchronisation { participants, span });
    }

    fn no_attributes(&mut self, attributes: &[Attribute], what: &str) {
        for attribute in attributes {
            self.unknown_attribute(attribute, what, &[]);
        }
    }

    /// Warns of an unknown attribute. It is not an error, since attributes are open to all tools.
    fn unknown_attribute(&mut self, attribute: &Attribute, what: &str, known: &[&str]) {
        let text = self.text(attribute.key);
        let message = format!("attribute `{text}` of {what} is ignored");
        let near = nearest(text, known.iter().copied());
        let d = Diagnostic::warning("unknown-attribute", attribute.key.span, message);
        self.problems.report(match near {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d,
        });
    }
}

/// Returns a name that is not among the known ones.
fn free(wanted: &str, known: &[&str]) -> String {
    let mut name = wanted.to_owned();
    while known.contains(&name.as_str()) {
        name.push('_');
    }
    name
}
