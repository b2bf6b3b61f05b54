//! Whether a state with greater elements can do all that one with smaller ones can.

use std::collections::HashSet;

use model::{
    Model, System,
    machine::{Fault, Machine},
    system::{ClockConstraint, ClockTerm, LatticeOrder, Operand},
};
use syntax::{Diagnostic, Severity, Span};

use super::{
    Laws,
    elements::{Met, element},
    pieces::{Piece, pieces},
    random,
};

/// So many pairs of elements of each variable are tried.
const PAIRS: usize = 150;

/// So many elements of each variable make pairs.
const POOL: usize = 48;

/// So many states are taken as they were met, and so many again with other elements.
const ROWS: usize = 12;

/// So many trials are made in all, and so many of each piece at least.
const TRIALS: (usize, usize) = (2_000_000, 1000);

/// What a state with a greater element lacks.
enum Lost {
    /// A condition.
    Condition,
    /// What clock constraints allow, or the rate of a clock.
    Time,
    /// A number that is no part of an element becomes something else.
    Discrete(usize, i32, i32),
    /// Clocks change in another way.
    Clocks,
    /// What becomes of an element is not greater.
    Element(usize, Vec<i32>, Vec<i32>),
}

impl Lost {
    fn is_guard(&self) -> bool {
        matches!(self, Lost::Condition | Lost::Time)
    }
}

/// Tries the model's guards, invariants and updates on pairs of elements, of one variable at a
/// time.
pub(super) fn check(model: &Model, met: &Met, pools: &[Vec<Vec<i32>>], laws: &mut Laws) {
    let system = &model.system;
    let (pieces, places) = pieces(model);
    let mut trial = Trial { system, machine: Machine::new(&system.code, system.initial.len()) };
    let pairs: Vec<Vec<Pair<'_>>> = (0..pools.len()).map(|v| trial.pairs(v, &pools[v])).collect();
    let mut random = random();
    let each = (TRIALS.0 / pieces.len().max(1)).max(TRIALS.1);
    // Several edges come of one text. What is wrong with it is said once.
    let mut reported = HashSet::new();
    for piece in &pieces {
        let mut rows: Vec<Vec<i32>> =
            met.rows.iter().filter(|row| piece.counts(system, row)).take(ROWS).cloned().collect();
        for i in 0..rows.len() {
            let mut row = rows[i].clone();
            for (v, pool) in system.lattices.iter().zip(pools) {
                if let Some(other) = pool.get(random(pool.len().min(POOL) as u32) as usize) {
                    row[v.first as usize..(v.first + v.width) as usize].copy_from_slice(other);
                }
            }
            rows.push(row);
        }
        let longest = pairs.iter().map(Vec::len).max().unwrap_or(0);
        let ranks = (0..longest).flat_map(|rank| pairs.iter().enumerate().map(move |(v, pairs)| (v, pairs.get(rank))));
        let tries = ranks.filter_map(|(v, pair)| pair.map(|pair| (v, pair)));
        for ((v, (small, large)), row) in tries.flat_map(|try_| rows.iter().map(move |row| (try_, row))).take(each) {
            if system.code.stopped().is_some() {
                return;
            }
            let Some(lost) = trial.lost(piece, row, v, small, large) else { continue };
            let span = if lost.is_guard() { piece.guard_span } else { piece.update_span };
            if reported.insert((lost.is_guard(), span.start, span.end)) {
                laws.diagnostics.push(tell(system, piece, &lost, span, (v, small, large)));
            }
        }
    }
    laws.pieces = places;
    laws.lost = reported.len();
}

/// Two different elements, of which the second is greater.
type Pair<'p> = (&'p [i32], &'p [i32]);

struct Trial<'a> {
    system: &'a System,
    machine: Machine<'a>,
}

impl Trial<'_> {
    fn leq(&mut self, variable: usize, a: &[i32], b: &[i32]) -> bool {
        match self.system.lattices[variable].order {
            LatticeOrder::Library(number) => self.system.library[number as usize].0.leq(a, b),
            LatticeOrder::Model(order) => a == b || self.machine.is_leq(&order, a, b).unwrap_or(false),
        }
    }

    fn is_bottom(&self, variable: usize, element: &[i32]) -> bool {
        match self.system.lattices[variable].order {
            LatticeOrder::Library(number) => self.system.library[number as usize].0.is_bottom(element),
            LatticeOrder::Model(_) => false,
        }
    }

    /// Pairs of a variable's elements, small ones first.
    fn pairs<'p>(&mut self, variable: usize, pool: &'p [Vec<i32>]) -> Vec<Pair<'p>> {
        let (small, large) = pool.split_at(pool.len().min(POOL / 2));
        let spread = large.iter().step_by(large.len().div_ceil(POOL / 2).max(1));
        let pool: Vec<&[i32]> = small.iter().chain(spread).map(Vec::as_slice).collect();
        let all = (0..pool.len()).flat_map(|b| (0..b).flat_map(move |a| [(a, b), (b, a)]));
        let mut pairs = Vec::new();
        for (a, b) in all {
            let (a, b) = (pool[a], pool[b]);
            if pairs.len() >= PAIRS || self.system.code.stopped().is_some() {
                break;
            }
            if !self.is_bottom(variable, a) && self.leq(variable, a, b) {
                pairs.push((a, b));
            }
        }
        pairs
    }

    /// What a state lacks that has the greater element instead of the smaller one. Errors of the
    /// model are not looked for.
    fn lost(&mut self, piece: &Piece<'_>, row: &[i32], variable: usize, small: &[i32], large: &[i32]) -> Option<Lost> {
        let at = self.system.lattices[variable].first as usize;
        let [less, more] = [small, large].map(|element| {
            let mut row = row.to_vec();
            row[at..at + element.len()].copy_from_slice(element);
            row
        });
        let [small, large] = [self.constraints(piece, &less).ok()?, self.constraints(piece, &more).ok()?];
        match (small, large) {
            (None, _) => return None,
            (Some(_), None) => return Some(Lost::Condition),
            (Some(small), Some(large)) if !small.iter().zip(&large).all(|(small, large)| keeps(small, large)) => {
                return Some(Lost::Time);
            }
            _ => {}
        }
        let pc = piece.update?;
        let mut run = |row: &[i32]| {
            self.machine.load(row);
            self.machine.changes.clear();
            self.machine.execute(pc).ok()?;
            Some((self.machine.row().to_vec(), self.machine.changes.clone()))
        };
        let ((less, some), (more, others)) = (run(&less)?, run(&more)?);
        if self.system.lattices.iter().enumerate().any(|(v, part)| self.is_bottom(v, element(&less, part))) {
            return None;
        }
        if some != others {
            return Some(Lost::Clocks);
        }
        self.differs(variable, &less, &more)
    }

    /// Why a row does not stand for another one, which differs from it since a variable did.
    fn differs(&mut self, variable: usize, less: &[i32], more: &[i32]) -> Option<Lost> {
        let mut at = 0;
        let merges = !self.system.lattices[variable].varies;
        for (v, part) in self.system.lattices.iter().enumerate() {
            let (first, end) = (part.first as usize, (part.first + part.width) as usize);
            if let Some(slot) = (at..first).find(|slot| less[*slot] != more[*slot]) {
                return Some(Lost::Discrete(slot, less[slot], more[slot]));
            }
            at = end;
            let (small, large) = (element(less, part), element(more, part));
            // Values that are distinguished must not result from values that are not.
            if !self.leq(v, small, large) || merges && part.varies && small != large {
                return Some(Lost::Element(v, small.to_vec(), large.to_vec()));
            }
        }
        let slot = (at..less.len()).find(|slot| less[*slot] != more[*slot])?;
        Some(Lost::Discrete(slot, less[slot], more[slot]))
    }

    /// The clock constraints and rates of a piece in a state, as numbers; `None`: its condition
    /// does not hold.
    fn constraints(&mut self, piece: &Piece<'_>, row: &[i32]) -> Result<Option<Vec<Option<Bound>>>, Fault> {
        self.machine.load(row);
        if let Some(pc) = piece.guard.condition
            && !self.machine.test(pc)?
        {
            return Ok(None);
        }
        let mut all = Vec::new();
        for constraint in &piece.guard.clocks {
            all.push(self.constraint(constraint)?);
        }
        for rate in piece.rates {
            let counts = rate.condition.map_or(Ok(true), |pc| self.machine.test(pc))?;
            let rate = (self.clock(rate.clock)?, if counts { self.operand(rate.rate)? } else { 1 });
            // No rate allows more than another one.
            all.push(Some(Bound { clocks: (rate.0, rate.1 as u32), limit: 0 }));
        }
        Ok(Some(all))
    }

    fn constraint(&mut self, constraint: &ClockConstraint) -> Result<Option<Bound>, Fault> {
        if let Some(pc) = constraint.condition
            && !self.machine.test(pc)?
        {
            return Ok(None);
        }
        let clocks = (self.clock(constraint.left)?, self.clock(constraint.right)?);
        let limit = 2 * self.operand(constraint.bound)? + i64::from(!constraint.strict);
        Ok(Some(Bound { clocks, limit }))
    }

    fn clock(&mut self, term: ClockTerm) -> Result<u32, Fault> {
        match term {
            ClockTerm::Clock(clock) => Ok(clock.0),
            ClockTerm::Element { pc, .. } => self.machine.clock(pc),
        }
    }

    fn operand(&mut self, operand: Operand) -> Result<i64, Fault> {
        match operand {
            Operand::Const(value) => Ok(value),
            Operand::Code { pc, .. } => self.machine.value(pc).map(i64::from),
        }
    }
}

/// A bound on the difference of two clocks; greater limits allow more.
struct Bound {
    clocks: (u32, u32),
    limit: i64,
}

/// Whether a constraint allows all that another one does.
fn keeps(small: &Option<Bound>, large: &Option<Bound>) -> bool {
    match (small, large) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(small), Some(large)) => small.clocks == large.clocks && small.limit <= large.limit,
    }
}

fn tell(system: &System, piece: &Piece<'_>, lost: &Lost, span: Span, shown: (usize, &[i32], &[i32])) -> Diagnostic {
    let (v, small, large) = shown;
    let name = &system.lattices[v].name;
    let (before, after) = (system.show_element(v, small), system.show_element(v, large));
    let (message, label) = match lost {
        Lost::Condition => (
            format!("this {} is lost where an element is greater", piece.name),
            format!("it holds where `{name}` is {before}, and not where it is {after}"),
        ),
        Lost::Time => (
            format!("this {} allows other clocks where an element is greater", piece.name),
            format!("some values are lost when `{name}` grows from {before} to {after}"),
        ),
        Lost::Discrete(slot, a, b) => (
            "this update leads elsewhere where an element is greater".to_owned(),
            format!(
                "`{}` becomes {a} where `{name}` is {before}, and {b} where it is {after}",
                system.slot_name(*slot as u32)
            ),
        ),
        Lost::Clocks => (
            "this update sets clocks in another way where an element is greater".to_owned(),
            format!("other clocks where `{name}` is {before} than where it is {after}"),
        ),
        Lost::Element(w, a, b) => {
            let (a, b) = (system.show_element(*w, a), system.show_element(*w, b));
            (
                "this update makes of a greater element one that is not greater".to_owned(),
                format!(
                    "`{}` becomes {a} where `{name}` is {before}, and {b} where it is {after}",
                    system.lattices[*w].name
                ),
            )
        }
    };
    let wavers = lost.is_guard() && piece.guard.condition.is_some_and(|pc| system.non_monotone.contains(&pc));
    let (severity, help) = if system.lattices[v].varies {
        (
            Severity::Warning,
            format!("states with different values of `{name}` are distinguished, and never covered or joined"),
        )
    } else if wavers {
        (
            Severity::Warning,
            "searches distinguish the elements that it depends on, or split them, unless with `--monotone assume`"
                .to_owned(),
        )
    } else {
        (Severity::Error, "searches rely on greater elements allowing more here, and miss states otherwise".to_owned())
    };
    let mut diagnostic = Diagnostic::error("not-monotone", span, message).label(label).help(help);
    diagnostic.severity = severity;
    diagnostic
}
