//! Explanations of the dashes in tables.

/// A line for each reason, with the searches that it applies to, once each and in their order.
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
