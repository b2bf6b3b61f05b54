//! Changes of a text.

pub use edit::Patch;

/// Returns whether patches are in order, do not overlap, and fit a text.
#[must_use]
pub fn fit(text: &str, patches: &[Patch]) -> bool {
    let within = patches.iter().all(|p| p.from <= p.to && text.is_char_boundary(p.from) && text.is_char_boundary(p.to));
    within && patches.windows(2).all(|pair| pair[0].to <= pair[1].from)
}

/// Applies patches, which fit the text. Returns those that restore it.
pub fn apply(text: &mut String, patches: &[Patch]) -> Vec<Patch> {
    let (mut new, mut inverse) = (String::with_capacity(text.len()), Vec::with_capacity(patches.len()));
    let mut at = 0;
    for patch in patches {
        new.push_str(&text[at..patch.from]);
        let from = new.len();
        new.push_str(&patch.text);
        inverse.push(Patch { from, to: new.len(), text: text[patch.from..patch.to].to_owned() });
        at = patch.to;
    }
    new.push_str(&text[at..]);
    *text = new;
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_restores_the_text() {
        let patch = |from, to, text: &str| Patch { from, to, text: text.to_owned() };
        let mut text = "abcdef".to_owned();
        let patches = [patch(0, 1, "XYZ"), patch(2, 2, "-"), patch(3, 6, "")];
        assert!(fit(&text, &patches));
        let inverse = apply(&mut text, &patches);
        assert_eq!(text, "XYZb-c");
        apply(&mut text, &inverse);
        assert_eq!(text, "abcdef");
        assert!(!fit("a\u{e9}", &[patch(0, 2, "")]));
        assert!(!fit("abc", &[patch(2, 3, ""), patch(0, 1, "")]));
    }
}
