//! Runs in files, as `verify --trace-file` writes them.

use std::{io::Write, path::Path};

use show::{
    replay as files,
    simulation::{self, UntracedError},
};

use super::{CommandError, session::Session};
use crate::{
    commands::count,
    input,
    json::{VERSION, replay::TraceFile, verify::Ending},
    outputs::Outputs,
};

impl Session {
    /// Writes the run so far. It is checked as by `merkhet replay`, so that the file holds a run.
    pub fn save(&mut self, path: &Path, force: bool) -> Result<String, CommandError> {
        let mut outputs = Outputs::new([self.path.as_path()]);
        outputs.allow(path).map_err(|e| CommandError::new(e.to_string()))?;
        // Typed commands are often mistyped. Devices and pipes are not replaced.
        if !force && path.metadata().is_ok_and(|m| m.is_file()) {
            let name = path.display();
            return Err(
                CommandError::new(format!("`{name}` exists")).help(format!("`save --force {name}` replaces it"))
            );
        }
        let mut target = outputs.start(path).map_err(|e| CommandError::new(e.to_string()))?;
        let mut query = "E<> true".to_owned();
        for b in &self.breaks {
            if self.holds(&b.formula, self.state())? {
                query = format!("E<> {}", b.text);
                break;
            }
        }
        let traced = simulation::traced(&self.run, query, &mut self.sources, &mut self.model);
        let (_, traced) = traced.map_err(|why| match why {
            UntracedError::Move(why) => why.into(),
            why => CommandError::new(why.to_string()),
        })?;
        let what = format!("{}, for the query {}", count(traced.trace.length, "transition"), traced.query);
        let file = TraceFile { version: VERSION, model: self.name.clone(), traces: vec![traced] };
        let text = serde_json::to_string_pretty(&file).map_err(|e| CommandError::new(e.to_string()))? + "\n";
        target.write_all(text.as_bytes()).map_err(|e| CommandError::new(target.error(e).to_string()))?;
        target.finish(&what).map_err(|e| CommandError::new(e.to_string()))
    }

    /// Loads a run as moves ahead.
    pub fn load(&mut self, path: &Path, number: Option<usize>) -> Result<String, CommandError> {
        if input::is_dash(path) {
            return Err(CommandError::new("the standard input is for the commands; name a file"));
        }
        let text = input::read_text(path, &mut std::io::empty()).map_err(|d| CommandError::new(d.message))?;
        let name = path.display();
        let file = files::parse(&text).map_err(|malformed| {
            let place = malformed.line.zip(malformed.column).map_or(String::new(), |(l, c)| format!(":{l}:{c}"));
            CommandError::new(format!("{name}{place}: {}", malformed.message))
        })?;
        let number = number.unwrap_or(1);
        let Some(traced) = number.checked_sub(1).and_then(|i| file.traces.get(i)) else {
            let traces = count(file.traces.len(), "trace");
            return Err(CommandError::new(format!("there is no trace {number} in `{name}`, which has {traces}")));
        };
        if traced.trace.spurious {
            return Err(CommandError::new(format!("trace {number} of `{name}` is spurious: not a run of the model")));
        }
        let at = |files::TraceError { step, problem }| {
            let place = step.map_or(String::new(), |step| format!("step {step}: "));
            CommandError::new(format!("trace {number} of `{name}` is not a run of this model: {place}{problem}"))
        };
        let system = &self.model.system;
        let (run, _) = files::checked(system, &traced.trace).map_err(at)?;
        self.run.load(&run)?;
        let others = match file.traces.len() {
            1 => String::new(),
            n => format!(" (trace {number} of {n})"),
        };
        let ending = match (traced.trace.ending, traced.trace.cycle) {
            (Some(Ending::Cycle), Some(step)) => format!("; then it repeats from move {step} on"),
            (Some(Ending::Waits), _) => "; then time diverges".to_owned(),
            (Some(Ending::Stops), _) => "; then deadlock".to_owned(),
            _ => String::new(),
        };
        let moves = count(self.run.history.len(), "move");
        let query = traced.query.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(format!("loaded {moves} for {query}{others}{ending}; `next` makes them"))
    }
}
