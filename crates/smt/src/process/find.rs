//! Which solvers are on this machine.

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Profile,
    child::{Child, Wait},
};
use crate::script::Expression;

/// How long a solver may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// A solver that is there.
#[derive(Clone, Debug)]
pub struct Found {
    /// How to deal with it.
    pub profile: &'static Profile,
    /// Where it is.
    pub path: PathBuf,
}

impl Found {
    /// A solver at a place that somebody knows.
    #[must_use]
    pub fn at(profile: &'static Profile, path: impl Into<PathBuf>) -> Found {
        Found { profile, path: path.into() }
    }

    /// What it says of itself, if it does. It is started for that, and may take its time.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        version(self.profile, &self.path)
    }
}

/// Looks for a solver: where `MERKHET_NAME` points, for example `MERKHET_Z3`, else on the PATH.
#[must_use]
pub fn find(profile: &'static Profile) -> Option<Found> {
    let path = match env::var_os(variable(profile)) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
        None => profile.programs.iter().find_map(|name| on_path(name)),
    };
    Some(Found::at(profile, path?))
}

/// The environment variable that says where a solver is.
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
    let answer = child.receive(Wait::AtMost(VERSION_LIMIT)).ok()?;
    match answer {
        Expression::List(list) => match list.as_slice() {
            [Expression::Word(key), Expression::Text(version)] if key == ":version" => Some(version.clone()),
            _ => None,
        },
        _ => None,
    }
}
