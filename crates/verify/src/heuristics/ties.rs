//! Second estimates, by which `--ties auto` breaks ties in greedy search. No paper has them.

/// What decides between states to which this heuristic gives the same value; `None`: it has no
/// second estimate.
#[must_use]
pub fn second_estimate(name: &str) -> Option<&'static str> {
    Some(match name {
        "hl" | "hl-loc" => "the layers of all that the goal needs, added",
        "pa-syntax" | "pa-refine" | "pa-auto" => "the same distance without partners outside of a part",
        "merge" | "merge-shrink" => "distances of single processes and variables, added",
        "zone-pdb" => "hu, unless names are given",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HEURISTICS;

    #[test]
    fn second_estimates_belong_to_heuristics() {
        let with: Vec<&str> =
            HEURISTICS.iter().map(|h| h.name).filter(|name| second_estimate(name).is_some()).collect();
        let all = ["hl", "hl-loc", "pa-syntax", "pa-refine", "pa-auto", "merge", "merge-shrink", "zone-pdb"];
        assert_eq!(with, all);
    }
}
