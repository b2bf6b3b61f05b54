//! Patches of a text: ranges that are replaced.

use std::fmt::Write;

use crate::EditError;

/// The limit on the length of a text: positions in a model have 32 bits.
pub(crate) const MAX_TEXT: usize = 1 << 28;

/// A range of a text, in bytes, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The first byte.
    pub from: usize,
    /// One past the last byte.
    pub to: usize,
    /// The new text.
    pub text: String,
}

impl Patch {
    /// Returns the patch that inserts a text.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Patch {
        Patch { from: at, to: at, text: text.into() }
    }

    /// Returns the patch that deletes a range.
    pub(crate) fn delete(from: usize, to: usize) -> Patch {
        Patch { from, to, text: String::new() }
    }

    /// Returns the smallest patch that makes `new` of the text `old`, which begins at `at`.
    pub(crate) fn between(at: usize, old: &str, new: &str) -> Option<Patch> {
        if old == new {
            return None;
        }
        let prefix: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        let (old, new) = (&old[prefix..], &new[prefix..]);
        let same = old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b);
        let suffix: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let from = at + prefix;
        Some(Patch { from, to: from + old.len() - suffix, text: new[..new.len() - suffix].to_owned() })
    }
}

/// Sorts patches by their places. Insertions at the same place keep their order.
pub(crate) fn sorted(mut patches: Vec<Patch>) -> Vec<Patch> {
    patches.retain(|p| p.from != p.to || !p.text.is_empty());
    patches.sort_by_key(|p| (p.from, p.to));
    patches
}

/// Applies patches, which are sorted and do not overlap.
///
/// # Errors
/// The patches do not fit the text, or the result is too long.
pub fn patched(text: &str, patches: &[Patch]) -> Result<String, EditError> {
    let mut at = 0;
    let mut length = text.len();
    for patch in patches {
        let fits = at <= patch.from && patch.from <= patch.to && text.get(patch.from..patch.to).is_some();
        if !fits {
            let mut message = String::from("the changes do not fit the text");
            let _ = write!(message, " at byte {}", patch.from);
            return Err(EditError::new(message).help("load the text again: it has changed since"));
        }
        if patch.text.contains('\0') {
            return Err(EditError::new("a model can't contain the character with the number zero"));
        }
        at = patch.to;
        length = length - (patch.to - patch.from) + patch.text.len();
    }
    if length > MAX_TEXT {
        return Err(EditError::new("the text would be longer than 256 MiB"));
    }
    let mut out = String::with_capacity(length);
    let mut at = 0;
    for patch in patches {
        out.push_str(&text[at..patch.from]);
        out.push_str(&patch.text);
        at = patch.to;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(from: usize, to: usize, text: &str) -> Patch {
        Patch { from, to, text: text.to_owned() }
    }

    #[test]
    fn patches_are_applied() {
        let patches = [patch(0, 0, "x"), patch(0, 1, ""), patch(3, 8, "yz"), patch(8, 8, "1"), patch(8, 8, "2")];
        assert_eq!(patched("añb\u{1F600}c", &patches).unwrap(), "xñyz12c");
    }

    #[test]
    fn patches_that_do_not_fit_are_refused() {
        for wrong in [patch(2, 2, ""), patch(0, 9, ""), patch(3, 1, ""), patch(9, 9, ""), patch(0, 0, "\0")] {
            assert!(patched("añb", std::slice::from_ref(&wrong)).is_err(), "{wrong:?}");
        }
        assert!(patched("abc", &[patch(1, 2, ""), patch(0, 1, "")]).is_err());
        assert!(patched("abc", &[patch(0, 2, ""), patch(1, 3, "")]).is_err());
    }

    #[test]
    fn patches_between_texts_are_small() {
        assert_eq!(Patch::between(5, "abcd", "abXd"), Some(patch(7, 8, "X")));
        assert_eq!(Patch::between(0, "aa", "aaa"), Some(patch(2, 2, "a")));
        assert_eq!(Patch::between(0, "é", "è"), Some(patch(0, 2, "è")));
        assert_eq!(Patch::between(0, "a", "a"), None);
    }
}
