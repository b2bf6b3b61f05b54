//! Certificates about the markings of a net: what is damaged is refused.

use certify::{Answer, CertificateReader, Rejection, RejectionReason};
use oracle::Loaded;

/// A token goes round, so that the net never stops; a second one is used up.
const NET: &str = "pl a [1,2] (1)\npl b [0,3]\npl c [2,2] (1)\npl d\ntr t a -> b\ntr u b -> a\ntr v c -> d\n";

/// All that is needed to prove that `NET` has no deadlock, and that no two tokens meet.
const CLAUSES: [&str; 3] = ["clause a=1 b=1", "clause a=0 b=0", "clause c=0 d=0"];

fn written(loaded: &Loaded, lines: &[&str]) -> Result<certify::Proved, Box<Rejection>> {
    let count = |words: &[&str]| lines.iter().filter(|line| words.iter().any(|word| line.starts_with(word))).count();
    let (clauses, lemmas) = (count(&["clause"]), count(&["lemma", "dead"]));
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let text = format!(
        "merkhet certificate 1\n\nquery \"q\"\nanswer not satisfied\nproof marking\n{}\nend {clauses} clause{} {lemmas} lemma{}\n\nend certificate\n",
        lines.join("\n"),
        s(clauses),
        s(lemmas)
    );
    let mut reader = CertificateReader::new(text.as_bytes()).unwrap();
    let claim = reader.claim().unwrap().unwrap();
    let proof = reader.proof(&loaded.system).unwrap();
    assert!(reader.claim().unwrap().is_none());
    assert_eq!(claim.answer, Answer::NotSatisfied);
    let net = loaded.model.tree.net.as_deref();
    certify::check(&loaded.system, net, &loaded.properties[0], claim.answer, &proof)
}

fn reason(query: &str, lines: &[&str]) -> Result<usize, RejectionReason> {
    let loaded = oracle::load_net(NET, &[query]).unwrap();
    written(&loaded, lines).map(|proved| proved.clauses).map_err(|refused| refused.reason)
}

#[test]
fn a_proof_is_accepted() {
    assert_eq!(reason("E<> deadlock", &CLAUSES), Ok(3));
    assert_eq!(reason("E<> a == 1 && b == 1", &CLAUSES), Ok(3));
    assert_eq!(reason("E<> a == 1 && b == 1 && time < 5", &CLAUSES), Ok(3));
    let lemmas = [&CLAUSES[..], &["lemma a=1 b=1 c=0", "dead a=0", "dead b=0"]].concat();
    assert_eq!(reason("E<> deadlock", &lemmas), Ok(3));
}

#[test]
fn without_any_of_its_clauses_it_is_none() {
    assert_eq!(reason("E<> deadlock", &CLAUSES[1..]), Err(RejectionReason::InvariantReachesGoal));
    assert_eq!(reason("E<> deadlock", &[CLAUSES[0], CLAUSES[2]]), Err(RejectionReason::Contact));
    assert_eq!(reason("E<> deadlock", &CLAUSES[..2]), Err(RejectionReason::Contact));
}

#[test]
fn what_does_not_hold_is_refused() {
    let with = |line: &str| reason("E<> deadlock", &[&CLAUSES[..], &[line]].concat());
    assert_eq!(with("clause a=0"), Err(RejectionReason::InitialViolation));
    assert_eq!(with("clause a=1"), Err(RejectionReason::LeadsOut));
    assert_eq!(with("clause d=0"), Err(RejectionReason::LeadsOut));
    assert_eq!(with("clause"), Err(RejectionReason::InitialViolation));
    assert_eq!(with("lemma a=1"), Err(RejectionReason::Lemma));
    assert_eq!(with("lemma"), Err(RejectionReason::Lemma));
    assert!(matches!(with("clause a=1 token(b).waiting"), Err(RejectionReason::WrongKind(_))));
    // The goal is reachable.
    assert_eq!(reason("E<> d == 1", &CLAUSES), Err(RejectionReason::InvariantReachesGoal));
    assert_eq!(reason("E<> deadlock || b == 1", &CLAUSES), Err(RejectionReason::InvariantReachesGoal));
    assert!(matches!(reason("A[] not deadlock", &CLAUSES), Err(RejectionReason::WrongKind(_))));
}

/// A token that is not available does not inhibit, so such an arc proves nothing.
#[test]
fn inhibitors_prove_nothing_while_tokens_wait() {
    let ask = |delay: &str| {
        let net = format!("pl p (1)\npl i {delay} (1)\npl q\ntr t p i?-1 -> q\n");
        let loaded = oracle::load_net(&net, &["E<> q == 1"]).unwrap();
        written(&loaded, &["clause q=0", "clause i=1"]).map(|_| ()).map_err(|refused| refused.reason)
    };
    assert_eq!(ask("[0,0]"), Ok(()));
    assert_eq!(ask("[0,1]"), Err(RejectionReason::LeadsOut));
}
