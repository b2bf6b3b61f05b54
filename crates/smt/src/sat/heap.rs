//! A binary heap of variables by activity, with the position of each variable.

/// The variables that may be unassigned, the most active first.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    activity: Vec<f64>,
    heap: Vec<u32>,
    place: Vec<u32>,
    step: f64,
}

/// The position of a variable that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// The limit at which activities are rescaled.
const MAX_ACTIVITY: f64 = 1e100;

impl Heap {
    /// Adds a variable with activity 0.
    pub(super) fn grow(&mut self) {
        if self.step == 0.0 {
            self.step = 1.0;
        }
        let variable = self.activity.len() as u32;
        self.activity.push(0.0);
        self.place.push(ABSENT);
        self.insert(variable);
    }

    /// Reinserts a variable.
    pub(super) fn insert(&mut self, variable: u32) {
        if self.place[variable as usize] == ABSENT {
            self.place[variable as usize] = self.heap.len() as u32;
            self.heap.push(variable);
            self.up(self.heap.len() - 1);
        }
    }

    /// Returns the most active variable.
    pub(super) fn peek(&self) -> Option<u32> {
        self.heap.first().copied()
    }

    /// Returns the activity of a variable.
    pub(super) fn activity(&self, variable: u32) -> f64 {
        self.activity[variable as usize]
    }

    /// Removes the most active variable.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let top = *self.heap.first()?;
        self.place[top as usize] = ABSENT;
        let last = self.heap.pop()?;
        if last != top {
            self.heap[0] = last;
            self.place[last as usize] = 0;
            self.down(0);
        }
        Some(top)
    }

    /// Increases the activity of a variable.
    pub(super) fn bump(&mut self, variable: u32) {
        let activity = &mut self.activity[variable as usize];
        *activity += self.step;
        if *activity > MAX_ACTIVITY {
            self.activity.iter_mut().for_each(|a| *a /= MAX_ACTIVITY);
            self.step /= MAX_ACTIVITY;
        }
        let place = self.place[variable as usize];
        if place != ABSENT {
            self.up(place as usize);
        }
    }

    /// Decays all activities by a factor.
    pub(super) fn decay(&mut self, factor: f64) {
        self.step /= factor;
    }

    fn up(&mut self, mut at: usize) {
        let variable = self.heap[at];
        let activity = self.activity[variable as usize];
        while at > 0 {
            let parent = (at - 1) / 2;
            let other = self.heap[parent];
            if self.activity[other as usize] >= activity {
                break;
            }
            self.heap[at] = other;
            self.place[other as usize] = at as u32;
            at = parent;
        }
        self.heap[at] = variable;
        self.place[variable as usize] = at as u32;
    }

    fn down(&mut self, mut at: usize) {
        let variable = self.heap[at];
        let activity = self.activity[variable as usize];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            let of = |place: usize| self.activity[self.heap[place] as usize];
            if child + 1 < self.heap.len() && of(child + 1) > of(child) {
                child += 1;
            }
            if of(child) <= activity {
                break;
            }
            let other = self.heap[child];
            self.heap[at] = other;
            self.place[other as usize] = at as u32;
            at = child;
        }
        self.heap[at] = variable;
        self.place[variable as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_active_comes_first() {
        let mut heap = Heap::default();
        for _ in 0..50 {
            heap.grow();
        }
        for round in 0..200_u32 {
            heap.bump(round * 7 % 50);
            heap.decay(0.9);
        }
        let first: Vec<u32> = std::iter::from_fn(|| heap.pop()).collect();
        assert_eq!(first.len(), 50);
        assert!(first.windows(2).all(|w| heap.activity[w[0] as usize] >= heap.activity[w[1] as usize]));
        heap.insert(3);
        heap.insert(3);
        assert_eq!((heap.pop(), heap.pop()), (Some(3), None));
    }
}
