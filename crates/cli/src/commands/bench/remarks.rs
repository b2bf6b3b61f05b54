//! What the dashes in tables stand for.

/// A line for each reason, with all that it holds for, once each and in the order that they come
/// in.
pub fn by_reason<'a>(all: impl Iterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for (why, which) in all {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, all)) if all.contains(&which) => {}
            Some((_, all)) => all.push(which),
            None => reasons.push((why, vec![which])),
        }
    }
    reasons.into_iter().map(|(why, all)| format!("{why}: {}", all.join(", "))).collect()
}
