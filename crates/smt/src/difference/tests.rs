//! Checks the reasons of every conflict and of every consequence: they are sufficient and asserted.

use super::*;

/// SplitMix64, so that cases are the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }
}

/// Returns whether literals of atoms are consistent (Bellman and Ford), with strict bounds as
/// pairs.
fn consistent(atoms: &[Atom], literals: &[Literal]) -> bool {
    let mut distances = [(0, 0); 200];
    for _ in 0..=distances.len() {
        let mut changed = false;
        for literal in literals {
            let Atom { left, right, bound } = atoms[literal.variable()];
            let (from, to, value, strict) = if literal.is_negated() {
                (left, right, -bound.value, !bound.strict)
            } else {
                (right, left, bound.value, bound.strict)
            };
            let from = distances[from.0 as usize];
            let next = (from.0 + value, from.1 - i64::from(strict));
            if next < distances[to.0 as usize] {
                distances[to.0 as usize] = next;
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

fn random_assertions(seed: u64, reals: u64) -> (usize, usize) {
    let mut r = SplitMix(seed);
    let mut theory = Differences::default();
    let mut atoms: Vec<Atom> = Vec::new();
    // A chain through all variables makes them nodes.
    for n in 1..reals {
        let bound = UpperBound { value: r.below(9) as i64 - 4, strict: false };
        atoms.push(Atom { left: Real(n as u32 - 1), right: Real(n as u32), bound });
    }
    while (atoms.len() as u64) < reals + 30 {
        let (left, right) = (r.below(reals.min(9)) as u32, r.below(reals.min(9)) as u32);
        let bound = UpperBound { value: r.below(13) as i64 - 6, strict: r.below(3) == 0 };
        let atom = Atom { left: Real(left.min(right)), right: Real(left.max(right)), bound };
        if left != right && !atoms.contains(&atom) {
            atoms.push(atom);
        }
    }
    for (variable, atom) in atoms.iter().enumerate() {
        theory.add(variable as u32, atom, |a, b| assert!(!consistent(&atoms, &[a, !b]), "seed {seed}"));
    }
    assert_eq!(matches!(theory.graph, DifferenceGraph::Sparse(_)), reals as usize > MAX_DENSE_VARIABLES);
    let mut values = vec![0_i8; 2 * atoms.len()];
    let mut held: Vec<Literal> = Vec::new();
    let (mut conflicts, mut consequences) = (0, 0);
    for _ in 0..200 {
        if r.below(4) == 0 {
            let keep = r.below(held.len() as u64 + 1) as usize;
            for literal in held.drain(keep..) {
                values[literal.index()] = 0;
                values[(!literal).index()] = 0;
            }
            theory.retract(keep);
        }
        // Mostly atoms among the first variables.
        let first = if r.below(5) == 0 { 0 } else { reals - 1 };
        let literal = Literal::new((first + r.below(atoms.len() as u64 - first)) as u32, r.below(2) == 0);
        if values[literal.index()] != 0 {
            continue;
        }
        let mut implied = Implied::default();
        values[literal.index()] = 1;
        values[(!literal).index()] = -1;
        held.push(literal);
        let fine = theory.assert(literal, &values, &mut implied);
        assert_eq!(fine, consistent(&atoms, &held), "seed {seed}");
        let mut from = 0;
        for (consequence, to) in &implied.literals {
            consequences += 1;
            let mut reasons = implied.reasons[from..*to as usize].to_vec();
            assert!(reasons.iter().all(|l| held.contains(l)), "seed {seed}: a reason is not asserted");
            reasons.push(!*consequence);
            assert!(!consistent(&atoms, &reasons), "seed {seed}: the reasons are not sufficient");
            from = *to as usize;
        }
        if !fine {
            conflicts += 1;
            assert!(implied.reasons.contains(&literal), "seed {seed}");
            assert!(implied.reasons.iter().all(|l| held.contains(l)), "seed {seed}: a reason is not asserted");
            assert!(!consistent(&atoms, &implied.reasons), "seed {seed}: the reasons are not sufficient");
            held.pop();
            values[literal.index()] = 0;
            values[(!literal).index()] = 0;
            theory.retract(held.len());
        }
        let (numerators, denominator) = theory.solution();
        for literal in &held {
            let Atom { left, right, bound } = atoms[literal.variable()];
            let difference = numerators[left.0 as usize] - numerators[right.0 as usize];
            let max = bound.value * denominator;
            let holds = if bound.strict { difference < max } else { difference <= max };
            assert_eq!(holds, !literal.is_negated(), "seed {seed}: the values violate a literal");
        }
    }
    (conflicts, consequences)
}

#[test]
fn reasons_are_sufficient_with_few_variables() {
    let (mut conflicts, mut consequences) = (0, 0);
    for seed in 0..60 {
        let found = random_assertions(seed, 3 + seed % 7);
        conflicts += found.0;
        consequences += found.1;
    }
    assert!(conflicts > 500 && consequences > 1000, "{conflicts} {consequences}");
}

#[test]
fn reasons_are_sufficient_with_many_variables() {
    let conflicts: usize = (0..10).map(|seed| random_assertions(seed, 150).0).sum();
    assert!(conflicts > 20, "{conflicts}");
}
