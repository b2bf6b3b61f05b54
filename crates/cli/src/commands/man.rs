//! `merkhet man`

use std::{fs, io, path::Path};

use clap::CommandFactory;
use clap_mangen::Man;

use super::{count, fail};
use crate::{
    args::{Cli, ManArgs},
    output::{Streams, reason, write_file},
    render::one_line,
    status::Status,
};

/// Runs the command.
pub fn run(args: &ManArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let mut pages = pages()?;
    let Some(folder) = &args.out else {
        streams.out.write_all(&pages.swap_remove(0).1)?;
        return Ok(Status::Fine);
    };
    match write_pages(folder, &pages) {
        Ok(replaced) => {
            let replaced = if replaced > 0 { format!(", of which {replaced} are replaced") } else { String::new() };
            let folder = one_line(&folder.display().to_string());
            writeln!(streams.err, "note: wrote {} to `{folder}`{replaced}", count(pages.len(), "page"))?;
            Ok(Status::Fine)
        }
        Err(e) => fail(format!("can't write into `{}`: {}", folder.display(), reason(&e)), streams),
    }
}

/// The names of the pages and their text, the main page first.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut main = Cli::command();
    // Propagates the global options to the commands.
    main.build();
    let mut pages = Vec::new();
    add_pages("merkhet".to_owned(), &main, &mut pages)?;
    Ok(pages)
}

/// A page for a command, then one for each command below it.
fn add_pages(name: String, command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    pages.push(page(name.clone(), command.clone())?);
    // `help` repeats the other pages, and hidden commands are for merkhet itself.
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set());
    inner.try_for_each(|inner| add_pages(format!("{name}-{}", inner.get_name()), inner, pages))
}

fn page(name: String, command: clap::Command) -> io::Result<(String, Vec<u8>)> {
    let mut text = Vec::new();
    Man::new(command.display_name(name.clone())).render(&mut text)?;
    Ok((format!("{name}.1"), text))
}

/// Returns the number of pages that were replaced.
fn write_pages(folder: &Path, pages: &[(String, Vec<u8>)]) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    let mut replaced = 0;
    for (name, text) in pages {
        replaced += usize::from(write_file(&folder.join(name), text)?);
    }
    Ok(replaced)
}
