//! The options of `merkhet graph`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use merkhet::{Monotone, Order, Update};
use show::written::DrawingFormat;

use super::{
    ConstantArgs, LimitArgs,
    choice::{AnyAbstraction, choice, choice_of},
};

/// The pictures of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TraceView {
    /// A sequence chart: a lifeline for each process or place, steps from top to bottom
    #[default]
    Chart,
    /// A timeline: a lane for each process, clock and variable, time from left to right
    Timeline,
    /// One state: the automata with active locations and enabled edges, or the net with its marking
    State,
}

/// `merkhet graph`
#[derive(Args, Debug)]
pub struct GraphArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// Where to write; the ending .svg, .dot or .gv names the format, `-` is the standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// The format, if the ending of FILE names none [default: svg]
    #[arg(long, value_parser = choice::<DrawingFormat>())]
    pub format: Option<DrawingFormat>,
    /// Draw this template only; may be given several times
    #[arg(long, value_name = "NAME")]
    pub template: Vec<String>,
    /// Draw the automata that represent a net, not the net; --template implies it
    #[arg(long)]
    pub automata: bool,
    /// Draw a trace of FILE, which `verify --trace-file` or `save` in `simulate` wrote; `-` reads
    /// the standard input
    ///
    /// It is replayed before it is drawn. --view says how it is drawn, as SVG. Of a trace with more
    /// than 300 steps the first ones are drawn.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["template", "states", "automata"])]
    pub trace: Option<PathBuf>,
    /// How the trace is drawn [default: chart]
    #[arg(long, value_enum, requires = "trace")]
    pub view: Option<TraceView>,
    /// Draw the trace with this number in FILE, from 1 [default: 1]
    #[arg(long, value_name = "N", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    pub number: Option<u32>,
    /// With `--view state`, draw the state after this number of steps [default: the last state]
    #[arg(long, value_name = "N", requires = "trace")]
    pub step: Option<usize>,
    /// Draw the state space that a search explores
    ///
    /// A box has locations, variables that differ between states, elements of lattices, and
    /// constraints on clocks. A dashed arc leads to a covering state, a bold one to a joined state.
    /// Grey states were replaced; a dotted arc leads to the replacement.
    #[arg(long, conflicts_with = "template")]
    pub states: bool,
    /// The order in which states are explored [default: bfs]
    #[arg(long, value_parser = choice_of::<Order>(vec!["bfs", "dfs", "waiting"]), requires = "states")]
    pub order: Option<Order>,
    /// The abstraction that makes the number of zones finite [default: auto]
    ///
    /// `auto` omits bounds that are irrelevant for the answer. `extra-m` shows more of them, and
    /// `none` shows all.
    #[arg(long, value_parser = choice::<AnyAbstraction>(), requires = "states")]
    pub abstraction: Option<AnyAbstraction>,
    /// How a new state updates the store [default: cover, or join with --join]
    #[arg(long, value_parser = choice::<Update>(), requires = "states")]
    pub update: Option<Update>,
    /// The states that are joined; see `merkhet verify`
    #[arg(long, value_name = "STRATEGY", requires = "states")]
    pub join: Option<String>,
    /// Widen after N joins
    #[arg(long, value_name = "N", requires = "states")]
    pub widen: Option<u32>,
    /// How guards are treated that may hold for an element of a lattice and not for a greater one
    /// [default: check]
    #[arg(long, value_parser = choice::<Monotone>(), requires = "states")]
    pub monotone: Option<Monotone>,
    /// How many states are drawn, in the order of exploration; a note tells if there are more
    #[arg(long, value_name = "N", default_value_t = 200, requires = "states")]
    pub state_limit: usize,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}
