//! `merkhet bench zones --write`

use std::{fs, io, path::Path};

use super::{Sized, fail};
use crate::{
    output::{Streams, reason, write_file},
    status::Status,
};

/// Writes each model in both languages, and says where.
pub fn run(folder: &Path, models: &[Sized], streams: &mut Streams<'_>) -> io::Result<Status> {
    if let Err(e) = fs::create_dir_all(folder) {
        return fail(&format!("can't make the folder `{}`: {}", folder.display(), reason(&e)), streams);
    }
    for (family, size) in models {
        for (ending, text) in [("xta", family.xta(*size)), ("tck", family.tck(*size))] {
            let file = folder.join(format!("{}_{size}.{ending}", family.name));
            if let Err(e) = write_file(&file, text.as_bytes()) {
                return fail(&format!("can't write `{}`: {}", file.display(), reason(&e)), streams);
            }
            writeln!(streams.out, "{}", file.display())?;
        }
    }
    Ok(Status::Fine)
}
