//! Models in other formats, and drawings of them.

use draw::UnknownTemplate;
use merkhet::{Choice, Choices};
use syntax::{
    Signal, Sources, Tree,
    net::{Net, Timing},
    print::PrintedModel,
};
use thiserror::Error;

/// The formats that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFormat {
    /// UPPAAL's XML.
    Xml,
    /// UPPAAL's text format.
    Xta,
    /// TINA's text format of Petri nets, for nets only.
    Net,
    /// PNML, for nets only.
    Pnml,
    /// TAPAAL's format, for nets without intervals on places or transitions.
    Tapn,
}

impl Choices for ModelFormat {
    const ALL: &'static [Choice<ModelFormat>] = &[
        Choice { name: "xml", value: ModelFormat::Xml, help: "UPPAAL's XML" },
        Choice { name: "xta", value: ModelFormat::Xta, help: "UPPAAL's text format" },
        Choice { name: "net", value: ModelFormat::Net, help: "TINA's text format of Petri nets, for nets only" },
        Choice { name: "pnml", value: ModelFormat::Pnml, help: "PNML, for nets only" },
        Choice {
            name: "tapn",
            value: ModelFormat::Tapn,
            help: "TAPAAL's format, for nets without intervals on places or transitions",
        },
    ];
}

impl ModelFormat {
    /// Returns its name in messages.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            ModelFormat::Xml => "XML",
            ModelFormat::Xta => "XTA",
            ModelFormat::Net => "TINA's format",
            ModelFormat::Pnml => "PNML",
            ModelFormat::Tapn => "TAPAAL's format",
        }
    }
}

/// The formats of drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingFormat {
    /// Graphviz's language.
    Dot,
    /// A picture.
    Svg,
}

impl Choices for DrawingFormat {
    const ALL: &'static [Choice<DrawingFormat>] = &[
        Choice { name: "dot", value: DrawingFormat::Dot, help: "Graphviz's language" },
        Choice { name: "svg", value: DrawingFormat::Svg, help: "A picture" },
    ];
}

/// Why a model can't be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unwritable {
    /// Processes would lose their synchronisations, and so their meaning.
    #[error("a TChecker model can't be written in UPPAAL's languages")]
    TChecker,
    /// The format is for nets.
    #[error("only nets can be written in {}, and this is a network of automata", .0.title())]
    OnlyNets(ModelFormat),
    /// The net has something that the format can't express.
    #[error("{} has no {}", .0.title(), .1)]
    Beyond(ModelFormat, &'static str),
}

/// Checks that a model can be written in a format.
///
/// # Errors
/// Why it can't.
pub fn check(tree: &Tree, format: ModelFormat) -> Result<(), Unwritable> {
    if tree.is_tchecker() {
        return Err(Unwritable::TChecker);
    }
    match tree.net.as_deref() {
        None if matches!(format, ModelFormat::Net | ModelFormat::Pnml | ModelFormat::Tapn) => {
            Err(Unwritable::OnlyNets(format))
        }
        net => net.and_then(|net| beyond(net, format)).map_or(Ok(()), |what| Err(Unwritable::Beyond(format, what))),
    }
}

/// What a net has that a format can't express.
fn beyond(net: &Net, format: ModelFormat) -> Option<&'static str> {
    let has_tests = net.transitions.iter().any(|t| !t.tests.is_empty());
    let has_stopwatches = net.transitions.iter().any(|t| !(t.runs.is_empty() && t.stops.is_empty()));
    match (format, net.timing) {
        (ModelFormat::Net | ModelFormat::Pnml, Timing::Arcs) => Some("ages of tokens"),
        (ModelFormat::Tapn, Timing::Places) => Some("intervals on places"),
        (ModelFormat::Tapn, Timing::Transitions) => Some("intervals on transitions"),
        (ModelFormat::Tapn, _) if has_tests => Some("test arcs"),
        (ModelFormat::Tapn, _) if has_stopwatches => Some("stopwatch arcs"),
        (ModelFormat::Tapn, _) if !net.priorities.is_empty() => Some("priorities"),
        _ => None,
    }
}

/// Returns what a net is written without, although the format might have it.
#[must_use]
pub fn lost(tree: &Tree, format: ModelFormat) -> Vec<String> {
    let Some(net) = tree.net.as_deref() else { return Vec::new() };
    // Of a place with colours each is a place, and all together are a sum.
    let example = net.sums.iter().find_map(|sum| net.places.get(*sum.places.first()? as usize));
    let colours = example.map(|place| format!("colours: each is a place of its own, such as `{}`", place.written));
    let as_net = matches!(format, ModelFormat::Net | ModelFormat::Pnml | ModelFormat::Tapn);
    let queries = match tree.queries.len() {
        0 => None,
        _ if !as_net => None,
        1 => Some("1 query".to_owned()),
        count => Some(format!("{count} queries")),
    };
    colours.into_iter().chain(queries).collect()
}

/// Prints a model. XML needs coordinates: those that are missing are added to the tree.
pub fn print(sources: &Sources, tree: &mut Tree, format: ModelFormat) -> PrintedModel {
    match format {
        ModelFormat::Xml => {
            draw::layout(tree, sources);
            syntax::print::xml(tree, sources)
        }
        ModelFormat::Xta => syntax::print::xta(tree, sources),
        ModelFormat::Net | ModelFormat::Pnml | ModelFormat::Tapn => {
            tree.net.as_deref().map_or_else(PrintedModel::default, |net| print_net(net, format))
        }
    }
}

fn print_net(net: &Net, format: ModelFormat) -> PrintedModel {
    if format == ModelFormat::Pnml {
        return PrintedModel { text: syntax::net::pnml_text(net), dropped: Vec::new() };
    }
    if format == ModelFormat::Tapn {
        let has_labels =
            net.places.iter().any(|p| p.label.is_some()) || net.transitions.iter().any(|t| t.label.is_some());
        let dropped = if has_labels { vec!["labels"] } else { Vec::new() };
        return PrintedModel { text: syntax::net::tapaal_text(net), dropped };
    }
    let is_drawn = net.places.iter().any(|p| p.at.is_some()) || net.transitions.iter().any(|t| t.at.is_some());
    PrintedModel { text: syntax::net::tina::text(net), dropped: if is_drawn { vec!["layout"] } else { Vec::new() } }
}

/// Draws a net.
#[must_use]
pub fn draw_net(net: &Net, format: DrawingFormat, signal: Signal) -> String {
    match format {
        DrawingFormat::Dot => draw::net_dot(net, signal),
        DrawingFormat::Svg => draw::net_svg(net, signal),
    }
}

/// Draws the templates with these names, or all if no name is given.
///
/// # Errors
/// There is no template of one of these names.
pub fn draw(
    sources: &Sources,
    tree: &Tree,
    templates: &[String],
    format: DrawingFormat,
) -> Result<String, UnknownTemplate> {
    match format {
        DrawingFormat::Dot => draw::dot(tree, sources, templates),
        DrawingFormat::Svg => draw::svg(tree, sources, templates),
    }
}
