//! `merkhet graph --states`

use std::io;

use merkhet::{Limits, Options, Order, Session, Verdict};
use show::{states::graph, written::DrawingFormat};

use super::super::{Destination, fail, refuse, stopped};
use crate::{
    args::{GraphArgs, LimitArgs},
    input, interrupt,
    output::Streams,
    render::Renderer,
    shown::{self, Shown},
    status::Status,
    watch,
};

/// Draws the states of a model, or the first ones.
pub fn run(
    args: &GraphArgs,
    format: DrawingFormat,
    destination: Destination,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let mut opened = input::check(&args.model, &args.constants, streams.stdin).deny_unsupported();
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let Ok(mut model) = opened.into_model() else { return Ok(Status::Wrong) };
    let violated = model.loaded.violated_at_start();
    let shown = Shown { sources: &model.sources, file: &model.name, diagnostics: &violated };
    shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
    let options = Options {
        order: args.order.or(Some(Order::Bfs)),
        abstraction: args.abstraction.flatten(),
        update: args.update,
        join: args.join.clone(),
        widen: args.widen,
        refine: false,
        monotone: args.monotone.unwrap_or_default(),
        ..Options::default()
    };
    let LimitArgs { time_limit: time, memory_limit: memory } = args.limits;
    let limits = Limits { time, memory, states: Some(args.state_limit) };
    interrupt::flag();
    let answer = match Session::new(&mut model).states(None, &options, &limits, &mut ()) {
        Ok(answer) => answer,
        Err(why) => return fail(why, streams),
    };
    // The drawing has the rest of the time.
    watch::begin(time.map(|time| time.saturating_sub(answer.stats.time)));
    let (space, has_more) = match (answer.verdict, answer.evidence.states) {
        (verdict, Some(space)) => (space, matches!(verdict, Verdict::Unknown(_))),
        (Verdict::Unknown(reason), _) => {
            streams.fail(&reason.to_string())?;
            return Ok(Status::Unknown);
        }
        (Verdict::Satisfied | Verdict::NotSatisfied, None) => return Ok(Status::Wrong),
    };
    let mut graph = graph(&model.loaded.system, &space);
    if has_more {
        let drawn = match space.states.len() {
            1 => "the first state".to_owned(),
            n => format!("the first {n} states"),
        };
        graph.title = format!("{drawn}; there are more");
    }
    let drawing = match format {
        DrawingFormat::Dot => graph.dot(),
        DrawingFormat::Svg => graph.svg(),
    };
    if let Some(status) = stopped(streams)? {
        return Ok(status);
    }
    let status = destination.deliver(&drawing, super::DRAWING, streams)?;
    if has_more {
        writeln!(streams.err, "note: the drawing has {}; --state-limit N allows more", graph.title)?;
    }
    Ok(status)
}
