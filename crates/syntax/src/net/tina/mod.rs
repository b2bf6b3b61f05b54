//! TINA's textual format, `.net`, with intervals on places: `pl P [l,u]`.
//!
//! `nt merkhet 0 {tokens 1000}`, a note that other tools skip, sets the token limit of places.
//!
//! Declarations accumulate; a place or transition that only an arc names exists nevertheless. Line
//! breaks have no meaning.
//!
//! Source: the page on file formats of the TINA toolbox
//! (<https://projects.laas.fr/tina/manuals/formats.html>).

mod read;
mod scan;
mod write;

use super::Net;
use crate::{problems::Problems, source::Fragment};

pub use scan::{TinaLexeme, TinaToken, lexemes};
pub use write::{quoted, text};

/// Reads a net, which lacks what could not be parsed.
pub(super) fn read(fragment: &Fragment, name: &str, problems: &mut Problems<'_>) -> Net {
    let tokens = scan::scan(fragment, problems);
    read::read(tokens, problems).finish(name, problems)
}

/// Reads a natural number with an optional suffix such as `K`.
pub(super) fn number(word: &str) -> Option<u64> {
    read::number(word)
}

/// Returns whether a text is probably in this format: its first word starts a declaration of a net,
/// place or transition.
pub(super) fn is_likely(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'));
    let mut words = first.into_iter().flat_map(str::split_whitespace);
    // A name follows, or one in braces, which is illegal in the other languages.
    let is_name = |word: &str| word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '{'));
    words.next().is_some_and(|word| read::WORDS.contains(&word)) && words.next().is_some_and(is_name)
}
