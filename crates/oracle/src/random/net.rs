//! A random network and its rendering as XTA text.

use std::fmt::Write;

/// A rendering of a network. Renderings of one network have the same meaning, except for the time
/// scale.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// A factor for all constants that clocks are compared with; 0 counts as 1.
    pub scale: i32,
    /// The order of the processes in the system line; empty for the original order.
    pub order: Vec<usize>,
    /// Adds a clock that edges reset but no guard reads.
    pub idle_clock: bool,
}

/// A number that a clock is compared with or set to.
#[derive(Clone, Debug)]
pub(super) enum ClockOperand {
    Number(i32),
    /// An integer expression.
    Text(String),
}

/// A clock constraint `left - minus op bound`, which must hold if `premise` does.
#[derive(Clone, Debug)]
pub(super) struct TimedCondition {
    pub premise: Option<String>,
    pub left: usize,
    pub minus: Option<usize>,
    pub op: &'static str,
    pub bound: ClockOperand,
}

/// A condition in a guard, an invariant or a query.
#[derive(Clone, Debug)]
pub(super) enum ConditionExpr {
    Text(String),
    Timed(TimedCondition),
    /// `clock' == rate`
    Rate(usize, String),
    Not(Box<ConditionExpr>),
    /// A binary operator with its operands.
    Both(Box<ConditionExpr>, &'static str, Box<ConditionExpr>),
}

impl ConditionExpr {
    /// Returns the conjunction with an optional condition.
    pub(super) fn and(condition: Option<ConditionExpr>, other: ConditionExpr) -> ConditionExpr {
        match condition {
            Some(condition) => ConditionExpr::Both(Box::new(condition), "and", Box::new(other)),
            None => other,
        }
    }
}

/// An assignment.
#[derive(Clone, Debug)]
pub(super) enum UpdateExpr {
    Text(String),
    Set(usize, ClockOperand),
    Copy(usize, usize),
}

#[derive(Clone, Debug)]
pub(super) struct ClockDecl {
    pub name: String,
    pub owner: Option<usize>,
    pub initial: i32,
}

#[derive(Clone, Debug)]
pub(super) struct ChannelDecl {
    pub name: String,
    pub broadcast: bool,
    pub urgent: bool,
    /// The length of the array, if it is an array.
    pub length: Option<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct LocationDecl {
    pub invariant: Vec<ConditionExpr>,
    pub urgent: bool,
    pub committed: bool,
}

impl LocationDecl {
    /// Returns whether time can't pass here.
    pub(super) fn is_frozen(&self) -> bool {
        self.urgent || self.committed
    }
}

#[derive(Clone, Debug)]
pub(super) struct EdgeDecl {
    pub source: String,
    pub target: String,
    pub select: Option<String>,
    pub guard: Vec<ConditionExpr>,
    pub sync: Option<String>,
    pub update: Vec<UpdateExpr>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ProcessDecl {
    /// Declarations other than clocks.
    pub decls: String,
    pub locations: Vec<LocationDecl>,
    pub branchpoints: usize,
    pub edges: Vec<EdgeDecl>,
    /// Whether it has a higher priority than the processes before it in the system line.
    pub above: bool,
}

#[derive(Clone, Debug)]
pub(super) struct QueryExpr {
    pub quantifier: &'static str,
    pub condition: ConditionExpr,
    /// The right-hand side of `-->`.
    pub leads_to: Option<ConditionExpr>,
}

/// A random network with queries.
#[derive(Clone, Debug, Default)]
pub struct RandomNetwork {
    pub(super) clocks: Vec<ClockDecl>,
    pub(super) decls: String,
    pub(super) channels: Vec<ChannelDecl>,
    pub(super) priorities: Option<String>,
    pub(super) processes: Vec<ProcessDecl>,
    pub(super) queries: Vec<QueryExpr>,
}

impl RandomNetwork {
    /// Returns the number of processes.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// Returns whether the order of processes in the system line may matter.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.channels.iter().any(|c| c.broadcast) || self.processes.iter().any(|p| p.above)
    }

    /// Renders the model.
    #[must_use]
    pub fn text(&self) -> String {
        self.view(&View::default())
    }

    /// Renders the queries.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        self.queries_in(&View::default())
    }

    /// Renders the queries of a view.
    #[must_use]
    pub fn queries_in(&self, view: &View) -> Vec<String> {
        let writer = XtaRenderer { net: self, scale: view.scale.max(1), inside: None, idle: false };
        self.queries
            .iter()
            .map(|q| match &q.leads_to {
                Some(goal) => format!("{} --> {}", writer.condition(&q.condition), writer.condition(goal)),
                None => format!("{} {}", q.quantifier, writer.condition(&q.condition)),
            })
            .collect()
    }

    /// Renders the model of a view.
    #[must_use]
    pub fn view(&self, view: &View) -> String {
        let scale = view.scale.max(1);
        let mut text = String::new();
        let out = &mut text;
        for clock in self.clocks.iter().filter(|c| c.owner.is_none()) {
            declare(out, clock, scale);
        }
        if view.idle_clock {
            out.push_str("clock idle;\n");
        }
        out.push_str(&self.decls);
        for c in &self.channels {
            let urgent = if c.urgent { "urgent " } else { "" };
            let broadcast = if c.broadcast { "broadcast " } else { "" };
            let length = c.length.map_or(String::new(), |n| format!("[{n}]"));
            let _ = writeln!(out, "{urgent}{broadcast}chan {}{length};", c.name);
        }
        if let Some(priorities) = &self.priorities {
            let _ = writeln!(out, "chan priority {priorities};");
        }
        for (i, process) in self.processes.iter().enumerate() {
            let writer = XtaRenderer { net: self, scale, inside: Some(i), idle: view.idle_clock };
            writer.process(out, i, process);
        }
        let order: Vec<usize> =
            if view.order.is_empty() { (0..self.processes.len()).collect() } else { view.order.clone() };
        out.push_str("system ");
        for (nth, &i) in order.iter().enumerate() {
            let separator = if self.processes[i].above { " < " } else { ", " };
            let _ = write!(out, "{}P{i}", if nth == 0 { "" } else { separator });
        }
        out.push_str(";\n");
        text
    }
}

fn declare(out: &mut String, clock: &ClockDecl, scale: i32) {
    let _ = match clock.initial {
        0 => writeln!(out, "clock {};", clock.name),
        n => writeln!(out, "clock {} = {};", clock.name, n * scale),
    };
}

/// Renders conditions and updates in the scope of a process or of a query.
struct XtaRenderer<'a> {
    net: &'a RandomNetwork,
    scale: i32,
    inside: Option<usize>,
    idle: bool,
}

impl XtaRenderer<'_> {
    fn clock(&self, clock: usize) -> String {
        let clock = &self.net.clocks[clock];
        match clock.owner {
            Some(owner) if self.inside != Some(owner) => format!("P{owner}.{}", clock.name),
            _ => clock.name.clone(),
        }
    }

    fn bound(&self, bound: &ClockOperand) -> String {
        match bound {
            ClockOperand::Number(n) => (n * self.scale).to_string(),
            ClockOperand::Text(text) if self.scale == 1 => text.clone(),
            ClockOperand::Text(text) => format!("{} * ({text})", self.scale),
        }
    }

    fn timed(&self, t: &TimedCondition) -> String {
        let minus = t.minus.map_or(String::new(), |c| format!(" - {}", self.clock(c)));
        let plain = format!("{}{minus} {} {}", self.clock(t.left), t.op, self.bound(&t.bound));
        match &t.premise {
            Some(premise) => format!("({premise} imply {plain})"),
            None => plain,
        }
    }

    fn condition(&self, condition: &ConditionExpr) -> String {
        match condition {
            ConditionExpr::Text(text) => text.clone(),
            ConditionExpr::Timed(t) => self.timed(t),
            ConditionExpr::Rate(clock, rate) => format!("{}' == {rate}", self.clock(*clock)),
            ConditionExpr::Not(inner) => format!("not ({})", self.condition(inner)),
            ConditionExpr::Both(a, op, b) => format!("({} {op} {})", self.condition(a), self.condition(b)),
        }
    }

    fn all(&self, conditions: &[ConditionExpr]) -> String {
        conditions.iter().map(|p| self.condition(p)).collect::<Vec<String>>().join(" && ")
    }

    fn update(&self, update: &UpdateExpr) -> String {
        match update {
            UpdateExpr::Text(text) => text.clone(),
            UpdateExpr::Set(clock, bound) => format!("{} = {}", self.clock(*clock), self.bound(bound)),
            UpdateExpr::Copy(clock, from) => format!("{} = {}", self.clock(*clock), self.clock(*from)),
        }
    }

    fn process(&self, out: &mut String, number: usize, process: &ProcessDecl) {
        let _ = writeln!(out, "process P{number}() {{");
        for clock in self.net.clocks.iter().filter(|c| c.owner == Some(number)) {
            declare(out, clock, self.scale);
        }
        out.push_str(&process.decls);
        let state = |(i, l): (usize, &LocationDecl)| match l.invariant.as_slice() {
            [] => format!("L{i}"),
            conditions => format!("L{i} {{ {} }}", self.all(conditions)),
        };
        let list = |names: Vec<String>| names.join(", ");
        let states: Vec<String> = process.locations.iter().enumerate().map(state).collect();
        let _ = writeln!(out, "state {};", list(states));
        if process.branchpoints > 0 {
            let _ =
                writeln!(out, "branchpoint {};", list((0..process.branchpoints).map(|b| format!("B{b}")).collect()));
        }
        for (word, has) in [("commit", (|l| l.committed) as fn(&LocationDecl) -> bool), ("urgent", |l| l.urgent)] {
            let names: Vec<String> =
                process.locations.iter().enumerate().filter(|(_, l)| has(l)).map(|(i, _)| format!("L{i}")).collect();
            if !names.is_empty() {
                let _ = writeln!(out, "{word} {};", list(names));
            }
        }
        out.push_str("init L0;\n");
        let edges: Vec<String> = process.edges.iter().map(|e| self.edge(e)).collect();
        if !edges.is_empty() {
            let _ = writeln!(out, "trans\n  {};", edges.join(",\n  "));
        }
        out.push_str("}\n");
    }

    fn edge(&self, edge: &EdgeDecl) -> String {
        let mut labels = String::new();
        if let Some(select) = &edge.select {
            let _ = write!(labels, "select {select}; ");
        }
        if !edge.guard.is_empty() {
            let _ = write!(labels, "guard {}; ", self.all(&edge.guard));
        }
        if let Some(sync) = &edge.sync {
            let _ = write!(labels, "sync {sync}; ");
        }
        let mut updates: Vec<String> = edge.update.iter().map(|u| self.update(u)).collect();
        if self.idle && !edge.source.starts_with('B') {
            updates.push("idle = 0".to_owned());
        }
        if !updates.is_empty() {
            let _ = write!(labels, "assign {}; ", updates.join(", "));
        }
        format!("{} -> {} {{ {labels}}}", edge.source, edge.target)
    }
}
