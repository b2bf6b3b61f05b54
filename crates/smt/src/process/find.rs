//! Finds the installed solvers.

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Profile,
    child::{Child, WaitLimit},
};
use crate::script::Expression;

/// A time limit for printing the version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// An installed solver.
#[derive(Clone, Debug)]
pub struct FoundSolver {
    /// The solver.
    pub profile: &'static Profile,
    /// Its program.
    pub path: PathBuf,
}

impl FoundSolver {
    /// A solver at a given path.
    #[must_use]
    pub fn at(profile: &'static Profile, path: impl Into<PathBuf>) -> FoundSolver {
        FoundSolver { profile, path: path.into() }
    }

    /// Returns its version, if it prints one. This starts the program.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        version(self.profile, &self.path)
    }
}

/// Looks for a solver: where `MERKHET_NAME` points, for example `MERKHET_Z3`, else on the PATH.
#[must_use]
pub fn find(profile: &'static Profile) -> Option<FoundSolver> {
    let path = match env::var_os(variable(profile)) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
        None => profile.programs.iter().find_map(|name| on_path(name)),
    };
    Some(FoundSolver::at(profile, path?))
}

/// Returns the environment variable that contains the path of a solver.
fn variable(profile: &Profile) -> String {
    format!("MERKHET_{}", profile.name.to_ascii_uppercase())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = [name.to_owned(), format!("{name}{}", env::consts::EXE_SUFFIX)];
    env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|file| file.is_file())
}

fn version(profile: &Profile, path: &Path) -> Option<String> {
    let mut child = Child::start(path, profile.one_shot).ok()?;
    child.send("(get-info :version)\n".to_owned());
    child.send_end();
    let answer = child.receive(WaitLimit::AtMost(VERSION_LIMIT)).ok()?;
    match answer {
        Expression::List(list) => match list.as_slice() {
            [Expression::Word(key), Expression::Text(version)] if key == ":version" => Some(version.clone()),
            _ => None,
        },
        _ => None,
    }
}
