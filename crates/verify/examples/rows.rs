use std::time::{Duration, Instant};
use syntax::{Format, Sources};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = &args[1];
    let limit: u64 = args[2].parse().unwrap();
    let only = args.get(3).cloned().unwrap_or_default();
    let text = std::fs::read_to_string(format!("{folder}/verdicts.tsv")).unwrap();
    let (mut right, mut wrong, mut unknown) = (0, 0, 0);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        let (path, query, expected) = (f[0], f[1], f[2]);
        if !(query.trim_start().starts_with("E<>") || query.trim_start().starts_with("A[]")) { continue }
        if !path.contains(&only) { continue }
        let mut sources = Sources::new();
        let t = syntax::source::decode(&std::fs::read(format!("{folder}/{path}")).unwrap()).unwrap();
        let file = sources.add_file(path, t.clone());
        let (tree, _) = syntax::read_model(&mut sources, file, Format::guess(path, &t));
        let Ok((mut model, _)) = model::load(tree) else { println!("LOAD {path}"); continue };
        let file = sources.add_file("q", query.to_owned());
        let q = syntax::read_queries(&sources, file, &mut model.tree).pop().unwrap();
        let property = match model.query(&q) { Ok(p) => p, Err(e) => { println!("QUERY {path} {query} {e:?}"); continue } };
        let start = Instant::now();
        let limits = explore::search::Limits { deadline: Some(start + Duration::from_secs(limit)), bytes: Some(3 << 30), ..Default::default() };
        let a = verify::answer(&model.system, &property, &Default::default(), &limits, &mut ());
        let verdict = match &a.verdict { verify::Verdict::Satisfied => "satisfied", verify::Verdict::NotSatisfied => "not satisfied", verify::Verdict::Unknown(_) => "unknown" };
        let expected = expected.to_lowercase();
        let tag = if verdict == expected { right += 1; "ok" } else if verdict == "unknown" { unknown += 1; "UNKNOWN" } else { wrong += 1; "WRONG" };
        println!("{tag}\t{verdict}\t{expected}\t{:.2}s\t{} stored {} explored\t{path}\t{}\t{:?}", start.elapsed().as_secs_f64(), a.counts.stored, a.counts.explored, &query[..query.len().min(100)], if verdict == "unknown" { Some(&a.verdict) } else { None });
    }
    println!("right {right} wrong {wrong} unknown {unknown}");
}
