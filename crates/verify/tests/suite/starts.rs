//! Processes with several initial locations: an answer is that about all choices of one for each
//! process, which models with one each give.

use explore::search::Limits;
use model::Property;
use oracle::random::{Rng, vectors};
use verify::{Options, Verdict};

/// Marks other locations as initial, at random; returns the model, and those with one choice each.
fn variants(text: &str, rng: &mut Rng) -> (String, Vec<String>) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_initial = |line: &String| line.starts_with("location:") && line.contains("initial:");
    let own: Vec<usize> = (0..lines.len()).filter(|i| is_initial(&lines[*i])).collect();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for first in own {
        let process = lines[first].rsplit_once(':').map_or("", |(head, _)| head);
        let process = process.split(':').nth(1).unwrap_or_default().to_owned();
        let prefix = format!("location:{process}:");
        let others = (0..lines.len()).filter(|i| *i != first && lines[*i].starts_with(&prefix));
        let mut chosen: Vec<usize> = others.filter(|_| rng.chance(40)).collect();
        chosen.push(first);
        choices.push(chosen);
    }
    for i in choices.iter().flatten() {
        if !lines[*i].contains("initial:") {
            lines[*i] = lines[*i].replace("{}", "{initial:}").replace('{', "{initial: : ").replace(" : initial:}", "}");
        }
    }
    let mut alone: Vec<Vec<usize>> = vec![Vec::new()];
    for list in &choices {
        alone = alone.iter().flat_map(|done| list.iter().map(|i| [&done[..], &[*i]].concat())).collect();
    }
    let all: Vec<usize> = choices.concat();
    let variant = |kept: &Vec<usize>| {
        let mut lines = lines.clone();
        for i in all.iter().filter(|i| !kept.contains(i)) {
            lines[*i] = lines[*i].replace("initial: : ", "").replace("initial:", "");
        }
        lines.join("\n")
    };
    (lines.join("\n"), alone.iter().map(variant).collect())
}

fn verdicts(text: &str, queries: &[String]) -> Result<Vec<Verdict>, String> {
    let loaded = oracle::load_tck(text, queries).map_err(|why| format!("{text}\n{why}"))?;
    let ask = |property: &Property| {
        let answer = verify::answer(&loaded.system, property, &Options::default(), &Limits::default(), &mut ());
        if answer.trace.as_ref().is_some_and(|trace| !trace.is_replayed()) {
            return Err(format!("{text}\na trace does not replay"));
        }
        Ok(answer.verdict)
    };
    loaded.properties.iter().map(ask).collect()
}

fn examine(seed: u64) -> Result<(u64, u64), String> {
    let mut rng = Rng::new(seed ^ 0x7374_6172);
    let model = vectors(seed);
    let (text, alone) = variants(&model.text, &mut rng);
    let bodies: Vec<&str> = model.queries.iter().filter_map(|q| q.strip_prefix("E<> ")).collect();
    let mut queries: Vec<(String, bool)> = Vec::new();
    for body in bodies {
        queries.push((format!("E<> {body}"), true));
        queries.push((format!("A[] !({body})"), false));
        queries.push((format!("A<> {body}"), false));
        queries.push((format!("E[] !({body})"), true));
    }
    queries.extend([
        ("E<> deadlock".to_owned(), true),
        ("E<> !P0.l0".to_owned(), true),
        ("A[] P0.l0".to_owned(), false),
    ]);
    let texts: Vec<String> = queries.iter().map(|(text, _)| text.clone()).collect();
    let found = verdicts(&text, &texts)?;
    let parts: Vec<Vec<Verdict>> = alone.iter().map(|text| verdicts(text, &texts)).collect::<Result<_, _>>()?;
    for (i, (query, exists)) in queries.iter().enumerate() {
        let satisfied = |part: &Vec<Verdict>| part[i] == Verdict::Satisfied;
        if parts.iter().any(|part| matches!(part[i], Verdict::Unknown(_))) {
            continue;
        }
        let holds = if *exists { parts.iter().any(satisfied) } else { parts.iter().all(satisfied) };
        let expected = if holds { Verdict::Satisfied } else { Verdict::NotSatisfied };
        if found[i] != expected {
            return Err(format!("{text}\nseed {seed}: {query}: {:?}, not {expected:?}", found[i]));
        }
    }
    Ok((1, u64::from(alone.len() > 1)))
}

#[test]
fn answers_are_those_about_all_choices() {
    let add = |sum: &mut (u64, u64), new: (u64, u64)| *sum = (sum.0 + new.0, sum.1 + new.1);
    let (compared, several) = oracle::campaign(300, examine, add);
    println!("{compared} compared, {several} with a choice");
    assert!(several * 2 > compared);
}

#[test]
fn the_choice_is_no_state_of_the_model() {
    let text = "system:s\nclock:1:x\nevent:a\nprocess:P\nlocation:P:l{initial: : invariant: x <= 1}\n\
                location:P:m{initial:}\nlocation:P:n{initial: : invariant: x > 1}\nedge:P:l:l:a{provided: x >= 1 : do: x = 0}\n\
                process:Q\nlocation:Q:k{initial: : committed:}\nlocation:Q:j{}\nedge:Q:k:j:a{}\n";
    let queries = [
        ("A[] P.l or P.m", true),
        ("E<> P.l and Q.k", true),
        ("E<> P.n", false),
        ("A<> Q.j", true),
        ("E<> P.start or Q.start", false),
        ("E<> deadlock", true),
        ("E[] P.l", true),
        ("A[] Q.k or Q.j", true),
    ];
    let texts: Vec<String> = queries.iter().map(|(query, _)| (*query).to_owned()).collect();
    let found = verdicts(text, &texts).unwrap();
    for ((query, holds), verdict) in queries.iter().zip(found) {
        assert_eq!(verdict, if *holds { Verdict::Satisfied } else { Verdict::NotSatisfied }, "{query}");
    }
}
