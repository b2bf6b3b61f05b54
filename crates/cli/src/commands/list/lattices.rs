//! `merkhet list lattices`

use std::io::{self, Write};

use lattice::Library;

use crate::{
    args::{ListArgs, ReportFormat},
    commands::fail,
    json::{
        VERSION,
        lattices::{Growth, LatticeLibraryReport, NamedLattice, NamedMethod},
    },
    output::Streams,
    status::Status,
};

/// Lists all lattices in short, or one in full.
pub fn run(args: &ListArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let mut lattices = all();
    if let Some(name) = &args.name {
        let is_meant = |lattice: &NamedLattice| lattice.name == name || lattice.aliases.contains(&name.as_str());
        if !lattices.iter().any(is_meant) {
            let names = lattices.iter().flat_map(|lattice| lattice.aliases.iter().chain([&lattice.name])).copied();
            return fail(unknown(name, names), streams);
        }
        lattices.retain(is_meant);
    }
    let out = &mut *streams.out;
    match args.format {
        ReportFormat::Json => crate::json::write(&LatticeLibraryReport { version: VERSION, lattices }, out)?,
        ReportFormat::Text if args.name.is_some() => {
            lattices.iter().try_for_each(|lattice| write_full(lattice, out))?
        }
        ReportFormat::Text => write_table(&lattices, out)?,
    }
    Ok(Status::Fine)
}

/// The lattices of the library, opaal's federations, and those that models can define.
fn all() -> Vec<NamedLattice> {
    let own = NamedLattice {
        name: "Lattice",
        aliases: Vec::new(),
        signature: "Lattice(type, leq, join[, widen])",
        help: "A lattice that the model defines: structs of one type, with functions that order and join them.",
        laws: "Order and join: those of the functions. `merkhet check --laws` checks that they make a lattice.",
        bits: None,
        member: None,
        methods: Vec::new(),
        example: "typedef struct { int[0,9] low, high; } Box;\n\
                  bool inside(Box a, Box b) { return b.low <= a.low && a.high <= b.high; }\n\
                  Box around(Box a, Box b) { Box c = {a.low <? b.low, a.high >? b.high}; return c; }\n\
                  extern Region = Lattice(Box, inside, around);\n\
                  Region r;\n\
                  // guard: r.high > 3    update: r.high = 5",
    };
    let federation = NamedLattice {
        name: "DBMFederation",
        aliases: Vec::new(),
        signature: "DBMFederation",
        help: "Clocks of the model in a group, as opaal declares them. A DBMClock is a clock.",
        laws: "They belong to zones, not to elements: order and join are those of zones.",
        bits: None,
        member: Some("DBMClock"),
        methods: Vec::new(),
        example: "extern DBMFederation;\nextern DBMClock;\nDBMFederation dbm;\nDBMClock dbm.x, dbm.y[10];\n\
                  // guard: dbm.x >= 2    update: dbm.y[3] = 0",
    };
    Library::standard().entries().iter().map(NamedLattice::from).chain([federation, own]).collect()
}

fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    match syntax::nearest(name, known) {
        Some(near) => format!("there is no lattice `{name}`; did you mean `{near}`?"),
        None => format!("there is no lattice `{name}`; `merkhet list lattices` names them"),
    }
}

fn write_table(lattices: &[NamedLattice], out: &mut dyn Write) -> io::Result<()> {
    let width = lattices.iter().map(|lattice| lattice.signature.len()).max().unwrap_or(0);
    for lattice in lattices {
        writeln!(out, "{:width$}  {}", lattice.signature, lattice.help)?;
    }
    writeln!(out, "\n`merkhet list lattices NAME` shows one in full.")
}

fn write_full(lattice: &NamedLattice, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", lattice.signature)?;
    if !lattice.aliases.is_empty() {
        writeln!(out, "  Also called {}.", lattice.aliases.join(" or "))?;
    }
    writeln!(out, "  {}\n  {}", lattice.help, lattice.laws)?;
    let mut lines: Vec<(String, String)> = lattice.methods.iter().map(line).collect();
    if let Some(growth) = lattice.bits {
        lines.insert(0, ("[i]: bool".to_owned(), with_growth("a bit", growth)));
    }
    if !lines.is_empty() {
        writeln!(out, "\n  Methods, and what their results do when the element grows:")?;
    }
    let width = lines.iter().map(|(call, _)| call.len()).max().unwrap_or(0);
    for (call, note) in lines {
        writeln!(out, "    {call:width$}  {note}")?;
    }
    writeln!(out, "\n  Example:")?;
    lattice.example.lines().try_for_each(|line| writeln!(out, "    {line}"))
}

/// A method: how it is called, and what it does.
fn line(method: &NamedMethod) -> (String, String) {
    let result = method.result.map_or(String::new(), |result| format!(": {result}"));
    let note = match method.trend {
        Some(growth) => with_growth(method.help, growth),
        None => method.help.to_owned(),
    };
    (format!("{}({}){result}", method.name, method.parameters.join(", ")), note)
}

fn with_growth(what: &str, growth: Growth) -> String {
    format!("{what} ({})", growth.word())
}
