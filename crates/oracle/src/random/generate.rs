//! Generates networks.

use std::fmt::Write;

use super::{
    NetworkFeatures, RandomNetwork, Rng,
    net::{
        ChannelDecl, ClockDecl, ClockOperand, ConditionExpr, EdgeDecl, LocationDecl, ProcessDecl, QueryExpr,
        TimedCondition, UpdateExpr,
    },
};

/// An integer variable: its name in queries, its name in its scope, its greatest value, and its
/// process.
#[derive(Clone)]
struct VariableDecl {
    name: String,
    high: i32,
    owner: Option<usize>,
}

struct Generator<'a> {
    rng: &'a mut Rng,
    options: &'a NetworkFeatures,
    net: RandomNetwork,
    variables: Vec<VariableDecl>,
}

pub(super) fn network(rng: &mut Rng, options: &NetworkFeatures) -> RandomNetwork {
    let mut g = Generator { rng, options, net: RandomNetwork::default(), variables: Vec::new() };
    g.declarations();
    for i in 0..g.net.processes.len() {
        g.process(i);
    }
    for _ in 0..1 + g.rng.below(3) {
        let query = g.query();
        g.net.queries.push(query);
    }
    g.net
}

impl Generator<'_> {
    fn declarations(&mut self) {
        let (rng, o) = (&mut *self.rng, self.options);
        // The larger of two numbers: more happens if there are several.
        let several = |rng: &mut Rng, max: usize| 1 + rng.below(max).max(rng.below(max));
        let processes = several(rng, o.processes);
        self.net.processes = vec![ProcessDecl::default(); processes];
        for i in 0..several(rng, o.clocks) {
            let owner = rng.chance(50).then(|| rng.below(processes));
            let initial = if o.resets && rng.chance(10) { rng.between(0, o.constant) } else { 0 };
            self.net.clocks.push(ClockDecl { name: format!("x{i}"), owner, initial });
        }
        let decls = &mut self.net.decls;
        // `next` counts in a cycle; `even` is a condition that only a function can express.
        decls.push_str(
            "int next(int n, int k) { return n < k ? n + 1 : 0; }\nbool even(int n) { return n % 2 == 0; }\n",
        );
        for i in 0..1 + rng.below(3) {
            let owner = rng.chance(30).then(|| rng.below(processes));
            let high = rng.between(1, 3);
            let initial = rng.between(0, high);
            let name = format!("v{i}");
            let place = owner.map_or(&mut *decls, |p| &mut self.net.processes[p].decls);
            let _ = writeln!(place, "int[0,{high}] {name} = {initial};");
            self.variables.push(VariableDecl { name, high, owner });
        }
        let globals: Vec<&VariableDecl> = self.variables.iter().filter(|v| v.owner.is_none()).collect();
        if o.meta {
            decls.push_str("meta int m;\n");
        }
        if o.hooks && !globals.is_empty() {
            let v = rng.pick(&globals);
            let hook = *rng.pick(&["before_update", "after_update"]);
            let _ = match o.sound {
                true => writeln!(decls, "{hook} {{ {0} = {1} - {0} }}", v.name, v.high),
                false => writeln!(decls, "{hook} {{ {0} = next({0}, {1}) }}", v.name, v.high),
            };
        }
        self.channels();
        for i in 1..processes {
            self.net.processes[i].above = self.options.process_priorities && self.rng.chance(60);
        }
    }

    fn channels(&mut self) {
        let (rng, o) = (&mut *self.rng, self.options);
        if !o.binary && !o.broadcast {
            return;
        }
        for i in 0..1 + rng.below(3) {
            let broadcast = o.broadcast && (!o.binary || rng.chance(50));
            let urgent = o.urgent_channels && rng.chance(40);
            let length = (o.channel_arrays && rng.chance(50)).then_some(2);
            self.net.channels.push(ChannelDecl { name: format!("c{i}"), broadcast, urgent, length });
        }
        if o.channel_priorities && !self.net.channels.is_empty() {
            let mut items: Vec<String> = vec!["default".to_owned()];
            for c in &self.net.channels {
                match c.length {
                    Some(_) if rng.chance(50) => items.push(format!("{}[{}]", c.name, rng.below(2))),
                    _ => items.push(c.name.clone()),
                }
            }
            for i in (1..items.len()).rev() {
                items.swap(i, rng.below(i + 1));
            }
            let mut text = items[0].clone();
            for item in &items[1..] {
                text.push_str(if rng.chance(60) { " < " } else { ", " });
                text.push_str(item);
            }
            self.net.priorities = Some(text);
        }
    }

    fn process(&mut self, number: usize) {
        let o = self.options;
        let locations = 2 + self.rng.below(o.locations.max(2) - 1);
        for i in 0..locations {
            let location = self.location(number, i == 0);
            self.net.processes[number].locations.push(location);
        }
        // Every location is connected, in both directions: idle processes find no errors.
        let mut ends: Vec<(usize, usize)> = (1..locations).map(|i| (self.rng.below(i), i)).collect();
        for i in 0..locations {
            if ends.iter().all(|e| e.0 != i) {
                ends.push((i, self.rng.below(locations)));
            }
        }
        for _ in 0..self.rng.below(locations + 1) {
            ends.push((self.rng.below(locations), self.rng.below(locations)));
        }
        for (source, target) in ends {
            self.edge(number, source, target);
        }
    }

    fn location(&mut self, number: usize, first: bool) -> LocationDecl {
        let o = self.options;
        let mut location = LocationDecl::default();
        if self.rng.chance(45)
            && let Some(mut bound) = self.timed(number, true)
        {
            // `x < 0` would be violated at once.
            bound.op = if o.strict && self.rng.chance(30) { "<" } else { "<=" };
            if let ClockOperand::Number(n) = &mut bound.bound {
                // Large bounds, so that time does not stop at once.
                *n = (*n).max(self.rng.between(1, o.constant));
            }
            location.invariant.push(ConditionExpr::Timed(bound));
        }
        if o.odd_invariants && !first && self.rng.chance(25) {
            let condition = if self.rng.chance(50) {
                self.condition(Some(number)).map(ConditionExpr::Text)
            } else {
                self.timed(number, false).map(|mut bound| {
                    bound.op = if o.strict && self.rng.chance(30) { ">" } else { ">=" };
                    ConditionExpr::Timed(bound)
                })
            };
            location.invariant.extend(condition);
        }
        if o.stopwatches
            && self.rng.chance(40)
            && let Some(clock) = self.clock(Some(number))
        {
            let rate = match self.variable(Some(number)) {
                Some(v) if self.rng.chance(30) => format!("{} % 2", v.name),
                _ => "0".to_owned(),
            };
            location.invariant.push(ConditionExpr::Rate(clock, rate));
        }
        match self.rng.below(if first { 16 } else { 6 }) {
            0 => location.urgent = o.urgent_locations,
            1 => location.committed = o.committed,
            _ => {}
        }
        location
    }

    fn edge(&mut self, number: usize, source: usize, target: usize) {
        let o = self.options;
        let select = (o.selects && self.rng.chance(30)).then_some("i : int[0,1]");
        let (mut sync, mut timed) = (None, true);
        if !self.net.channels.is_empty() && self.rng.chance(45) {
            let channel = self.rng.below(self.net.channels.len());
            // Each channel has a process that mostly sends, and others that mostly receive, so that
            // synchronisations are possible.
            let receives = (channel % self.net.processes.len() != number) == self.rng.chance(80);
            let channel = self.net.channels[channel].clone();
            timed = (!channel.urgent || o.urgent_guards) && (!channel.broadcast || !receives || o.broadcast_guards);
            let index = match channel.length {
                None => String::new(),
                Some(_) if select.is_some() && self.rng.chance(70) => "[i]".to_owned(),
                Some(_) => match self.variable(Some(number)) {
                    Some(v) if self.rng.chance(50) => format!("[{} % 2]", v.name),
                    _ => format!("[{}]", self.rng.below(2)),
                },
            };
            sync = Some(format!("{}{index}{}", channel.name, if receives { "?" } else { "!" }));
        }
        let frozen = self.net.processes[number].locations[source].is_frozen() && self.rng.chance(70);
        let mut guard = Vec::new();
        for percent in [60, 25] {
            if timed && !frozen && self.rng.chance(percent) {
                guard.extend(self.timed(number, false).map(ConditionExpr::Timed));
            }
        }
        if self.rng.chance(25) {
            guard.extend(self.condition(Some(number)).map(ConditionExpr::Text));
        }
        if select.is_some() && self.rng.chance(30) {
            guard.extend(self.variable(Some(number)).map(|v| ConditionExpr::Text(format!("i != {}", v.name))));
        }
        let mut update = self.updates(number);
        if select.is_some() && self.rng.chance(50) {
            update.extend(self.variable(Some(number)).map(|v| UpdateExpr::Text(format!("{} = i", v.name))));
        }
        let (source, mut target) = (format!("L{source}"), format!("L{target}"));
        if o.branchpoints && self.rng.chance(15) {
            let other = self.rng.below(self.net.processes[number].locations.len());
            let branchpoint = format!("B{}", self.net.processes[number].branchpoints);
            self.net.processes[number].branchpoints += 1;
            for target in [target, format!("L{other}")] {
                let (source, update) = (branchpoint.clone(), self.updates(number));
                let edge = EdgeDecl { source, target, select: None, guard: Vec::new(), sync: None, update };
                self.net.processes[number].edges.push(edge);
            }
            target = branchpoint;
        }
        let select = select.map(str::to_owned);
        self.net.processes[number].edges.push(EdgeDecl { source, target, select, guard, sync, update });
    }

    fn updates(&mut self, number: usize) -> Vec<UpdateExpr> {
        let o = self.options;
        let mut updates = Vec::new();
        for _ in 0..self.rng.below(3) {
            if self.rng.chance(50) {
                let Some(clock) = self.clock(Some(number)) else { continue };
                let other = self.clock(Some(number)).filter(|c| *c != clock);
                updates.push(match other {
                    Some(other) if o.copies && self.rng.chance(25) => UpdateExpr::Copy(clock, other),
                    _ if o.resets && self.rng.chance(30) => UpdateExpr::Set(clock, self.value(number)),
                    _ => UpdateExpr::Set(clock, ClockOperand::Number(0)),
                });
            } else if let Some(v) = self.variable(Some(number)) {
                let (name, high) = (&v.name, v.high);
                let other = self.variable(Some(number)).unwrap_or(v.clone()).name;
                let text = match self.rng.below(5) {
                    _ if o.sound => self.sound_update(&v),
                    // The order of two such updates matters.
                    0 => format!("{name} = ({name} * 2 + {other}) % {}", high + 1),
                    1 => format!("{name} = {}", self.rng.between(0, high)),
                    2 if o.faults => format!("{name} = {name} + 1"),
                    3 if o.meta => format!("m = {other}, {name} = m > {high} ? 0 : m"),
                    _ => format!("{name} = next({name}, {high})"),
                };
                updates.push(UpdateExpr::Text(text));
            }
        }
        updates
    }

    /// Returns a number that a clock is set to. A variable may be negative according to its range.
    fn value(&mut self, number: usize) -> ClockOperand {
        if self.options.sound {
            ClockOperand::Number(self.rng.between(0, self.options.constant))
        } else {
            self.bound(number)
        }
    }

    /// Returns an update that can't fail, according to the ranges of variables.
    fn sound_update(&mut self, v: &VariableDecl) -> String {
        let (name, high) = (&v.name, v.high);
        let (a, b) = (self.rng.between(0, high), self.rng.between(0, high));
        let small: Vec<String> = self
            .variables
            .iter()
            .filter(|other| other.high <= high && (other.owner.is_none() || other.owner == v.owner))
            .map(|other| other.name.clone())
            .collect();
        let other = if small.is_empty() { name } else { self.rng.pick(&small) };
        match self.rng.below(4) {
            0 => format!("{name} = {a}"),
            1 => format!("{name} = {other}"),
            2 => format!("{name} = {high} - {other}"),
            _ => format!("{name} = {other} == {a} ? {a} : {b}"),
        }
    }

    /// Returns a variable in the scope of `process`, or of a query. A query sees all variables, by
    /// their full names.
    fn variable(&mut self, process: Option<usize>) -> Option<VariableDecl> {
        let seen: Vec<VariableDecl> = self
            .variables
            .iter()
            .filter(|v| process.is_none() || v.owner.is_none() || v.owner == process)
            .map(|v| match v.owner {
                Some(owner) if process.is_none() => VariableDecl { name: format!("P{owner}.{}", v.name), ..v.clone() },
                _ => v.clone(),
            })
            .collect();
        if seen.is_empty() { None } else { Some(self.rng.pick(&seen).clone()) }
    }

    /// Returns a clock in the scope of `process`, or of a query.
    fn clock(&mut self, process: Option<usize>) -> Option<usize> {
        let seen = |c: &ClockDecl| process.is_none() || c.owner.is_none() || c.owner == process;
        let seen: Vec<usize> = (0..self.net.clocks.len()).filter(|&i| seen(&self.net.clocks[i])).collect();
        if seen.is_empty() { None } else { Some(*self.rng.pick(&seen)) }
    }

    fn condition(&mut self, process: Option<usize>) -> Option<String> {
        let v = self.variable(process)?;
        let n = self.rng.between(0, v.high);
        Some(match self.rng.below(4) {
            0 => format!("{} == {n}", v.name),
            1 => format!("{} != {n}", v.name),
            2 => format!("{} <= {n}", v.name),
            _ => format!("even({})", v.name),
        })
    }

    fn bound(&mut self, number: usize) -> ClockOperand {
        let o = self.options;
        let n = self.rng.between(0, o.constant);
        if o.variable_bounds
            && self.rng.chance(25)
            && let Some(v) = self.variable(Some(number))
        {
            return ClockOperand::Text(if self.rng.chance(50) { v.name } else { format!("{} + 1", v.name) });
        }
        ClockOperand::Number(n)
    }

    /// Returns a clock constraint in the scope of a process. Equality is for guards only.
    fn timed(&mut self, number: usize, upper: bool) -> Option<TimedCondition> {
        let o = self.options;
        let left = self.clock(Some(number))?;
        let minus = self.clock(Some(number)).filter(|c| *c != left && o.diagonals && self.rng.chance(40));
        let closed: &[&str] = if upper { &["<="] } else { &["<=", ">=", ">=", "=="] };
        let op = if o.strict && self.rng.chance(35) { *self.rng.pick(&["<", ">"]) } else { *self.rng.pick(closed) };
        let mut bound = self.bound(number);
        if let ClockOperand::Number(n) = &mut bound {
            // Lower bounds are mostly small and upper bounds mostly large: guards hold often.
            let other = self.rng.between(0, o.constant);
            *n = if op.starts_with('>') { (*n).min(other) } else { (*n).max(other) };
            if minus.is_some() && self.rng.chance(40) {
                *n = -*n;
            }
        }
        let premise = if o.odd_invariants && self.rng.chance(10) { self.condition(Some(number)) } else { None };
        Some(TimedCondition { premise, left, minus, op, bound })
    }

    fn query(&mut self) -> QueryExpr {
        if self.options.liveness && self.rng.chance(50) {
            let condition = self.goal(false);
            return match self.rng.below(5) {
                0 => QueryExpr { quantifier: "E[]", condition: self.atom(false), leads_to: None },
                1 => QueryExpr { quantifier: "A<>", condition: self.atom(false), leads_to: None },
                2 => QueryExpr { quantifier: "A[] A<>", condition: self.atom(false), leads_to: None },
                3 => QueryExpr { quantifier: "E<> E[]", condition: self.atom(false), leads_to: None },
                _ => QueryExpr { quantifier: "", condition, leads_to: Some(self.atom(false)) },
            };
        }
        let deadlock = self.options.deadlocks;
        let condition = if self.rng.chance(75) { self.goal(deadlock) } else { self.formula(2, deadlock) };
        let quantifier = if self.rng.chance(60) { "E<>" } else { "A[]" };
        // Most properties of this kind would be violated in the initial state.
        let condition = if quantifier == "A[]" { ConditionExpr::Not(Box::new(condition)) } else { condition };
        QueryExpr { quantifier, condition, leads_to: None }
    }

    /// Returns a goal that is probably far away: one or more locations, and a condition.
    fn goal(&mut self, deadlock: bool) -> ConditionExpr {
        let mut condition = None;
        for process in 0..self.net.processes.len() {
            if self.rng.chance(60) {
                let others = self.net.processes[process].locations.len() - 1;
                let at = ConditionExpr::Text(format!("P{process}.L{}", 1 + self.rng.below(others)));
                condition = Some(ConditionExpr::and(condition, at));
            }
        }
        if condition.is_none() || self.rng.chance(60) {
            let atom = self.atom(deadlock);
            condition = Some(ConditionExpr::and(condition, atom));
        }
        condition.unwrap_or_else(|| ConditionExpr::Text("true".to_owned()))
    }

    fn formula(&mut self, depth: usize, deadlock: bool) -> ConditionExpr {
        if depth == 0 || self.rng.chance(25) {
            return self.atom(deadlock);
        }
        let (a, b) = (Box::new(self.formula(depth - 1, deadlock)), Box::new(self.formula(depth - 1, deadlock)));
        match self.rng.below(8) {
            0 => ConditionExpr::Not(a),
            1 => ConditionExpr::Both(a, "or", b),
            2 => ConditionExpr::Both(a, "imply", b),
            _ => ConditionExpr::Both(a, "and", b),
        }
    }

    fn atom(&mut self, deadlock: bool) -> ConditionExpr {
        match self.rng.below(7) {
            0 if deadlock => ConditionExpr::Text("deadlock".to_owned()),
            1 => match self.condition(None) {
                Some(text) => ConditionExpr::Text(text),
                None => ConditionExpr::Text("true".to_owned()),
            },
            2..=4 => self.timed_atom(),
            _ => {
                let process = self.rng.below(self.net.processes.len());
                let location = self.rng.below(self.net.processes[process].locations.len());
                ConditionExpr::Text(format!("P{process}.L{location}"))
            }
        }
    }

    fn timed_atom(&mut self) -> ConditionExpr {
        let o = self.options;
        let Some(left) = self.clock(None) else { return ConditionExpr::Text("true".to_owned()) };
        let minus = self.clock(None).filter(|c| *c != left && o.diagonals && self.rng.chance(40));
        let op = if o.strict {
            *self.rng.pick(&["<", ">", "<=", ">=", "==", "!="])
        } else {
            *self.rng.pick(&["<=", ">=", "=="])
        };
        let bound = ClockOperand::Number(self.rng.between(0, o.constant + 1));
        ConditionExpr::Timed(TimedCondition { premise: None, left, minus, op, bound })
    }
}
