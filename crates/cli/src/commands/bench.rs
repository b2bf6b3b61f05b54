//! `merkhet bench`

mod abstraction;
mod directed;
mod kernels;
mod lattice;
mod measure;
mod nets;
mod public;
mod recording;
mod remarks;
mod scale;
mod scaling;
mod text;
mod write;
mod zones;

use std::{
    io::{self, Write as _},
    path::Path,
};

use super::fail;
use crate::{
    args::{BenchArgs, Suite, ZonesArgs},
    input::read_text,
    output::Streams,
    outputs::{OutputError, Outputs, Target},
    render::one_line,
    status::Status,
};
use ::bench::{FAMILIES, Family, directed::Row, search::Space};
use merkhet::Choices;
use syntax::Diagnostic;
use thiserror::Error;

/// No family has a model of a size.
#[derive(Debug, Error)]
#[error("there is no model of size {size}: {known}")]
struct NoSuchSize {
    size: u32,
    /// The sizes of each family.
    known: String,
}

/// Runs the command.
pub fn run(args: &BenchArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    match &args.suite {
        Suite::Abstraction(args) => abstraction::run(args, streams),
        Suite::Directed(args) => directed::run(args, streams),
        Suite::Lattice(args) => lattice::run(args, streams),
        Suite::Nets(args) => nets::run(args, streams),
        Suite::Kernels(args) => kernels::run(args, streams),
        Suite::Scale(args) => scale::run(args, streams),
        Suite::Zones(args) if args.scaling => match families(args)[..] {
            [family] => scaling::run(args, family, streams),
            _ if args.family.is_empty() => scaling::run(args, FAMILIES[0], streams),
            _ => fail("--scaling runs one family; name one", streams),
        },
        Suite::Zones(args) => match chosen(args) {
            Err(why) => fail(why, streams),
            Ok(models) => match &args.write {
                Some(folder) => write::run(folder, &models, streams),
                None => zones::run(args, &models, streams),
            },
        },
    }
}

/// A family and a size.
type Sized = (&'static Family, u32);

/// The selected families, or all.
fn families(args: &ZonesArgs) -> Vec<&'static Family> {
    let named = |family: &&Family| args.family.is_empty() || args.family.iter().any(|name| name == family.name);
    FAMILIES.into_iter().filter(named).collect()
}

/// The selected models.
fn chosen(args: &ZonesArgs) -> Result<Vec<Sized>, NoSuchSize> {
    let families = families(args);
    let mut models = Vec::new();
    for &size in &args.size {
        if !families.iter().any(|family| family.sizes.contains(&size)) {
            let known = families.iter().map(|f| format!("{} has {} to {}", f.name, f.sizes.start(), f.sizes.end()));
            return Err(NoSuchSize { size, known: known.collect::<Vec<_>>().join(", ") });
        }
    }
    for family in families {
        let asked = args.size.iter().filter(|&size| family.sizes.contains(size));
        models.extend(asked.map(|&size| (family, size)));
        if args.size.is_empty() {
            let large = if args.large { family.large } else { &[] };
            models.extend(family.standard.iter().chain(large).map(|&size| (family, size)));
        }
    }
    Ok(models)
}

/// The models of rows, ready to be explored; or the exit status if one is wrong.
fn spaces(rows: &[Row], streams: &mut Streams<'_>) -> io::Result<Result<Vec<Space>, Status>> {
    let mut spaces = Vec::new();
    for row in rows {
        match Space::with_query(&row.source(), &row.text, &row.query) {
            Ok(space) => spaces.push(space),
            Err(why) => {
                streams.fail(&format!("the model {} is wrong: {why}", row.name))?;
                return Ok(Err(if row.file.is_some() { Status::Wrong } else { Status::Defect }));
            }
        }
    }
    Ok(Ok(spaces))
}

/// The text of a file of models.
fn read(file: &Path) -> Result<String, Box<Diagnostic>> {
    read_text(file, &mut io::empty())
}

/// Starts the file of a picture, before anything is measured.
///
/// # Errors
/// The file can't be written.
fn start_plot<'r>(file: Option<&Path>, rows: impl Iterator<Item = &'r Row>) -> Result<Option<Target>, OutputError> {
    let mut outputs = Outputs::new(rows.filter_map(|row| row.file.as_deref()));
    file.map(|file| outputs.start(file)).transpose()
}

/// Writes a picture into its file.
fn write_plot(target: Target, svg: &str, streams: &mut Streams<'_>) -> io::Result<Status> {
    write_target(target, svg, "the picture", streams)
}

/// Writes a text into a file that was started.
fn write_target(mut target: Target, text: &str, what: &str, streams: &mut Streams<'_>) -> io::Result<Status> {
    let written = target.write_all(text.as_bytes()).map_err(|e| target.error(e));
    match written.and_then(|()| target.finish(what)) {
        Ok(note) => writeln!(streams.err, "note: {}", one_line(&note)).map(|()| Status::Fine),
        Err(why) => fail(why, streams),
    }
}

/// The values of `--abstraction` and `--order`.
fn settings(args: &ZonesArgs) -> (String, String) {
    (args.abstraction.name().to_owned(), args.order.name().to_owned())
}

/// A note if times are not those of a release build.
fn without_optimisation() -> Option<String> {
    cfg!(debug_assertions)
        .then(|| "merkhet was built without optimisation: its times are not representative".to_owned())
}
