//! Whether a run shows that a clock has no bound.

use std::ops::Range;

use model::{
    Ratio, System,
    machine::ClockChange,
    replay::{ConcreteState, Regions, Replayer, Visit},
};

/// The number of steps up to which runs are searched for repetitions.
pub(super) const MAX_LENGTH: usize = 3000;

/// Whether a run passes two equivalent states with whole units of time between them, and the clock
/// that becomes `x` is not set between them, nor is what it becomes until the end.
pub(super) fn repeats(system: &System, regions: &Regions, run: &[Visit], x: usize) -> Option<bool> {
    // The states during which the value of x at the end was in one clock, backward.
    let mut origins = Vec::new();
    let (mut clock, mut end) = (x, run.len());
    let mut replayer = Replayer::new(system);
    for (i, pair) in run.windows(2).enumerate().rev() {
        let (_, changes) = replayer.update(&pair[0].state.row, &pair[1].edges).ok()?;
        let mut set = false;
        for change in changes.into_iter().rev() {
            match change {
                ClockChange::Copy { clock: to, from, .. } if to as usize == clock => {
                    (clock, set) = (from as usize, true);
                }
                ClockChange::Set { clock: to, .. } if to as usize == clock => {
                    (clock, set) = (0, true);
                    break;
                }
                _ => {}
            }
        }
        if set {
            origins.push(i + 1..end);
            end = i + 1;
        }
        if clock == 0 {
            break;
        }
    }
    if clock != 0 {
        origins.push(0..end);
    }
    for span in origins {
        if passes_again(regions, run, span)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether two of the moments that lie whole units of time after a run enters the first of some
/// states, and are in these states, are equivalent.
///
/// Moments stay equivalent while both go on for the same time. So one of the two may be taken to be
/// the last of its state; and the other one the last as well, or the one before, or one at which
/// some clock has the same whole part.
fn passes_again(regions: &Regions, run: &[Visit], span: Range<usize>) -> Option<bool> {
    let stays = stays(run, span)?;
    let mut lasts: Vec<ConcreteState> = Vec::new();
    for stay in &stays {
        lasts.push(after(&run[stay.state].state, stay.last)?);
    }
    // What there is in a long run is enough.
    let mut tries = MAX_LENGTH * MAX_LENGTH;
    for (i, end) in stays.iter().zip(&lasts) {
        for (j, other) in stays.iter().zip(&lasts) {
            tries = tries.saturating_sub(1);
            if tries == 0 {
                return Some(false);
            }
            if run[i.state].state.row != run[j.state].state.row {
                continue;
            }
            // So much earlier than the last moment of the second state a clock is the same as in
            // that of the first. Where all are large one moment is as good as the next.
            let earlier = end.clocks.iter().zip(&other.clocks).skip(1).map(|(a, b)| b.floor().checked_sub(a.floor()));
            for earlier in earlier.chain([Some(0), Some(1)]) {
                let at = j.last.minus(Ratio::new(earlier?, 1)?)?;
                let apart = i.entered.plus(i.last)? != j.entered.plus(at)?;
                let stays = at >= j.first && at <= j.last;
                if apart && stays && regions.equivalent(end, &after(&run[j.state].state, at)?) {
                    return Some(true);
                }
            }
        }
    }
    Some(false)
}

/// A state of a run, and how long after it is entered the first and the last moment come that lie
/// whole units of time after the run enters the first of some states.
struct RunStay {
    state: usize,
    /// When it is entered.
    entered: Ratio,
    first: Ratio,
    last: Ratio,
}

fn stays(run: &[Visit], span: Range<usize>) -> Option<Vec<RunStay>> {
    let (mut all, mut entered) = (Vec::new(), Ratio::ZERO);
    for state in span {
        let left = entered.plus(run[state].delay)?;
        let whole = |number: i64| Ratio::new(number, 1)?.minus(entered);
        let floor = entered.floor();
        let next = if entered == Ratio::new(floor, 1)? { floor } else { floor.checked_add(1)? };
        if Ratio::new(next, 1)? <= left {
            all.push(RunStay { state, entered, first: whole(next)?, last: whole(left.floor())? });
        }
        entered = left;
    }
    Some(all)
}

/// A state after a delay.
fn after(state: &ConcreteState, delay: Ratio) -> Option<ConcreteState> {
    let mut state = state.clone();
    for value in &mut state.clocks[1..] {
        *value = value.plus(delay)?;
    }
    Some(state)
}
