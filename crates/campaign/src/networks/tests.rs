//! The campaign with few networks.

use super::{campaign, judge::Judgement, kind::NetworkKind, report};

/// Every pair of values of options is tried, and no answer is wrong.
#[test]
fn all_pairs_of_options_agree_with_the_oracle() {
    let (first, count) = (1, 300);
    let (tally, mistakes) = campaign(first, count, 2, false);
    let mut text = Vec::new();
    report(&mut text, first, count, &tally, &mistakes).expect("a vector takes all");
    let text = String::from_utf8_lossy(&text);
    assert!(mistakes.is_empty(), "{text}");
    assert!(tally.pairs.all().all(|(_, count)| count > 0), "{text}");
    // Dead ends are dropped where no code can fail, and best traces are compared.
    for kind in [NetworkKind::Sound, NetworkKind::SoundScalars, NetworkKind::SoundLattices] {
        assert!(tally.sound(kind) > 100, "{text}");
    }
    assert!(tally.certified() > 100, "{text}");
    assert!(tally.count(Judgement::Best) > 200 && tally.count(Judgement::Right) > 200, "{text}");
}
