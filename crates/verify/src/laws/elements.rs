//! The states and elements that laws are checked on.

use std::collections::{BTreeSet, HashSet};

use explore::{
    graph::Abstraction,
    search::{Limits, SearchOutcome},
    store::Update,
};
use lattice::Lattice;
use model::{Formula, System, system::LatticeVariable};

use super::random;
use crate::{
    Plan,
    reach::no_goal,
    task::{Subject, Task},
};

/// So many states are met at most.
const STATES: usize = 2000;

/// A type with more values has not all of them checked.
pub(super) const MOST: usize = 2000;

/// So many values of such a type are made up.
const SAMPLES: usize = 300;

/// The discrete parts of states that a short search meets, in its order.
pub(super) struct Met {
    pub rows: Vec<Vec<i32>>,
}

impl Met {
    pub(super) fn new(system: &System) -> Met {
        let plan = Plan { abstraction: Abstraction::ExtraLuPlus, update: Update::Simple, ..Plan::unused(system) };
        let subject = Subject::whole(system, &[&Formula::False]);
        let mut task = Task::<i32>::new(&subject, &plan, subject.bounds());
        let limits = Limits { states: Some(STATES), ..Limits::default() };
        // An error of the model is not a violated law. The search continues with other states.
        while let Some(SearchOutcome::Error(..)) = task.resume(&mut no_goal, &limits, &mut ()) {}
        let store = &task.workers()[0].seen.store;
        let states = store.nodes().take(STATES).map(|node| {
            let mut row = Vec::new();
            store.row(node, &mut row);
            row
        });
        let mut known = HashSet::new();
        let rows = states.filter(|row| known.insert(row.clone())).collect();
        Met { rows }
    }

    /// The elements that a variable had, in the order of the search.
    pub(super) fn elements(&self, variable: &LatticeVariable) -> Vec<Vec<i32>> {
        let mut known = HashSet::new();
        let all = self.rows.iter().map(|row| element(row, variable));
        all.filter(|element| known.insert(*element)).map(<[i32]>::to_vec).collect()
    }
}

/// The element of a variable in a row.
pub(super) fn element<'r>(row: &'r [i32], variable: &LatticeVariable) -> &'r [i32] {
    &row[variable.first as usize..(variable.first + variable.width) as usize]
}

/// Elements with small numbers are small.
fn sorted(elements: impl IntoIterator<Item = Vec<i32>>) -> Vec<Vec<i32>> {
    let weight = |element: &[i32]| element.iter().map(|n| u64::from(n.unsigned_abs())).sum::<u64>();
    let all: BTreeSet<(u64, Vec<i32>)> = elements.into_iter().map(|element| (weight(&element), element)).collect();
    all.into_iter().map(|(_, element)| element).collect()
}

/// All values that the ranges of numbers allow, or some of them; and whether these are all.
pub(super) fn values(ranges: &[(i32, i32)], met: Vec<Vec<i32>>) -> (Vec<Vec<i32>>, bool) {
    let sizes = ranges.iter().map(|(low, high)| i64::from(*high) - i64::from(*low) + 1);
    if sizes.fold(1_i64, i64::saturating_mul) <= MOST as i64 {
        let mut all = vec![Vec::new()];
        for &(low, high) in ranges {
            let longer = |element: &Vec<i32>| {
                let element = element.clone();
                (low..=high).map(move |n| [&element[..], &[n]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        return (sorted(all), true);
    }
    let mut random = random();
    let mut number = |(low, high): (i32, i32)| {
        let near = i32::clamp(random(8) as i32 - 2, low, high);
        match random(8) {
            0 => low,
            1 => high,
            2 => (i64::from(low) + i64::from(random(u32::MAX)) % (i64::from(high) - i64::from(low) + 1)) as i32,
            _ => near,
        }
    };
    let samples: Vec<Vec<i32>> = (0..SAMPLES).map(|_| ranges.iter().map(|range| number(*range)).collect()).collect();
    (sorted(met.into_iter().take(SAMPLES).chain(samples)), false)
}

/// What a lattice makes up until somebody stops it, and elements that were met.
pub(super) fn samples(lattice: &dyn Lattice, met: Vec<Vec<i32>>, stop: &dyn Fn() -> bool) -> Vec<Vec<i32>> {
    let mut random = random();
    let mut element = vec![0; lattice.width()];
    let mut made = Vec::new();
    for _ in 0..SAMPLES {
        if stop() {
            break;
        }
        lattice.sample(&mut random, &mut element);
        made.push(element.clone());
    }
    sorted(met.into_iter().take(SAMPLES).chain(made))
}
