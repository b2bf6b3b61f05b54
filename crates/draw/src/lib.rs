//! Pictures of templates as Graphviz DOT or SVG, coordinates for templates that have none, and
//! pictures of Petri nets, traces, charts and state spaces.
//!
//! ```
//! let mut sources = syntax::Sources::new();
//! let text = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x >= 2; }; } system P;";
//! let file = sources.add_file("p.xta", text.to_owned());
//! let (mut tree, _) = syntax::read_model(&mut sources, file, syntax::Format::Xta);
//!
//! assert!(draw::svg(&tree, &sources, &[])?.contains("x &gt;= 2"));
//! assert!(draw::dot(&tree, &sources, &["P".to_owned()])?.contains("x >= 2"));
//!
//! draw::layout(&mut tree, &sources);
//! assert!(tree.templates[0].locations[1].layout.at.is_some());
//! # Ok::<(), draw::UnknownTemplate>(())
//! ```
//!
//! A template is drawn in three steps. `label` reads its labels from the source text. The known
//! positions, from the model or else from `layout`, are completed to a `figure`. `svg` renders the
//! figure. DOT needs the labels only.

use syntax::{
    Sources, Tree,
    ast::{Layout, Template},
    nearest,
};
use thiserror::Error;

mod active;
mod chart;
mod dot;
mod field;
mod figure;
mod font;
mod geometry;
mod label;
mod layout;
mod lines;
mod net;
mod palette;
mod plot;
mod ports;
#[cfg(test)]
mod quality;
mod states;
mod svg;
mod text;
mod trace;

pub use active::{ActiveProcess, state_svg};
pub use chart::{Chart, Series};
pub use net::{Marking, NetLayout, NetLine, NetShape, marking_svg, net_dot, net_layout, net_svg};
pub use palette::{inline, properties, style};
pub use plot::{Curve, CurveShape, Plot};
pub use states::{ArcKind, StateArc, StateGraph, StateLayers, StateNode, StateStyle};
pub use trace::{
    DrawnTrace, TraceEdge, TraceEnding, TraceEvent, TraceProcess, TraceState, TraceStay, TraceStep, TraceTime,
    TraceValue,
};

use figure::{Figure, Placement};
use label::Labels;
use text::Breaks;

/// Line breaks of labels that the author positioned: those of the text, and one before 100
/// characters.
const AS_WRITTEN: Breaks = Breaks { keep: true, limit: 100 };
/// Line breaks of labels that are positioned here: early ones keep drawings compact.
const COMPACT: Breaks = Breaks { keep: true, limit: 40 };
/// Line breaks of printed models: labels are on one line.
const ONE_LINE: Breaks = Breaks { keep: false, limit: 100 };

/// The error that a selected template does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the model has no template `{name}`{}", .nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
pub struct UnknownTemplate {
    /// The name that was given.
    pub name: String,
    /// The most similar name of a template.
    pub nearest: Option<String>,
}

/// Renders the templates named in `selection`, or all if it is empty, as one graph in Graphviz' DOT
/// language.
///
/// # Errors
/// A named template does not exist.
pub fn dot(tree: &Tree, sources: &Sources, selection: &[String]) -> Result<String, UnknownTemplate> {
    Ok(dot::write(tree, sources, &select(tree, selection)?))
}

/// Renders the templates named in `selection`, or all if it is empty, as one SVG picture.
///
/// Coordinates are those of the model; if it has none, those of [`layout`]. Once the tree's signal
/// is raised, the picture is incomplete.
///
/// # Errors
/// A named template does not exist.
pub fn svg(tree: &Tree, sources: &Sources, selection: &[String]) -> Result<String, UnknownTemplate> {
    Ok(svg::write(tree, sources, &select(tree, selection)?))
}

/// Renders a chart as an SVG picture.
#[must_use]
pub fn chart(chart: &Chart) -> String {
    chart::write(chart)
}

/// Renders curves over an axis as an SVG picture.
#[must_use]
pub fn plot(plot: &Plot) -> String {
    plot::write(plot)
}

/// Returns whether a template lacks a layout: no location has coordinates, or all of several have
/// the same. Then it is drawn by [`layout`].
#[must_use]
pub fn is_unplaced(template: &Template) -> bool {
    layout::is_missing(template)
}

/// Assigns coordinates to the locations, branchpoints, nails and labels of templates that have
/// none, and to single locations and branchpoints that lack them.
///
/// The space for labels is computed for labels on one line, as in printed models. Once the tree's
/// signal is raised, the other templates are left unchanged.
pub fn layout(tree: &mut Tree, sources: &Sources) {
    for i in 0..tree.templates.len() {
        if tree.signal.raised().is_some() {
            return;
        }
        let labels = Labels::of(tree, sources, &tree.templates[i], ONE_LINE);
        let template = &mut tree.templates[i];
        let missing = layout::is_missing(template);
        let known = if missing { layout::arrange(template, &labels) } else { Placement::given(template, &labels) };
        if missing || known.nodes.iter().any(Option::is_none) {
            let figure = Figure::new(template, &labels, known);
            layout::write_back(&figure, &labels, missing, template);
        }
    }
}

/// The layouts of all elements of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layouts {
    /// Those of the locations.
    pub locations: Vec<Layout>,
    /// Those of the branchpoints.
    pub branchpoints: Vec<Layout>,
    /// Those of the edges.
    pub edges: Vec<Layout>,
}

/// Returns the layout of a template for an editor: positions of the model as they are, and those at
/// which the rest is drawn.
#[must_use]
pub fn layouts(tree: &Tree, sources: &Sources, template: &Template) -> Layouts {
    let missing = layout::is_missing(template);
    let labels = Labels::of(tree, sources, template, if missing { ONE_LINE } else { AS_WRITTEN });
    let figure = if missing {
        Figure::new(template, &labels, layout::arrange(template, &labels))
    } else {
        Figure::as_given(template, &labels, Placement::given(template, &labels))
    };
    let mut drawn = template.clone();
    layout::write_back(&figure, &labels, true, &mut drawn);
    Layouts {
        locations: drawn.locations.into_iter().map(|l| l.layout).collect(),
        branchpoints: drawn.branchpoints.into_iter().map(|b| b.layout).collect(),
        edges: drawn.edges.into_iter().map(|e| e.layout).collect(),
    }
}

/// Computes the geometry of a template with its labels.
fn figure(tree: &Tree, sources: &Sources, template: &Template) -> (Labels, Figure) {
    let missing = layout::is_missing(template);
    let labels = Labels::of(tree, sources, template, if missing { COMPACT } else { AS_WRITTEN });
    let known = if missing { layout::arrange(template, &labels) } else { Placement::given(template, &labels) };
    let figure = Figure::new(template, &labels, known);
    (labels, figure)
}

fn select<'a>(tree: &'a Tree, selection: &[String]) -> Result<Vec<&'a Template>, UnknownTemplate> {
    let names = || tree.templates.iter().map(|t| tree.text(t.name.sym));
    for wanted in selection {
        if !names().any(|name| name == wanted) {
            let nearest = nearest(wanted, names()).map(str::to_owned);
            return Err(UnknownTemplate { name: wanted.clone(), nearest });
        }
    }
    let chosen = |t: &&Template| selection.is_empty() || selection.iter().any(|s| s == tree.text(t.name.sym));
    Ok(tree.templates.iter().filter(chosen).collect())
}
