//! All factors with their shared labels.

use std::collections::HashMap;

use super::factor::{Factor, Hop};

/// Steps of the network with equal hops in all factors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FactorLabel {
    /// Whether it leaves a committed location.
    pub(crate) is_committed: bool,
    /// The factors in which it has a group, in order, with the group.
    pub places: Vec<(u32, u32)>,
}

impl FactorLabel {
    /// Returns its group in a factor.
    pub(crate) fn group(&self, factor: u32) -> Option<u32> {
        let at = self.places.binary_search_by_key(&factor, |place| place.0).ok()?;
        Some(self.places[at].1)
    }
}

/// Factors and labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// The factors by number; merged ones are empty.
    pub factors: Vec<Factor>,
    /// The numbers of the remaining factors, in order.
    pub live: Vec<u32>,
    /// The labels.
    pub labels: Vec<FactorLabel>,
    /// The bits of all disjuncts of the goal.
    pub goals: u64,
}

impl Pool {
    /// Returns a factor.
    pub(crate) fn factor(&self, number: u32) -> &Factor {
        &self.factors[number as usize]
    }

    /// Returns a factor.
    pub(crate) fn factor_mut(&mut self, number: u32) -> &mut Factor {
        &mut self.factors[number as usize]
    }

    /// Removes a factor. No label may have a group in it.
    pub(crate) fn remove(&mut self, number: u32) -> Factor {
        self.live.retain(|live| *live != number);
        std::mem::take(self.factor_mut(number))
    }

    /// Removes the factors that are not connected by labels with a factor that is relevant to the
    /// goal.
    pub(crate) fn keep_connected(&mut self) {
        let mut is_kept: Vec<bool> = self.factors.iter().map(|factor| factor.is_about_goal(self.goals)).collect();
        loop {
            let mut more = false;
            for label in &self.labels {
                let kept = label.places.iter().filter(|place| is_kept[place.0 as usize]).count();
                if kept > 0 && kept < label.places.len() {
                    label.places.iter().for_each(|place| is_kept[place.0 as usize] = true);
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
        self.labels.retain(|label| label.places.iter().any(|place| is_kept[place.0 as usize]));
        for number in self.live.clone().into_iter().filter(|number| !is_kept[*number as usize]) {
            self.remove(number);
        }
    }

    /// Merges equal groups after the hops of a factor have changed. Removes labels without hops,
    /// which can't be taken, and groups that consist of self-loops. Returns whether labels were
    /// removed.
    pub(crate) fn settle(&mut self, number: u32) -> bool {
        let factor = &mut self.factors[number as usize];
        let mut known: HashMap<Vec<Hop>, u32> = HashMap::new();
        let mut groups = Vec::new();
        let mut becomes = Vec::new();
        for hops in std::mem::take(&mut factor.groups) {
            let group = *known.entry(hops).or_insert_with_key(|hops| {
                groups.push((hops.is_empty(), [false, true].map(|committed| factor.is_still(hops, committed))));
                groups.len() as u32 - 1
            });
            becomes.push(group);
        }
        factor.groups = vec![Vec::new(); groups.len()];
        known.into_iter().for_each(|(hops, group)| factor.groups[group as usize] = hops);
        let mut is_any_gone = false;
        self.labels.retain_mut(|label| {
            let Ok(at) = label.places.binary_search_by_key(&number, |place| place.0) else { return true };
            let group = becomes[label.places[at].1 as usize];
            let (is_empty, is_still) = groups[group as usize];
            if is_empty {
                is_any_gone = true;
                return false;
            }
            if is_still[usize::from(label.is_committed)] {
                label.places.remove(at);
                return !label.places.is_empty();
            }
            label.places[at].1 = group;
            true
        });
        self.sweep();
        is_any_gone
    }

    /// Removes groups without labels.
    fn sweep(&mut self) {
        let mut becomes: Vec<Vec<Option<u32>>> = self.factors.iter().map(|f| vec![None; f.groups.len()]).collect();
        for &(factor, group) in self.labels.iter().flat_map(|label| &label.places) {
            becomes[factor as usize][group as usize] = Some(0);
        }
        for (factor, becomes) in self.factors.iter_mut().zip(&mut becomes) {
            let mut used = becomes.iter().map(Option::is_some);
            factor.groups.retain(|_| used.next() == Some(true));
            becomes.iter_mut().flatten().zip(0..).for_each(|(group, number)| *group = number);
        }
        for (factor, group) in self.labels.iter_mut().flat_map(|label| &mut label.places) {
            if let Some(next) = becomes[*factor as usize][*group as usize] {
                *group = next;
            }
        }
    }
}
