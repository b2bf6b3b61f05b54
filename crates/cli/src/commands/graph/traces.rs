//! `merkhet graph --trace`

use std::{io, path::Path};

use merkhet::{Stop, pictures};
use show::{
    replay::{self, TraceError},
    written::DrawingFormat,
};
use thiserror::Error;

use super::super::{Destination, fail, refuse, stopped};
use crate::{
    args::{GraphArgs, TraceView},
    input,
    json::{replay::TracedQuery, verify::Verdict},
    output::Streams,
    render::{Renderer, one_line},
    shown::{self, Shown},
    status::Status,
};

/// Why a trace is not drawn.
#[derive(Debug, Error)]
enum UndrawnTrace {
    #[error("traces are drawn as SVG only")]
    Format,
    #[error("the standard input can be read only once")]
    Twice,
    #[error("--step is for `--view state`")]
    Step,
    #[error("there is no trace {0} in `{1}`: it has {2}")]
    Number(usize, String, usize),
    #[error("trace {0} is marked as spurious: it is not a run of the model")]
    Spurious(usize),
    #[error("trace {0} is not a run of the model: {1}")]
    Wrong(usize, String),
    #[error("the trace has no step {0}: {1} is the last one")]
    NoStep(usize, usize),
}

/// Draws a trace of a file.
pub fn run(
    args: &GraphArgs,
    path: &Path,
    format: DrawingFormat,
    destination: Destination,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let view = args.view.unwrap_or_default();
    if format != DrawingFormat::Svg {
        return fail(UndrawnTrace::Format, streams);
    }
    if input::is_dash(&args.model) && input::is_dash(path) {
        return fail(UndrawnTrace::Twice, streams);
    }
    if args.step.is_some() && view != TraceView::State {
        return fail(UndrawnTrace::Step, streams);
    }
    let mut opened = input::check(&args.model, &args.constants, streams.stdin).deny_unsupported();
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let Ok(mut model) = opened.into_model() else { return Ok(Status::Wrong) };
    let file = match input::read_text(path, streams.stdin) {
        Ok(text) => replay::parse(&text).map_err(|malformed| malformed.within(&input::name(path))),
        Err(d) => Err(d.message),
    };
    let file = match file {
        Ok(file) => file,
        Err(why) => return fail(why, streams),
    };
    let number = args.number.unwrap_or(1) as usize;
    let Some(traced) = file.traces.get(number - 1) else {
        return fail(UndrawnTrace::Number(number, input::name(path), file.traces.len()), streams);
    };
    if traced.trace.spurious {
        return fail(UndrawnTrace::Spurious(number), streams);
    }
    let name = format!("{}, query of trace {number}", input::name(path));
    let query = match model.state_query(&traced.query, &name) {
        Ok(query) => query,
        Err(problems) => {
            if Stop::of_errors(&problems).is_some() {
                return Ok(stopped(streams)?.unwrap_or(Status::Unknown));
            }
            let shown = Shown { sources: &model.sources, file: &name, diagnostics: &problems };
            shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
            return Ok(Status::Wrong);
        }
    };
    let (system, _) = model.loaded.system.with(&query);
    let (run, ending) = match replay::checked(&system, &traced.trace) {
        Ok(checked) => checked,
        Err(TraceError { step, problem }) => {
            if let Some(status) = stopped(streams)? {
                return Ok(status);
            }
            let place = step.map_or(String::new(), |step| format!("step {step}: "));
            return fail(UndrawnTrace::Wrong(number, format!("{place}{problem}")), streams);
        }
    };
    let drawing = match view {
        TraceView::State => {
            let step = args.step.unwrap_or(run.len() - 1);
            let Some(visit) = run.get(step) else { return fail(UndrawnTrace::NoStep(step, run.len() - 1), streams) };

            pictures::state(&model.loaded, &model.sources, &visit.state)
        }
        TraceView::Chart | TraceView::Timeline => {
            let run = verify::Trace::of_run(run, ending);
            let drawn = pictures::trace(&model.loaded, &run, pictures::MAX_STEPS);
            let drawn = draw::DrawnTrace { title: title(traced), ..drawn };
            if view == TraceView::Chart { drawn.sequence_chart() } else { drawn.timeline() }
        }
    };
    match stopped(streams)? {
        Some(status) => Ok(status),
        None => destination.deliver(&drawing, super::DRAWING, streams),
    }
}

/// The query, and what the trace shows.
fn title(traced: &TracedQuery) -> String {
    let query = traced.query.split_whitespace().collect::<Vec<_>>().join(" ");
    let shows = match traced.answer {
        Verdict::Satisfied => "satisfied",
        Verdict::NotSatisfied => "not satisfied",
        Verdict::Unknown => "a run-time error follows",
    };
    format!("{} \u{2013} {shows}", one_line(&query))
}
