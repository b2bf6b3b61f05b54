//! Runs in files, as `verify --trace-file` writes them.

use std::{io::Write, path::Path};

use merkhet::reading;
use model::{
    Ratio,
    replay::{self, Trace, Visit},
};

use super::{
    Wrong,
    session::{Made, Session},
};
use crate::{
    commands::{count, replay as files},
    input,
    json::{
        VERSION,
        replay::{TraceFile, TracedQuery},
        verify::{Ending, Verdict},
    },
    outputs::Outputs,
    trace,
};

impl Session {
    /// The run so far: delays without a transition go into the next step.
    fn run_so_far(&self) -> Result<Trace, Wrong> {
        let (mut run, mut rest) = (Trace::default(), Ratio::ZERO);
        for made in &self.history[..self.at] {
            let delay = rest.plus(made.delay).ok_or_else(|| Wrong::new("times have too many digits"))?;
            if made.edges.is_empty() {
                rest = delay;
            } else {
                run.steps.push(replay::TimedStep { delay, edges: made.edges.clone() });
                rest = Ratio::ZERO;
            }
        }
        run.last_delay = Some(rest);
        Ok(run)
    }

    /// Writes the run so far. It is checked as `merkhet replay` would, so that what is written is a
    /// run.
    pub fn save(&mut self, path: &Path, force: bool) -> Result<String, Wrong> {
        let mut outputs = Outputs::new([self.path.as_path()]);
        outputs.allow(path).map_err(Wrong::new)?;
        // A command that is typed is mistyped more often than one in a script is wrong. Devices and
        // pipes are there to be written to.
        if !force && path.metadata().is_ok_and(|m| m.is_file()) {
            let name = path.display();
            return Err(Wrong::new(format!("`{name}` exists")).help(format!("`save --force {name}` replaces it")));
        }
        let mut target = outputs.start(path).map_err(Wrong::new)?;
        let run = self.run_so_far()?;
        let mut query = "E<> true".to_owned();
        for b in &self.breaks {
            if self.holds(&b.formula, self.state())? {
                query = format!("E<> {}", b.text);
                break;
            }
        }
        let refused = |_| Wrong::new(format!("`{query}` is refused as a query"));
        let (_, lowered) = reading::query(&query, "<query>", &mut self.sources, &mut self.model).map_err(refused)?;
        let (system, property) = &self.model.system.with(&lowered);
        let run = verify::Trace::of_run(replay::replay(system, &run, None)?, None);
        let trace = trace::told(system, &run);
        let told = TracedQuery { query, answer: Verdict::Satisfied, reason: None, trace };
        files::follow(system, &told, property).map_err(|wrong| Wrong::new(format!("this is no run: {}", wrong.why)))?;
        let what = format!("{}, for the query {}", count(told.trace.length, "transition"), told.query);
        let file = TraceFile { version: VERSION, model: self.name.clone(), traces: vec![told] };
        let text = serde_json::to_string_pretty(&file).map_err(|e| Wrong::new(e.to_string()))? + "\n";
        target.write_all(text.as_bytes()).map_err(|e| Wrong::new(target.unwritable(&e)))?;
        target.finish(&what).map_err(Wrong::new)
    }

    /// Reads a run; it lies ahead then.
    pub fn load(&mut self, path: &Path, number: Option<usize>) -> Result<String, Wrong> {
        if input::is_dash(path) {
            return Err(Wrong::new("the standard input is for the commands; name a file"));
        }
        let text = input::read_text(path, &mut std::io::empty()).map_err(|d| Wrong::new(d.message))?;
        let name = path.display();
        let file = files::parse(&text).map_err(|malformed| {
            let place = malformed.line.zip(malformed.column).map_or(String::new(), |(l, c)| format!(":{l}:{c}"));
            Wrong::new(format!("{name}{place}: {}", malformed.message))
        })?;
        let number = number.unwrap_or(1);
        let Some(told) = number.checked_sub(1).and_then(|i| file.traces.get(i)) else {
            let traces = count(file.traces.len(), "trace");
            return Err(Wrong::new(format!("there is no trace {number} in `{name}`, which has {traces}")));
        };
        if told.trace.spurious {
            return Err(Wrong::new(format!("trace {number} of `{name}` is spurious: not a run of the model")));
        }
        let at = |files::Wrong { step, why, .. }| {
            let place = step.map_or(String::new(), |step| format!("step {step}: "));
            Wrong::new(format!("trace {number} of `{name}` is no run of this model: {place}{why}"))
        };
        let system = &self.model.system;
        let (run, _) = files::checked(system, &told.trace).map_err(at)?;
        let (mut history, mut time) = (Vec::new(), Ratio::ZERO);
        let overflow = || Wrong::new("times have too many digits");
        for pair in run.windows(2) {
            let (delay, Visit { edges, state, .. }) = (pair[0].delay, &pair[1]);
            time = time.plus(delay).ok_or_else(overflow)?;
            history.push(Made { delay, edges: edges.clone(), state: state.clone(), time });
        }
        if let Some(last) = run.last().filter(|last| last.delay != Ratio::ZERO) {
            time = time.plus(last.delay).ok_or_else(overflow)?;
            history.push(Made { delay: last.delay, edges: Vec::new(), state: last.end(), time });
        }
        let others = match file.traces.len() {
            1 => String::new(),
            n => format!(" (trace {number} of {n})"),
        };
        let ending = match (told.trace.ending, told.trace.cycle) {
            (Some(Ending::Cycle), Some(step)) => format!("; then it goes on from move {step} again and again"),
            (Some(Ending::Waits), _) => "; then time passes for ever".to_owned(),
            (Some(Ending::Stops), _) => "; then nothing is possible any more".to_owned(),
            _ => String::new(),
        };
        self.history = history;
        self.at = 0;
        let moves = count(self.history.len(), "move");
        let query = told.query.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(format!("loaded {moves} for {query}{others}{ending}; `next` makes them"))
    }
}
