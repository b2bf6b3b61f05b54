//! `merkhet simulate`

mod command;
mod describe;
mod expression;
mod file;
mod lines;
mod session;
mod text;
mod walk;

use std::io::{self, BufReader, Write};

use command::SimulatorCommand;
use lines::Lines;
use model::Stop;
use session::{CommandError, Reply, Session};

use super::{fail, refuse};
use merkhet::{Content, Document};

use crate::{
    args::{ReportFormat, SimulateArgs},
    input, interrupt,
    json::simulate::SimulateLine,
    output::Streams,
    render::{Renderer, harmless},
    shown::{self, Shown},
    status::Status,
    watch,
};

/// The moves of one command that are shown as text, unless all are requested.
const MAX_SHOWN_MOVES: usize = 30;
/// The moves in one line of JSON, unless all are requested.
const MAX_REPORTED_MOVES: usize = 1000;

/// Runs the command.
pub fn run(args: &SimulateArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let json = args.format == ReportFormat::Json;
    if input::is_dash(&args.model) && args.random.is_none() {
        return fail("the standard input is for the commands; name a file, or use --random", streams);
    }
    let mut opened = input::check(&args.model, &args.constants, streams.stdin).deny_unsupported();
    if opened.has_errors() {
        if !json {
            return refuse(&mut opened, streams);
        }
        let refused = SimulateLine {
            ok: false,
            message: Some(opened.stopped().map_or("the model is refused".to_owned(), input::unloaded)),
            diagnostics: input::errors(&mut opened),
            ..describe::line(None)
        };
        crate::json::write_line(&refused, streams.out)?;
        return Ok(input::refused(&opened));
    }
    let Document { name, sources, content: Content::Model(model), .. } = opened else { return Ok(Status::Wrong) };
    let limited = |stop: Option<Stop>| stop.map(|_| Status::Unknown);
    let mut session = match Session::new(name, args.model.clone(), sources, model, args.seed) {
        Ok(session) => session,
        Err(wrong) if json => {
            crate::json::write_line(
                &SimulateLine { ok: false, message: Some(wrong.message), ..describe::line(None) },
                streams.out,
            )?;
            return Ok(limited(watch::stopped()).unwrap_or(Status::Wrong));
        }
        Err(wrong) => return fail(&wrong.message, streams).map(|status| limited(watch::stopped()).unwrap_or(status)),
    };
    session.time_limit = args.limits.time_limit;
    // Ctrl-C stops a run, not the program.
    interrupt::flag();
    let first = match (args.random, &args.trace) {
        (Some(n), _) => session.execute(SimulatorCommand::Random(n as usize)),
        (None, Some(trace)) => session.execute(SimulatorCommand::Load(trace.clone(), None)),
        (None, None) => session.execute(SimulatorCommand::State),
    };
    let Streams { stdin, out, err, err_color, in_is_terminal, out_is_terminal, .. } = streams;
    let mut screen = Screen { out: &mut **out, err: &mut **err, color: *err_color, json };
    let (fine, stop) = screen.write(&session, None, first, args.random.is_some())?;
    if args.random.is_some() || !fine {
        return Ok(limited(stop).unwrap_or(if fine { Status::Fine } else { Status::Wrong }));
    }
    let mut input = BufReader::new(&mut **stdin);
    let edited = *in_is_terminal && *out_is_terminal && !json;
    let mut lines = Lines::new(&mut input, edited, *in_is_terminal && !json);
    execute_lines(&mut session, &mut lines, *in_is_terminal, &mut screen)
}

/// Executes the commands of the standard input.
fn execute_lines(
    session: &mut Session,
    lines: &mut Lines<'_>,
    is_terminal: bool,
    screen: &mut Screen<'_>,
) -> io::Result<Status> {
    let mut status = Status::Fine;
    for number in 1.. {
        watch::end();
        watch::forget();
        watch::idle(true);
        let line = lines.next(screen.out)?;
        watch::idle(false);
        let Some(line) = line else { break };
        watch::begin(session.time_limit);
        if !is_terminal {
            session.origin = format!("<line {number}>");
        }
        let (text, outcome) = match line {
            Err(wrong) => (String::new(), Err(wrong)),
            Ok(text) => {
                let outcome = match command::parse(&text) {
                    Ok(SimulatorCommand::Nothing) => continue,
                    Ok(command) => session.execute(command),
                    Err(wrong) => Err(wrong),
                };
                (text, outcome)
            }
        };
        let end = outcome.as_ref().is_ok_and(|reply| reply.end);
        let line = Typed { text: text.trim(), number: (!is_terminal).then_some(number) };
        let (fine, stop) = screen.write(session, Some(&line), outcome, line.text == "trace")?;
        // An interactive user sees the error at once and continues.
        if !fine && !is_terminal {
            status = Status::Wrong;
        }
        if end {
            return Ok(status);
        }
        // An interactive user continues. A script ends, since its next commands expect another
        // state.
        if !is_terminal && let Some(stop) = stop.filter(|stop| *stop != Stop::Interrupted) {
            screen.out.flush()?;
            screen.err.write_all(Renderer::new(screen.color).failure(&stop.to_string()).as_bytes())?;
            return Ok(Status::Unknown);
        }
    }
    if is_terminal && !screen.json {
        writeln!(screen.out)?;
    }
    Ok(status)
}

/// A command as it was typed.
struct Typed<'a> {
    text: &'a str,
    /// The number of its line, unless it was typed.
    number: Option<usize>,
}

/// The output of the simulator.
struct Screen<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// Whether `err` shows colours.
    color: bool,
    json: bool,
}

impl Screen<'_> {
    /// Writes an answer. Returns whether the command succeeded, and the limit that was reached, if
    /// any.
    fn write(
        &mut self,
        session: &Session,
        typed: Option<&Typed<'_>>,
        outcome: Result<Reply, CommandError>,
        all: bool,
    ) -> io::Result<(bool, Option<Stop>)> {
        let command = typed.map(|typed| typed.text);
        // After a limit little time is left for output.
        let all = all && watch::stopped().is_none();
        let max = if self.json { MAX_REPORTED_MOVES } else { MAX_SHOWN_MOVES };
        let outcome = outcome.and_then(|mut reply| {
            let hidden = if all { 0 } else { reply.moves.len().saturating_sub(max) };
            reply.moves.start += hidden;
            describe::reply(session, command, reply, hidden, &|| all && watch::stopped().is_some())
        });
        let stop = watch::stopped();
        let fine = outcome.is_ok();
        match outcome
            .or_else(|wrong| if self.json { Ok(describe::wrong(session, command, &wrong)) } else { Err(wrong) })
        {
            Ok(line) => {
                let mut text = Vec::new();
                if self.json {
                    crate::json::write_line(&line, &mut text)?;
                } else {
                    text::write(&line, &mut text)?;
                }
                // A line is written completely or not at all.
                watch::end();
                self.out.write_all(&text)?;
            }
            Err(wrong) => {
                self.out.flush()?;
                self.write_error(session, typed.and_then(|typed| typed.number), &wrong)?;
            }
        }
        Ok((fine, stop))
    }

    fn write_error(&mut self, session: &Session, line: Option<usize>, wrong: &CommandError) -> io::Result<()> {
        let renderer = Renderer::new(self.color);
        if !wrong.diagnostics.is_empty() {
            let shown = Shown { sources: &session.sources, file: &session.origin, diagnostics: &wrong.diagnostics };
            return shown::write(&[shown], &renderer, self.err);
        }
        let place = line.map_or(String::new(), |line| format!("line {line}: "));
        self.err.write_all(renderer.failure(&format!("{place}{}", wrong.message)).as_bytes())?;
        wrong.help.as_ref().map_or(Ok(()), |help| writeln!(self.err, "  = help: {}", harmless(help)))
    }
}

#[cfg(test)]
mod tests {
    use oracle::random::{self, Rng};

    use super::*;
    use crate::{args::ConstantArgs, commands::tests::folder};

    /// Runs of random networks are saved and loaded again, and every one is accepted by the
    /// replayer: `save` refuses what it would not accept, and `load` checks each step.
    #[test]
    fn random_runs_of_random_networks_are_runs() {
        let folder = folder("simulate");
        let (path, file) = (folder.join("m.xta"), folder.join("t"));
        let cases = std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
        let everything = random::NetworkFeatures { stopwatches: true, faults: true, ..random::NetworkFeatures::all() };
        let (mut moves, mut stopped) = (0, 0);
        for seed in 0..cases {
            let options = if seed % 2 == 0 { everything.clone() } else { everything.some(&mut Rng::new(seed)) };
            std::fs::write(&path, random::network(seed, &options).text()).unwrap();
            let opened = input::check(&path, &ConstantArgs::default(), &mut io::empty());
            assert!(!opened.has_errors());
            let Document { name, sources, content: Content::Model(model), .. } = opened else { panic!("no model") };
            let clocks: Vec<String> = model.system.clocks.iter().skip(1).map(|c| c.name.clone()).collect();
            let Ok(mut session) = Session::new(name, path.clone(), sources, model, seed) else { continue };
            if let Some(clock) = clocks.first() {
                session.execute(SimulatorCommand::Break(format!("{clock} > 2 && {clock} <= 3"))).unwrap();
            }
            for _ in 0..3 {
                let reply = session.execute(SimulatorCommand::Random(10)).unwrap();
                stopped += usize::from(reply.message.is_some_and(|why| why.starts_with("breakpoint")));
            }
            let save = |session: &mut Session| session.execute(SimulatorCommand::Save(file.clone(), true));
            if let Err(wrong) = save(&mut session) {
                panic!("seed {seed}: {}", wrong.message);
            }
            let (end, time) = (session.state().clone(), session.run.time());
            moves += session.run.at;
            if let Err(wrong) = session.execute(SimulatorCommand::Load(file.clone(), None)) {
                panic!("seed {seed}: {}", wrong.message);
            }
            session.execute(SimulatorCommand::Goto(None)).unwrap();
            assert_eq!((session.state(), session.run.time()), (&end, time), "seed {seed}");
        }
        let _ = std::fs::remove_dir_all(folder);
        assert!(moves as u64 > cases * 3 && stopped > 0, "{moves} moves, {stopped} at breakpoints");
    }
}
