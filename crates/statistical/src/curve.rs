//! Solutions of differential equations, by the method of Dormand and Prince with its continuous
//! extension.
//!
//! Each step has an estimated error of at most [`TOLERANCE`], relative to the greater of 1 and the
//! value, and is no longer than a given maximum. All operations are those of Rust alone and in a
//! fixed order, so that solutions have the same bits everywhere.

/// The estimated error of a step.
const TOLERANCE: f64 = 1e-9;
/// The shortest step that is shortened further.
const SHORTEST: f64 = 1e-10;
/// The number of short steps in a row after which no solution is expected, and what is short.
const MAX_SHORT: u32 = 100_000;
const SHORT: f64 = 1e-7;

const NODES: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
const STAGES: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const ERRORS: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];
const DENSE: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// Why there is no solution beyond a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NoSolution {
    /// A value grows beyond all bounds; the number of the component.
    Infinite(usize),
    /// The solution changes too fast for any step.
    TooFast,
}

/// A solution from a moment on, as far as it was needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curve {
    /// The number of components.
    size: usize,
    /// The start of each step; the last one is the end of the solution.
    times: Vec<f64>,
    /// The coefficients of each step: five for each component.
    steps: Vec<f64>,
    /// The value and the derivative at the end.
    value: Vec<f64>,
    derivative: Vec<f64>,
    /// The length of the next step.
    next: f64,
    /// The number of short steps in a row.
    short: u32,
    stages: Vec<f64>,
    trial: Vec<f64>,
}

impl Curve {
    /// Starts a solution at 0.
    pub(crate) fn start<E>(
        &mut self,
        value: impl Iterator<Item = f64>,
        derivative: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.times.clear();
        self.steps.clear();
        self.value.clear();
        self.value.extend(value);
        self.size = self.value.len();
        self.times.push(0.0);
        self.derivative.resize(self.size, 0.0);
        self.stages.resize(7 * self.size, 0.0);
        self.trial.resize(self.size, 0.0);
        (self.next, self.short) = (f64::MAX, 0);
        derivative(0.0, &self.value, &mut self.derivative)
    }

    /// Returns the end of the solution so far.
    pub(crate) fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Extends the solution by a step, which is no longer than `most`.
    pub(crate) fn extend<E: From<NoSolution>>(
        &mut self,
        most: f64,
        derivative: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (n, from) = (self.size, self.end());
        let mut h = self.next.min(most);
        loop {
            self.stages[..n].copy_from_slice(&self.derivative);
            for stage in 1..7 {
                for i in 0..n {
                    let sum: f64 = (0..stage).map(|j| STAGES[stage][j] * self.stages[j * n + i]).sum();
                    self.trial[i] = self.value[i] + h * sum;
                }
                let (_, rest) = self.stages.split_at_mut(stage * n);
                derivative(from + NODES[stage] * h, &self.trial, &mut rest[..n])?;
            }
            let error = self.error(h);
            if error <= 1.0 || h <= SHORTEST && error.is_finite() {
                self.short = if h > SHORT { 0 } else { self.short + 1 };
                if self.short > MAX_SHORT {
                    return Err(NoSolution::TooFast.into());
                }
                self.accept(from, h);
                // The usual rule for an error of the fifth order.
                let factor = if error > 0.0 { 0.9 * libm::pow(error, -0.2) } else { 5.0 };
                self.next = (h * factor.clamp(0.2, 5.0)).max(SHORTEST);
                return Ok(());
            }
            if h <= SHORTEST {
                let infinite = (0..n).find(|i| !self.trial[*i].is_finite()).unwrap_or(0);
                return Err(NoSolution::Infinite(infinite).into());
            }
            let factor = if error.is_finite() { 0.9 * libm::pow(error, -0.2) } else { 0.1 };
            h = (h * factor.clamp(0.1, 0.9)).max(SHORTEST);
        }
    }

    /// Returns the estimated error of a step, as a multiple of what is allowed; infinite if it is
    /// no number.
    fn error(&self, h: f64) -> f64 {
        let n = self.size;
        let mut most: f64 = 0.0;
        for i in 0..n {
            let sum: f64 = (0..7).map(|j| ERRORS[j] * self.stages[j * n + i]).sum();
            let scale = TOLERANCE * self.value[i].abs().max(self.trial[i].abs()).max(1.0);
            let error = (h * sum).abs() / scale;
            if !(error.is_finite() && self.trial[i].is_finite()) {
                return f64::INFINITY;
            }
            most = most.max(error);
        }
        most
    }

    /// Appends the step that was tried: its end is in `trial`, and the last stage is the derivative
    /// there.
    fn accept(&mut self, from: f64, h: f64) {
        let n = self.size;
        for i in 0..n {
            let rise = self.trial[i] - self.value[i];
            let bend = h * self.stages[i] - rise;
            let twist = rise - h * self.stages[6 * n + i] - bend;
            let rest: f64 = (0..7).map(|j| DENSE[j] * self.stages[j * n + i]).sum();
            self.steps.extend([self.value[i], rise, bend, twist, h * rest]);
        }
        self.value.copy_from_slice(&self.trial);
        self.derivative.copy_from_slice(&self.stages[6 * n..]);
        self.times.push(from + h);
    }

    /// Returns the value of a component at a moment of the solution so far.
    pub(crate) fn at(&self, time: f64, component: usize) -> f64 {
        let step = self.times.partition_point(|start| *start <= time);
        if step == 0 || step >= self.times.len() {
            return if time <= 0.0 && !self.steps.is_empty() {
                self.steps[5 * component]
            } else {
                self.value[component]
            };
        }
        let (from, to) = (self.times[step - 1], self.times[step]);
        let x = (time - from) / (to - from);
        let c = &self.steps[5 * ((step - 1) * self.size + component)..][..5];
        let y = 1.0 - x;
        c[0] + x * (c[1] + y * (c[2] + x * (c[3] + y * c[4])))
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, NoSolution};

    fn solve(start: &[f64], end: f64, f: impl Fn(f64, &[f64], &mut [f64])) -> Result<Curve, NoSolution> {
        let mut f = |t: f64, y: &[f64], out: &mut [f64]| {
            f(t, y, out);
            Ok::<(), NoSolution>(())
        };
        let mut curve = Curve::default();
        curve.start(start.iter().copied(), &mut f)?;
        while curve.end() < end {
            curve.extend(0.1, &mut f)?;
        }
        Ok(curve)
    }

    #[test]
    fn solutions_are_as_exact_as_promised() {
        let decay = solve(&[1.0], 5.0, |_, y, out| out[0] = -y[0]).unwrap();
        let swing = solve(&[1.0, 0.0], 10.0, |_, y, out| (out[0], out[1]) = (y[1], -y[0])).unwrap();
        let forced = solve(&[0.0], 3.0, |t, _, out| out[0] = 3.0 * t * t).unwrap();
        for i in 0..=300 {
            let t = f64::from(i) * 0.01;
            assert!((decay.at(t, 0) - (-t).exp()).abs() < 1e-8, "{t}");
            assert!((swing.at(3.0 * t, 0) - (3.0 * t).cos()).abs() < 1e-8, "{t}");
            assert!((forced.at(t, 0) - t * t * t).abs() < 1e-8, "{t}");
        }
    }

    #[test]
    fn jumps_of_the_derivative_are_passed() {
        let bent = solve(&[0.0], 2.0, |t, _, out| out[0] = if t < 1.05 { 1.0 } else { -1.0 }).unwrap();
        assert!((bent.at(1.05, 0) - 1.05).abs() < 1e-6 && (bent.at(2.0, 0) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn what_has_no_solution_ends() {
        assert_eq!(solve(&[1.0], 2.0, |_, y, out| out[0] = y[0] * y[0]).unwrap_err(), NoSolution::Infinite(0));
        let chatters = |y: f64| if y > 0.0 { -1e9 } else { 1e9 };
        assert_eq!(solve(&[1.0], 2.0, |_, y, out| out[0] = chatters(y[0])).unwrap_err(), NoSolution::TooFast);
    }
}
