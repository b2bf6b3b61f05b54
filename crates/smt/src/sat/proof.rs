//! Resolution proofs.
//!
//! A proof lists clauses. Each is an input of one of two sides, follows from the theory, or is
//! derived from earlier ones by a chain of resolutions. It is recorded while the solver searches: a
//! learnt clause is what remains of a conflict after the literals on the trail are resolved away,
//! latest first, with their reasons.

use rustc_hash::FxHashMap;

use super::{Literal, Reason, Sat, Theory};

/// The side of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// The origin of a clause.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// An input.
    Input(Side),
    /// A consequence of the theory.
    Theory,
    /// The first clause, resolved with each of the others on a literal that holds in the other.
    Resolved(u32, Vec<(Literal, u32)>),
}

/// A clause of a proof.
#[derive(Clone, Debug)]
pub(crate) struct ProofStep {
    /// The literals, in order.
    pub clause: Vec<Literal>,
    /// Its origin.
    pub origin: Origin,
}

/// A list of clauses, each derived from earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolutionProof {
    /// The clauses.
    pub steps: Vec<ProofStep>,
    numbers: FxHashMap<Vec<Literal>, u32>,
    /// The clause from which nothing is left to resolve away, if there is one.
    pub empty: Option<u32>,
    /// Marks by index of literal: occurs in the current clause, is to be kept.
    current: Vec<bool>,
    target: Vec<bool>,
}

impl ResolutionProof {
    fn push(&mut self, clause: Vec<Literal>, origin: Origin) -> u32 {
        let number = self.steps.len() as u32;
        if clause.is_empty() {
            self.empty.get_or_insert(number);
        }
        self.numbers.entry(clause.clone()).or_insert(number);
        self.steps.push(ProofStep { clause, origin });
        number
    }

    /// Adds an input, or a consequence of the theory. The literals are sorted.
    pub(super) fn add(&mut self, clause: &[Literal], origin: Origin) -> u32 {
        self.push(clause.to_vec(), origin)
    }

    /// Returns the number of a clause. One that is unknown is a consequence of the theory.
    fn number(&mut self, mut clause: Vec<Literal>) -> u32 {
        clause.sort_unstable();
        clause.dedup();
        match self.numbers.get(&clause) {
            Some(number) => *number,
            None => self.push(clause, Origin::Theory),
        }
    }
}

impl<T: Theory> Sat<T> {
    /// Records the derivation of a clause from one that is false: the literals that it lacks are
    /// resolved away.
    pub(super) fn derive(&mut self, from: &[Literal], target: &[Literal]) {
        let Some(mut proof) = self.proof.take() else { return };
        let first = proof.number(from.to_vec());
        proof.current.resize(self.values.len(), false);
        proof.target.resize(self.values.len(), false);
        from.iter().for_each(|l| proof.current[l.index()] = true);
        target.iter().for_each(|l| proof.target[l.index()] = true);
        let mut chain = Vec::new();
        let mut met: Vec<Literal> = from.to_vec();
        for at in (0..self.trail.len()).rev() {
            let literal = self.trail[at];
            let gone = (!literal).index();
            if !proof.current[gone] || proof.target[gone] {
                continue;
            }
            proof.current[gone] = false;
            let reason = self.reason_clause(literal);
            for other in reason.iter().filter(|other| **other != literal) {
                proof.current[other.index()] = true;
                met.push(*other);
            }
            chain.push((literal, proof.number(reason)));
        }
        met.iter().for_each(|l| proof.current[l.index()] = false);
        target.iter().for_each(|l| proof.target[l.index()] = false);
        if !chain.is_empty() || from.len() != target.len() {
            let mut clause = target.to_vec();
            clause.sort_unstable();
            proof.push(clause, Origin::Resolved(first, chain));
        }
        self.proof = Some(proof);
    }

    /// Returns the clause by which a literal was assigned.
    fn reason_clause(&self, literal: Literal) -> Vec<Literal> {
        match self.assigned[literal.variable()].reason {
            Reason::None => vec![literal],
            Reason::Binary(other) => vec![literal, other],
            Reason::Clause(id) => self.clauses.words(id).iter().map(|w| Literal::from_word(*w)).collect(),
            Reason::Theory(from, to) => {
                let why = &self.explanations[from as usize..to as usize];
                std::iter::once(literal).chain(why.iter().copied()).collect()
            }
        }
    }

    /// Starts to record a proof. There must be no clauses yet.
    pub(crate) fn record(&mut self) {
        self.proof = Some(Box::default());
    }

    /// Sets the side of the next clauses.
    pub(crate) fn set_side(&mut self, side: Side) {
        self.side = side;
    }

    /// Returns the proof that was recorded.
    pub(crate) fn proof(&self) -> Option<&ResolutionProof> {
        self.proof.as_deref()
    }
}
