//! `merkhet bench zones --write`, `merkhet bench nets --write`

use std::{fs, io, path::Path};

use super::{super::count, Sized, fail};
use crate::{
    output::{Streams, reason, write_file},
    outputs::OutputError,
    render::one_line,
    status::Status,
};

/// Writes each model in both languages.
pub fn run(folder: &Path, models: &[Sized], streams: &mut Streams<'_>) -> io::Result<Status> {
    let texts = models.iter().flat_map(|(family, size)| {
        let name = |ending: &str| format!("{}_{size}.{ending}", family.name);
        [(name("xta"), family.xta(*size)), (name("tck"), family.tck(*size))]
    });
    files(folder, texts, streams)
}

/// Writes files into a folder, which is created if necessary. Prints their names, and how many were
/// replaced.
pub fn files(
    folder: &Path,
    files: impl Iterator<Item = (String, String)>,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    if let Err(e) = fs::create_dir_all(folder) {
        return fail(format!("can't make the folder `{}`: {}", folder.display(), reason(&e)), streams);
    }
    let mut replaced = 0;
    for (name, text) in files {
        let file = folder.join(name);
        match write_file(&file, text.as_bytes()) {
            Ok(replaces) => replaced += usize::from(replaces),
            Err(e) => return fail(OutputError::write(&file, e), streams),
        }
        writeln!(streams.out, "{}", one_line(&file.display().to_string()))?;
    }
    if replaced > 0 {
        let folder = one_line(&folder.display().to_string());
        writeln!(streams.err, "note: replaced {} in `{folder}`", count(replaced, "file"))?;
    }
    Ok(Status::Fine)
}
