//! x
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let text = match syntax::source::decode(&bytes) { Ok(t) => t, Err(e) => { println!("{path}\tdecode\t{e}"); continue } };
        let mut sources = syntax::Sources::new();
        let format = syntax::Format::guess(&path, &text);
        let file = sources.add_file(&path, text);
        let (tree, mut ds) = syntax::read_model(&mut sources, file, format);
        let syntax_ok = !ds.iter().any(|d| d.is_error());
        let (mut checked, more) = model::check::check(&tree);
        ds.extend(more);
        let errors: Vec<_> = ds.iter().filter(|d| d.is_error()).collect();
        if errors.is_empty() { println!("{path}\tvalid\t"); }
        for d in &errors { let at = sources.locate(d.primary.span); 
              println!("{path}\tinvalid\t{} @ {} @ {}:{}", d.message, at.as_ref().map_or("", |a| &a.place.path), at.as_ref().map_or(0, |a| a.start.line), at.as_ref().map_or(0, |a| a.start.column)) }
        if syntax_ok && errors.is_empty() && std::env::var("Q").is_ok() {
            for q in &tree.queries { for d in q.problems.iter().chain(&model::check::check_query(&tree, &mut checked, q)) { println!("{path}\tquery\t{}\t{}", q.text, d.message); } }
        }
    }
}
