//! Many edits one after the other, undone and done again.

use oracle::corpus::corpora;

use crate::{
    corpus::models,
    shape::Shape,
    steps::{Dice, KINDS, step},
};

#[test]
fn random_edits_are_undone_byte_for_byte() {
    let _ = corpora("uppaal");
    for (number, (name, bytes, mut buffer)) in models().into_iter().enumerate().filter(|(i, _)| i % 3 == 0) {
        if bytes.len() > 100_000 {
            continue;
        }
        let mut dice = Dice(number as u64);
        let mut texts = vec![buffer.text().to_owned()];
        for _ in 0..25 {
            match dice.below(8) {
                0 if texts.len() > 1 => {
                    buffer.undo().unwrap();
                    texts.pop();
                }
                _ => {
                    let kind = dice.below(KINDS);
                    let Some((operation, _)) = step(kind, &Shape::of(buffer.source()), &mut dice) else { continue };
                    // A name may be in use by now.
                    let Ok(applied) = buffer.edit(&operation) else { continue };
                    if !applied.patches.is_empty() {
                        texts.push(buffer.text().to_owned());
                    }
                }
            }
            assert!(buffer.text() == texts[texts.len() - 1], "{name}");
        }
        let all = texts.len() - 1;
        for before in texts[..all].iter().rev() {
            buffer.undo().unwrap();
            assert!(buffer.text() == before, "{name}");
        }
        assert!(!buffer.can_undo() && !buffer.is_changed() && buffer.bytes().unwrap() == bytes, "{name}");
        for after in &texts[1..] {
            buffer.redo().unwrap();
            assert!(buffer.text() == after, "{name}");
        }
    }
}
