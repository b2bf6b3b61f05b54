//! Formulas of metric interval temporal logic on a run.
//!
//! A run is a sequence of stretches: the time spent in a state, perhaps none. A moment of a run is
//! a stretch and a point of the grid in it, so that states without time count, too. For each
//! subformula, the moments at which it holds are intervals of each stretch. Operators combine them,
//! from the conditions on states outwards.

use model::stochastic::{TimedCondition, TimedGoal};

use crate::{
    grid::{Grid, Ticks},
    problem::RunFault,
    state::RunState,
};

/// Both ends are included.
type Moments = (Ticks, Ticks);

/// The moments at which something holds: the intervals of each stretch, in order.
type Signal = Vec<Vec<Moments>>;

/// The truth of the conditions of a formula along a run.
pub(crate) struct Signals<'q> {
    goal: &'q TimedGoal,
    grid: Option<Grid>,
    stretches: Vec<Moments>,
    conditions: Vec<&'q TimedCondition>,
    /// Those at which each condition holds.
    truth: Vec<Signal>,
}

impl<'q> Signals<'q> {
    pub(crate) fn new(goal: &'q TimedGoal) -> Signals<'q> {
        let mut conditions = Vec::new();
        collect(goal, &mut conditions);
        let truth = vec![Vec::new(); conditions.len()];
        Signals { goal, grid: None, stretches: Vec::new(), conditions, truth }
    }

    /// Adds a stretch: the current state, for a while.
    pub(crate) fn look(&mut self, state: &mut RunState<'_>, delay: Ticks) -> Result<(), RunFault> {
        self.grid = Some(state.grid);
        self.stretches.push((state.time, state.time + delay));
        for (condition, signal) in self.conditions.iter().zip(&mut self.truth) {
            let mut intervals = Vec::new();
            let mut from = 0;
            while let Some(first) = state.earliest(&condition.holds, from, Some(delay))? {
                let fails = state.earliest(&condition.fails, first, Some(delay))?;
                let last = fails.map_or(delay, |fails| (fails - 1).max(first));
                intervals.push((state.time + first, state.time + last));
                // Where a comparison holds within its tolerance only, it fails as well.
                from = last + if fails == Some(first) { (state.sampling() >> 10).max(1) } else { 1 };
                if from > delay {
                    break;
                }
            }
            signal.push(intervals);
        }
        Ok(())
    }

    /// Returns whether the formula holds at the start of the run, which has ended.
    pub(crate) fn holds_at_start(&self) -> bool {
        let (Some(grid), Some((start, _))) = (self.grid, self.stretches.first()) else { return false };
        let signal = self.signal(self.goal, grid, &mut self.truth.iter());
        signal[0].iter().any(|(from, to)| from <= start && start <= to)
    }

    fn signal<'s>(&self, goal: &TimedGoal, grid: Grid, truth: &mut impl Iterator<Item = &'s Signal>) -> Signal {
        match goal {
            TimedGoal::State(_) => truth.next().cloned().unwrap_or_default(),
            TimedGoal::Not(inner) => {
                let inner = self.signal(inner, grid, truth);
                self.stretches.iter().zip(&inner).map(|(stretch, intervals)| complement(*stretch, intervals)).collect()
            }
            TimedGoal::And(parts) => {
                let (a, b) = (self.signal(&parts[0], grid, truth), self.signal(&parts[1], grid, truth));
                a.iter().zip(&b).map(|(a, b)| intersection(a, b)).collect()
            }
            TimedGoal::Until([from, to], parts) => {
                let (a, b) = (self.signal(&parts[0], grid, truth), self.signal(&parts[1], grid, truth));
                // The first point that is not before the interval.
                let interval = (-grid.floor(-from), grid.floor(*to));
                self.until(interval, &a, &b)
            }
        }
    }

    /// Returns the moments from which `b` holds after a time in the interval, and `a` until then.
    fn until(&self, (least, most): Moments, a: &Signal, b: &Signal) -> Signal {
        let mut found: Signal = vec![Vec::new(); self.stretches.len()];
        for (j, ends) in b.iter().enumerate() {
            let (start, _) = self.stretches[j];
            for &(p, q) in ends {
                if least == 0 {
                    found[j].push((p, q));
                }
                // From the same stretch, later than at once.
                for &(u, v) in &a[j] {
                    let (first, last) = (p.max(u + 1), q.min(v + 1));
                    let moments = ((first - most).max(u), (last - least.max(1)).min(v));
                    if first <= last && moments.0 <= moments.1 {
                        found[j].push(moments);
                    }
                }
                // From earlier ones: `a` holds from there to the end of its stretch, in all
                // between, and from the start of this one on.
                let beginning = a[j].iter().find(|(u, _)| *u == start).map_or(start, |(_, v)| v + 1);
                let (first, last) = (p, q.min(beginning));
                if first > last {
                    continue;
                }
                for i in (0..j).rev() {
                    let (from, to) = self.stretches[i];
                    if to < first - most {
                        break;
                    }
                    let Some(&(u, _)) = a[i].iter().find(|(_, v)| *v == to) else { break };
                    let moments = ((first - most).max(u), (last - least).min(to));
                    if moments.0 <= moments.1 {
                        found[i].push(moments);
                    }
                    if u > from {
                        break;
                    }
                }
            }
        }
        found.into_iter().map(united).collect()
    }
}

fn collect<'q>(goal: &'q TimedGoal, out: &mut Vec<&'q TimedCondition>) {
    match goal {
        TimedGoal::State(condition) => out.push(condition),
        TimedGoal::Not(inner) => collect(inner, out),
        TimedGoal::And(parts) | TimedGoal::Until(_, parts) => parts.iter().for_each(|part| collect(part, out)),
    }
}

/// Sorts intervals, and joins those that meet.
fn united(mut intervals: Vec<Moments>) -> Vec<Moments> {
    intervals.sort_unstable();
    let mut out: Vec<Moments> = Vec::with_capacity(intervals.len());
    for (from, to) in intervals {
        match out.last_mut() {
            Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

fn complement((start, end): Moments, intervals: &[Moments]) -> Vec<Moments> {
    let mut out = Vec::new();
    let mut from = start;
    for (first, last) in united(intervals.to_vec()) {
        if from < first {
            out.push((from, first - 1));
        }
        from = last + 1;
    }
    if from <= end {
        out.push((from, end));
    }
    out
}

fn intersection(a: &[Moments], b: &[Moments]) -> Vec<Moments> {
    let pairs = a.iter().flat_map(|(p, q)| b.iter().map(move |(u, v)| (*p.max(u), *q.min(v))));
    united(pairs.filter(|(from, to)| from <= to).collect())
}

#[cfg(test)]
mod tests {
    use model::random::RunRandom;

    use super::{Moments, Signal, Signals, complement, intersection, united};
    use model::stochastic::TimedGoal;

    /// All moments one by one.
    fn points(stretches: &[Moments]) -> Vec<(usize, i64)> {
        stretches.iter().enumerate().flat_map(|(i, (from, to))| (*from..=*to).map(move |t| (i, t))).collect()
    }

    fn holds(signal: &Signal, (i, t): (usize, i64)) -> bool {
        signal[i].iter().any(|(from, to)| (*from..=*to).contains(&t))
    }

    /// The definition: `b` holds at a moment within the interval, and `a` at all before.
    #[test]
    fn until_is_as_defined() {
        let goal = TimedGoal::And(Box::new([0, 1].map(|_| TimedGoal::Not(Box::new(empty())))));
        for seed in 0..400 {
            let mut random = RunRandom::new(seed, 0);
            let (mut stretches, mut time) = (Vec::new(), 0);
            for _ in 0..1 + random.below(5) {
                let end = time + random.below(4) as i64;
                stretches.push((time, end));
                time = end;
            }
            let mut any = || -> Signal {
                let some = |(from, to): &Moments, random: &mut RunRandom| {
                    united((*from..=*to).filter(|_| random.below(3) > 0).map(|t| (t, t)).collect())
                };
                stretches.iter().map(|stretch| some(stretch, &mut random)).collect()
            };
            let (a, b) = (any(), any());
            let signals = Signals {
                goal: &goal,
                grid: None,
                stretches: stretches.clone(),
                conditions: Vec::new(),
                truth: Vec::new(),
            };
            let interval = ((seed % 3) as i64, (seed % 3 + seed % 4) as i64);
            let found = signals.until(interval, &a, &b);
            let all = points(&stretches);
            for (n, here) in all.iter().enumerate() {
                let expected = (n..all.len()).any(|m| {
                    (interval.0..=interval.1).contains(&(all[m].1 - here.1))
                        && holds(&b, all[m])
                        && all[n..m].iter().all(|between| holds(&a, *between))
                });
                assert_eq!(holds(&found, *here), expected, "seed {seed}: {here:?} of {stretches:?}");
                assert_ne!(
                    holds(&a, *here),
                    complement(stretches[here.0], &a[here.0]).iter().any(|(f, t)| (*f..=*t).contains(&here.1))
                );
                let both = intersection(&a[here.0], &b[here.0]);
                assert_eq!(both.iter().any(|(f, t)| (*f..=*t).contains(&here.1)), holds(&a, *here) && holds(&b, *here));
            }
        }
    }

    fn empty() -> TimedGoal {
        use model::stochastic::{RunFormula, TimedCondition};
        TimedGoal::State(Box::new(TimedCondition { holds: RunFormula::False, fails: RunFormula::True }))
    }
}
