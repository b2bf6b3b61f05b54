//! Answers the queries of a model: `cargo run --release --example ask -- models/fischer.xta 'E<>
//! P(1).critical'`
#![allow(clippy::print_stdout)]

use std::{env, error::Error, time::Duration};

use merkhet::{Limits, Model, Options, Session, Source, TraceChoice};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("name a model, then queries")?;
    let mut model = Model::open(Source::file(file)?)?;
    let options = Options { trace: TraceChoice::Short, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    for text in arguments {
        let query = model.query(&text)?;
        let answer = Session::new(&mut model).ask(&query, &options, &limits, &mut ())?;
        let length = answer.evidence.trace.map(|trace| trace.steps.len());
        println!("{text}\n  {:?}, {length:?} transitions, {} states", answer.verdict, answer.stats.counts.stored);
    }
    Ok(())
}
