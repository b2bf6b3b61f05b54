//! The public models of `merkhet bench zones --models`.

use ::bench::{
    public::{MODELS, PublicModel},
    search::{Space, SpaceError},
};
use syntax::Diagnostic;
use verify::{Options, Order, Verdict};

use super::{
    measure::{self, Budget},
    read,
    zones::{Others, figures},
};
use crate::{args::ZonesArgs, interrupt, json::bench::ModelRun, output::Streams, status::Status};

/// The texts of the models, if a folder of them is given.
///
/// # Errors
/// The first one that can't be read.
pub fn public_models(args: &ZonesArgs) -> Result<Vec<(&'static PublicModel, String)>, Box<Diagnostic>> {
    let Some(folder) = &args.models else { return Ok(Vec::new()) };
    MODELS.iter().map(|model| Ok((model, read(&folder.join(model.file))?))).collect()
}

/// Explores a model up to its number of states. Also returns whether something stopped it before.
pub fn one_public(
    args: &ZonesArgs,
    model: &PublicModel,
    text: &str,
    others: &Others,
    notes: &mut Vec<String>,
    streams: &mut Streams<'_>,
) -> Result<(ModelRun, Status), SpaceError> {
    let space = Space::with_query(model.file, text, "E<> false")?;
    let options = Options { order: Order::Bfs, ..Options::default() };
    let budget = Budget { time: args.time_limit, bytes: args.memory_limit, states: Some(model.states) };
    let measured = measure::measure(&space, &options, budget, streams);
    let mut merkhet = figures(&measured);
    let mut status = Status::Fine;
    if let Verdict::Unknown(reason) = &measured.answer.verdict
        && merkhet.stored < model.states
    {
        notes.push(format!("{}: {reason}", model.name));
        status = Status::Unknown;
    } else if let Some(valgrind) = &others.valgrind {
        let limit = model.states.to_string();
        let options: [&str; 4] = ["--order", "bfs", "--state-limit", &limit];
        match valgrind.instructions(text, &options, args.time_limit, interrupt::flag()) {
            Ok(millions) => merkhet.count_instructions(millions),
            Err(why) => notes.push(format!("{}: valgrind {why}", model.name)),
        }
    }
    Ok((ModelRun { model: model.name, limit: model.states, clocks: space.clocks(), merkhet }, status))
}
