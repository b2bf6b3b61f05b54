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
        let loaded = model::load(tree);
        let mut m = None;
        match loaded { Ok((model, more)) => { ds.extend(more); m = Some(model) } Err((_, more)) => ds.extend(more) }
        let errors: Vec<_> = ds.iter().filter(|d| d.is_error()).collect();
        if errors.is_empty() { println!("{path}\tvalid\t"); }
        for d in &errors { let at = sources.locate(d.primary.span); 
              println!("{path}\tinvalid\t{} @ {} @ {}:{}", d.message, at.as_ref().map_or("", |a| &a.place.path), at.as_ref().map_or(0, |a| a.start.line), at.as_ref().map_or(0, |a| a.start.column)) }
        if std::env::var("W").is_ok() { for d in ds.iter().filter(|d| !d.is_error()) { let at = sources.locate(d.primary.span); 
              println!("{path}\twarning\t{} @ {} @ {}:{} {}", d.message, at.as_ref().map_or("", |a| &a.place.path), at.as_ref().map_or(0, |a| a.start.line), at.as_ref().map_or(0, |a| a.start.column), d.primary.text) } }
        if let (true, Some(mut m)) = (syntax_ok && std::env::var("Q").is_ok(), m) { for d in m.warnings() { println!("{path}\tsuspicious\t{}\t{}", d.code, d.message); }
            println!("{path}\tstats\tprocesses {} locations {} edges {} clocks {} chans {} row {} ops {}", m.system.processes.len(), m.system.locations.len(), m.system.edges.len(), m.system.clocks.len(), m.system.channels.len(), m.system.initial.len(), m.system.code.ops.len());
            for q in m.tree.queries.clone() { if let Err(ds) = m.query(&q) { for d in ds { println!("{path}\tquery\t{}\t{}", q.text, d.message); } } }
        }
    }
}
