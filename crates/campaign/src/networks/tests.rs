//! The campaign with few networks.

use std::sync::atomic::AtomicBool;

use super::{campaign, judge::Judgement, kind::NetworkKind, report};

/// Every pair of values of options is tried, and no answer is wrong.
#[test]
fn all_pairs_of_options_agree_with_the_oracle() {
    let (first, count) = (1, 300);
    let (done, tally, mistakes) = campaign(first, count, 2, false, &AtomicBool::new(false));
    assert_eq!(done, count);
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

#[test]
fn a_campaign_that_is_stopped_says_how_many_networks_it_examined() {
    assert_eq!(campaign(1, 10, 2, false, &AtomicBool::new(true)).0, 0);
}
