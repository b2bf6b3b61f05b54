//! Code with floating-point numbers, and what it has beside the memory.

use std::collections::VecDeque;

use super::FaultKind;
use crate::{
    code::{Addr, RealCode},
    interpret::Memory,
    operation::Cmp,
    random::RunRandom,
    real::{number, words},
};

/// What code with floating-point numbers has beside the memory.
#[derive(Clone, Debug, Default)]
pub struct RealContext {
    /// The values of clocks, by their numbers; empty if no code reads or sets them as such numbers.
    pub clocks: Vec<f64>,
    /// Where random numbers come from.
    pub draws: Draws,
    /// The numbers that were drawn since somebody has emptied it.
    pub drawn: Vec<f64>,
    /// The result of the last expression.
    pub result: f64,
}

/// Where random numbers come from.
#[derive(Clone, Debug, Default)]
pub enum Draws {
    /// None may be drawn.
    #[default]
    Never,
    /// They are drawn from their distributions.
    Random(Box<RunRandom>),
    /// They were drawn before.
    Given(VecDeque<f64>),
}

impl RealContext {
    /// Returns the value of a clock.
    pub(crate) fn clock(&self, clock: u32) -> f64 {
        self.clocks.get(clock as usize).copied().unwrap_or(0.0)
    }

    /// Sets a clock, if values are kept.
    #[inline]
    pub(crate) fn set_clock(&mut self, clock: u32, value: f64) {
        if let Some(slot) = self.clocks.get_mut(clock as usize) {
            *slot = value;
        }
    }
}

/// Executes an instruction on floating-point numbers.
#[inline]
pub(crate) fn execute<M: Memory>(
    code: RealCode,
    (to, a, b): (Addr, Addr, Addr),
    m: &mut M,
    environment: &mut RealContext,
) -> Result<(), FaultKind> {
    match code {
        RealCode::Compute(op) => {
            let value = op.apply(get(m, a), get(m, b), get(m, to));
            set(m, to, value);
        }
        RealCode::Test(test) => {
            let value = test.apply(get(m, a))?;
            m.set(to, value);
        }
        RealCode::Compare(cmp) => {
            let holds = compare(cmp, get(m, a), get(m, b));
            m.set(to, i32::from(holds));
        }
        RealCode::Widen => {
            let value = f64::from(m.get(a));
            set(m, to, value);
        }
        RealCode::Draw(distribution) => {
            let (a, b, c) = (get(m, a), get(m, b), get(m, to));
            let value = match &mut environment.draws {
                Draws::Never => return Err(FaultKind::NotRandom),
                Draws::Random(random) => distribution.draw(random, a, b, c)?,
                Draws::Given(values) => values.pop_front().ok_or(FaultKind::NotRandom)?,
            };
            environment.drawn.push(value);
            set(m, to, value);
        }
        RealCode::ReadClock => {
            let value = environment.clock(m.get(a) as u32);
            set(m, to, value);
        }
        RealCode::SetClock => environment.set_clock(m.get(a) as u32, get(m, b)),
        RealCode::Yield => environment.result = get(m, a),
    }
    Ok(())
}

/// Returns whether a comparison holds; none but `!=` does for what is not a number.
pub(crate) fn compare(cmp: Cmp, a: f64, b: f64) -> bool {
    match cmp {
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
    }
}

fn get<M: Memory>(m: &M, at: Addr) -> f64 {
    number(m.get(at), m.get(at + 1))
}

fn set<M: Memory>(m: &mut M, at: Addr, value: f64) {
    let [low, high] = words(value);
    m.set(at, low);
    m.set(at + 1, high);
}
