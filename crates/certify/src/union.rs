//! Unions of zones.

use crate::zone::{Constraint, Zone};

/// So many pieces are looked at before a question is given up.
const PIECES: usize = 200_000;

/// What became of the question whether a zone is within a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It is.
    Nothing,
    /// This part of it is outside.
    Some(Zone),
    /// There were too many pieces to tell.
    Unknown,
}

/// What of a zone is in none of the others, each given by its constraints.
pub fn outside<'a>(zone: &Zone, others: impl Iterator<Item = &'a [Constraint]> + Clone) -> Rest {
    // Nearly always one of them is enough.
    if others.clone().any(|other| zone.satisfies(other)) {
        return Rest::Nothing;
    }
    let others: Vec<&[Constraint]> = others.collect();
    // A piece, and the first of the others that was not taken from it yet.
    let mut open = vec![(zone.clone(), 0)];
    let mut seen = 0;
    while let Some((piece, from)) = open.pop() {
        seen += 1;
        if seen > PIECES {
            return Rest::Unknown;
        }
        if others[from..].iter().any(|other| piece.satisfies(other)) {
            continue;
        }
        let Some(at) = (from..others.len()).find(|i| meets(&piece, others[*i])) else { return Rest::Some(piece) };
        open.extend(piece.without(others[at]).into_iter().map(|piece| (piece, at + 1)));
    }
    Rest::Nothing
}

fn meets(zone: &Zone, constraints: &[Constraint]) -> bool {
    let mut both = zone.clone();
    constraints.iter().all(|c| both.constrain(c.left as usize, c.right as usize, c.bound))
}

/// What is left of zones when another one is taken away.
pub fn subtract(zones: Vec<Zone>, other: &Zone) -> Vec<Zone> {
    let constraints = other.constraints();
    let mut left = Vec::new();
    for zone in zones {
        // A zone that has nothing in common with the other stays in one piece. Otherwise pieces become more with each
        // zone that is taken away, whether it touches them or not.
        if meets(&zone, &constraints) {
            left.extend(zone.without(&constraints));
        } else {
            left.push(zone);
        }
    }
    left
}

/// The same union without zones that are within others of it.
pub fn absorb(zones: impl IntoIterator<Item = Zone>) -> Vec<Zone> {
    let mut kept: Vec<Zone> = Vec::new();
    for zone in zones {
        if !kept.iter().any(|other| zone.is_within(other)) {
            kept.retain(|other| !other.is_within(&zone));
            kept.push(zone);
        }
    }
    kept
}
