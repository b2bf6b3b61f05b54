//! The charts and tables of `--plot`: written while queries are answered, and complete at the end.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use show::plots::PlotKind;
use syntax::ast::Query;

use super::ask::InFile;
use crate::{
    args::VerifyArgs,
    json::verify::{QueryResult, QueryValue},
    outputs::{OutputError, Outputs, Target},
};

/// The files of a command.
pub struct Plots {
    files: Vec<PlotFile>,
    problem: Option<OutputError>,
    /// Dropped after the files, which are in it.
    folder: Option<NewFolder>,
}

/// A file that is being written.
struct PlotFile {
    query: usize,
    kind: PlotKind,
    target: Target,
    is_written: bool,
}

/// A folder that was made for the files. It stays if there are any.
struct NewFolder(PathBuf);

impl Drop for NewFolder {
    fn drop(&mut self) {
        // This fails if something is in it.
        let _ = fs::remove_dir(&self.0);
    }
}

impl Plots {
    /// Starts the files about all queries, before any work is done.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn open(args: &VerifyArgs, queries: &[InFile<Query>], outputs: &mut Outputs) -> Result<Plots, OutputError> {
        let mut plots = Plots { files: Vec::new(), problem: None, folder: None };
        let Some(folder) = &args.plot else { return Ok(plots) };
        plots.folder = make(folder)?;
        for (query, (_, written)) in queries.iter().enumerate() {
            for &kind in PlotKind::of(written) {
                let target = outputs.start(&folder.join(kind.file(query + 1)))?;
                plots.files.push(PlotFile { query, kind, target, is_written: false });
            }
        }
        Ok(plots)
    }

    /// Writes the files about a query.
    pub fn keep(&mut self, query: usize, result: &QueryResult) {
        let Some(QueryValue::Estimate(estimate)) = &result.value else { return };
        let title = result.short_query();
        for file in self.files.iter_mut().filter(|file| file.query == query) {
            let mut out = io::BufWriter::new(&mut file.target);
            let written = file.kind.write(&title, estimate, &mut out);
            match written.and_then(|written| io::Write::flush(&mut out).map(|()| written)) {
                Ok(is_written) => file.is_written = is_written,
                Err(e) => {
                    drop(out);
                    self.problem.get_or_insert_with(|| file.target.error(e));
                }
            }
        }
    }

    /// Completes the files. Returns notes on those that were written.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn finish(self, args: &VerifyArgs) -> Result<Vec<String>, OutputError> {
        let Plots { files, problem, folder } = self;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let mut notes = Vec::new();
        for PlotFile { kind, target, is_written, .. } in files {
            if is_written {
                notes.push(target.finish(kind.what())?);
            }
        }
        drop(folder);
        if let (true, Some(folder)) = (notes.is_empty(), &args.plot) {
            notes.push(format!("nothing was written to `{}`: no answer has anything to plot", folder.display()));
        }
        Ok(notes)
    }
}

/// Makes a folder, if it is not there.
fn make(folder: &Path) -> Result<Option<NewFolder>, OutputError> {
    if folder.is_dir() {
        return Ok(None);
    }
    fs::create_dir(folder).map_err(|e| OutputError::write(folder, e))?;
    Ok(Some(NewFolder(folder.to_owned())))
}
