//! Unit propagation: the only rule by which clauses follow from clauses.

/// A literal: twice the variable, plus one if it is negated.
pub(crate) type PlainLiteral = u32;

/// Clauses, and an assignment that grows by unit propagation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Propagator {
    clauses: Vec<Vec<PlainLiteral>>,
    /// The clauses that are visited when a literal becomes false: it is one of their first two.
    watches: Vec<Vec<u32>>,
    units: Vec<PlainLiteral>,
    is_empty: bool,
    /// Whether each literal is known to hold.
    holds: Vec<bool>,
    trail: Vec<PlainLiteral>,
}

impl Propagator {
    /// Creates an empty list of clauses on so many variables.
    pub(crate) fn new(variables: usize) -> Propagator {
        let (watches, holds) = (vec![Vec::new(); 2 * variables], vec![false; 2 * variables]);
        Propagator { watches, holds, ..Propagator::default() }
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, mut clause: Vec<PlainLiteral>) {
        clause.sort_unstable();
        clause.dedup();
        match clause[..] {
            [] => self.is_empty = true,
            [only] => self.units.push(only),
            [a, b, ..] => {
                let number = self.clauses.len() as u32;
                self.watches[a as usize].push(number);
                self.watches[b as usize].push(number);
                self.clauses.push(clause);
            }
        }
    }

    /// Returns whether propagation finds a contradiction if these literals hold.
    pub(crate) fn refutes(&mut self, cube: impl IntoIterator<Item = PlainLiteral>) -> bool {
        if self.is_empty {
            return true;
        }
        let first: Vec<PlainLiteral> = self.units.iter().copied().chain(cube).collect();
        let found = first.into_iter().any(|literal| !self.assign(literal)) || !self.propagate();
        for literal in self.trail.drain(..) {
            self.holds[literal as usize] = false;
        }
        found
    }

    /// Lets a literal hold. Returns whether that is possible.
    fn assign(&mut self, literal: PlainLiteral) -> bool {
        if self.holds[(literal ^ 1) as usize] {
            return false;
        }
        if !std::mem::replace(&mut self.holds[literal as usize], true) {
            self.trail.push(literal);
        }
        true
    }

    /// Assigns all consequences. Returns whether there is no contradiction.
    fn propagate(&mut self) -> bool {
        let mut at = 0;
        while let Some(&literal) = self.trail.get(at) {
            at += 1;
            let falsified = literal ^ 1;
            let list = std::mem::take(&mut self.watches[falsified as usize]);
            let mut kept = Vec::with_capacity(list.len());
            let mut fine = true;
            for (i, &number) in list.iter().enumerate() {
                let clause = &mut self.clauses[number as usize];
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                let other = (2..clause.len()).find(|j| !self.holds[(clause[*j] ^ 1) as usize]);
                if let Some(j) = other {
                    clause.swap(1, j);
                    self.watches[clause[1] as usize].push(number);
                    continue;
                }
                kept.push(number);
                let first = clause[0];
                if !self.assign(first) {
                    kept.extend_from_slice(&list[i + 1..]);
                    fine = false;
                    break;
                }
            }
            self.watches[falsified as usize] = kept;
            if !fine {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use oracle::random::Rng;

    use super::*;

    /// Propagation by the definition: as long as a clause has one literal that is not false.
    fn refuted(clauses: &[Vec<u32>], cube: &[u32]) -> bool {
        let mut holds: Vec<u32> = cube.to_vec();
        loop {
            if holds.iter().any(|l| holds.contains(&(l ^ 1))) {
                return true;
            }
            let mut next = None;
            for clause in clauses {
                let open: BTreeSet<u32> = clause.iter().copied().filter(|l| !holds.contains(&(l ^ 1))).collect();
                let open = Vec::from_iter(open);
                match open[..] {
                    [] => return true,
                    [only] if !holds.contains(&only) => next = Some(only),
                    _ => {}
                }
            }
            let Some(literal) = next else { return false };
            holds.push(literal);
        }
    }

    #[test]
    fn propagation_is_that_of_the_definition() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..500 {
            let mut rng = Rng::new(seed);
            let clauses: Vec<Vec<u32>> = (0..rng.below(14))
                .map(|_| (0..1 + rng.below(4)).map(|_| rng.below(12) as u32).collect::<Vec<u32>>())
                .collect();
            let mut propagator = Propagator::new(6);
            clauses.iter().for_each(|clause| propagator.add(clause.clone()));
            // The same list answers many questions.
            for _ in 0..6 {
                let cube: Vec<u32> = (0..rng.below(4)).map(|_| rng.below(12) as u32).collect();
                let found = propagator.refutes(cube.iter().copied());
                assert_eq!(found, refuted(&clauses, &cube), "{seed} {clauses:?} {cube:?}");
                yes += usize::from(found);
                no += usize::from(!found);
            }
        }
        assert!(yes > 200 && no > 200, "{yes} {no}");
    }
}
