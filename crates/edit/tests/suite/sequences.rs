//! Many edits one after the other.

use crate::{
    corpus::models,
    shape::Shape,
    steps::{Dice, KINDS, step},
};

#[test]
fn random_edits_add_up() {
    for (number, (name, mut buffer)) in models().into_iter().enumerate() {
        if buffer.text.len() > 50_000 {
            continue;
        }
        let mut dice = Dice(number as u64);
        for _ in 0..15 {
            let kind = dice.below(KINDS);
            let before = Shape::of(&buffer);
            let Some((operation, after)) = step(kind, &before, &mut dice) else { continue };
            // A name may be in use by now.
            if buffer.edit(&operation).is_ok() {
                let found = Shape::of(&buffer);
                let counts = |s: &Shape| -> Vec<(usize, usize)> {
                    s.templates.iter().map(|t| (t.locations.len(), t.edges.len())).collect()
                };
                assert_eq!(counts(&found), counts(&after), "{name}: {operation:?}");
                assert_eq!(found.queries, after.queries, "{name}: {operation:?}");
            }
        }
    }
}
