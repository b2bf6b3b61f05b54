//! Variables that are never read.
//!
//! Models count things that no query asks for: energy, messages, rounds. States that differ only in
//! such counters have the same behaviour, with one exception: a counter leaves its range sooner in
//! one of them. A search that identifies such states terminates where it would otherwise count on,
//! and finds all behaviour up to the overflow of a counter.
//!
//! This is the analysis of *faint* variables (Giegerich, Möncke and Wilhelm, 1981) on compiled
//! code: a variable is read if its value flows into a condition, an index, a divisor, a clock, or
//! another variable that is read.

use crate::{
    Formula, System,
    code::{Addr, Code, Op, Pc, Use},
    system::{ClockConstraint, ClockTerm, Guard, Operand},
};

impl System {
    /// Returns the numbers of the variables that influence neither the behaviour of the system nor
    /// the truth of `formulas`, although they are part of a state's identity. Only a range
    /// violation of such a variable may depend on its value. If they are put into
    /// [`System::unread`], states that differ only there are identified.
    #[must_use]
    pub fn find_unread(&self, formulas: &[&Formula]) -> Vec<u32> {
        // The analysis is skipped for code beyond any known model.
        if self.code.len().saturating_mul(self.code.scratch()) > 1 << 28 {
            return Vec::new();
        }
        let mut reads = Reads::new(self);
        // Elements of lattices determine later behaviour and the order of states.
        for lattice in &self.lattices {
            reads.read[self.variables.partition_point(|v| v.first <= lattice.first) - 1] = true;
        }
        reads.follow(self.roots(formulas));
        reads.solve();
        let unread = |i: &usize| !self.variables[*i].meta && reads.changed[*i] && !reads.read[*i];
        (0..self.variables.len()).filter(unread).map(|i| i as u32).collect()
    }
}

impl System {
    /// Returns the starts of all code of the system and of formulas.
    fn roots(&self, formulas: &[&Formula]) -> Vec<Pc> {
        let mut roots: Vec<Pc> = [self.before_update, self.after_update].into_iter().flatten().collect();
        let guards = self.edges.iter().map(|e| &e.guard).chain(self.locations.iter().map(|l| &l.invariant));
        guards.for_each(|guard| of_guard(guard, &mut roots));
        roots.extend(self.edges.iter().filter_map(|e| e.update));
        for rate in self.locations.iter().flat_map(|l| &l.rates) {
            roots.extend(rate.condition);
            of_term(rate.clock, &mut roots);
            of_operand(rate.rate, &mut roots);
        }
        formulas.iter().for_each(|formula| formula.code(&mut roots));
        roots
    }

    /// Returns whether a run-time error is possible, judged by single instructions.
    #[must_use]
    pub fn may_fail(&self, formulas: &[&Formula]) -> bool {
        self.code.reach(self.roots(formulas)).into_iter().any(|pc| self.code.may_fail(pc))
    }
}

fn of_guard(guard: &Guard, roots: &mut Vec<Pc>) {
    roots.extend(guard.condition);
    roots.extend(guard.clocks.iter().flat_map(ClockConstraint::code));
}

fn of_term(term: ClockTerm, roots: &mut Vec<Pc>) {
    if let ClockTerm::Element { pc, .. } = term {
        roots.push(pc);
    }
}

fn of_operand(operand: Operand, roots: &mut Vec<Pc>) {
    if let Operand::Code { pc, .. } = operand {
        roots.push(pc);
    }
}

/// The memory that an address belongs to.
enum AddressKind {
    /// A variable of the row.
    Variable(usize),
    /// The scratch space.
    Scratch(usize),
    /// A location or a constant.
    Other,
}

struct Reads<'s> {
    system: &'s System,
    code: &'s Code,
    /// The reachable instructions, in order.
    run: Vec<u32>,
    /// The instructions that calls return to.
    returns: Vec<u32>,
    /// The variables that are read.
    read: Vec<bool>,
    /// The scratch addresses that are live before each instruction.
    live: Vec<Vec<bool>>,
    /// The variables that are written.
    changed: Vec<bool>,
    /// The scratch addresses that pointers and indices may refer to, which are always live.
    pointed: Vec<bool>,
}

impl<'s> Reads<'s> {
    fn new(system: &'s System) -> Reads<'s> {
        let code = &system.code;
        let mut pointed = vec![false; code.scratch()];
        code.wide().for_each(|range| pointed[range].fill(true));
        Reads {
            system,
            code,
            run: Vec::new(),
            returns: Vec::new(),
            read: vec![false; system.variables.len()],
            live: Vec::new(),
            changed: vec![false; system.variables.len()],
            pointed,
        }
    }

    /// Collects all instructions that are reachable from these.
    fn follow(&mut self, roots: Vec<Pc>) {
        self.run = self.code.reach(roots).into_iter().collect();
        self.live = vec![Vec::new(); self.code.len()];
        for &pc in &self.run {
            self.live[pc as usize] = vec![false; self.code.scratch()];
            match self.code.op(pc) {
                Op::Call { .. } => self.returns.push(pc + 1),
                Op::Point { base, .. } => {
                    if let AddressKind::Scratch(at) = self.address_kind(base) {
                        self.pointed[at] = true;
                    }
                }
                _ => {}
            }
        }
    }

    fn address_kind(&self, addr: Addr) -> AddressKind {
        let row = self.system.initial.len() as u32;
        if addr < row {
            let i = self.system.variables.partition_point(|v| v.first <= addr);
            return if i == 0 { AddressKind::Other } else { AddressKind::Variable(i - 1) };
        }
        self.code.scratch_at(addr).map_or(AddressKind::Other, AddressKind::Scratch)
    }

    /// Computes the variables that are read and those that are written.
    fn solve(&mut self) {
        // Most jumps are forward, so few passes from the end suffice.
        loop {
            let mut stable = true;
            for at in (0..self.run.len()).rev() {
                let pc = self.run[at];
                let (before, reads) = self.before(pc);
                stable &= !reads && before == self.live[pc as usize];
                self.live[pc as usize] = before;
            }
            if stable {
                return;
            }
        }
    }

    /// Computes liveness before an instruction from liveness after it, and whether another variable
    /// is read.
    fn before(&mut self, pc: u32) -> (Vec<bool>, bool) {
        let op = self.code.op(pc);
        let mut liveness = Liveness { live: vec![false; self.code.scratch()], reads: false };
        let mut after = |next: u32| {
            liveness.live.iter_mut().zip(&self.live[next as usize]).for_each(|(a, b)| *a |= b);
        };
        match op {
            Op::Jump { by } => after((pc + 1).wrapping_add_signed(by)),
            Op::JumpIf { by, .. } => {
                after(pc + 1);
                after((pc + 1).wrapping_add_signed(by));
            }
            Op::Call { pc: to } => after(to),
            Op::Return => self.returns.iter().for_each(|next| after(*next)),
            Op::Trap | Op::Answer { .. } | Op::Yield { .. } | Op::End => {}
            _ => after(pc + 1),
        }
        let mut needed = false;
        op.uses(|what, addr| match what {
            Use::Target => needed |= self.assign(&mut liveness, addr, false),
            Use::AnyTarget => needed |= self.assign(&mut liveness, addr, true),
            _ => {}
        });
        op.uses(|what, addr| match what {
            Use::Source | Use::AnySource if !needed => {}
            // Range violations are ignored.
            Use::Target | Use::AnyTarget | Use::Checked => {}
            // The target of a pointer is read. Elements of lattices are always live, and so is all
            // that flows into them.
            Use::Whole | Use::Replaced | Use::ReadClock | Use::SetClock => self.mark_live(&mut liveness, addr),
            Use::Source | Use::AnySource | Use::Read => self.mark_live(&mut liveness, addr),
        });
        if let Op::Ask { .. } = op {
            for read in &mut self.read {
                liveness.reads |= !std::mem::replace(read, true);
            }
        }
        if let Op::Lattice { call, at, .. } = op {
            let call = self.code.call(call);
            (at..at + call.elements + call.arguments).for_each(|a| self.mark_live(&mut liveness, a));
        }
        (liveness.live, liveness.reads)
    }

    /// Handles an assignment to `to`. Returns whether it is live. If only one of several numbers is
    /// written, the others stay live.
    fn assign(&mut self, liveness: &mut Liveness, to: Addr, one_of_several: bool) -> bool {
        match self.address_kind(to) {
            AddressKind::Variable(i) => {
                self.changed[i] = true;
                self.read[i] || self.system.variables[i].meta
            }
            AddressKind::Scratch(at) => {
                let live = liveness.live[at];
                liveness.live[at] &= one_of_several;
                live || self.pointed[at]
            }
            AddressKind::Other => true,
        }
    }

    /// Marks the value at an address as live.
    fn mark_live(&mut self, liveness: &mut Liveness, addr: Addr) {
        match self.address_kind(addr) {
            AddressKind::Variable(i) => liveness.reads |= !std::mem::replace(&mut self.read[i], true),
            AddressKind::Scratch(at) => liveness.live[at] = true,
            AddressKind::Other => {}
        }
    }
}

struct Liveness {
    live: Vec<bool>,
    reads: bool,
}
