//! The printers and drawings that the commands call.

use draw::UnknownTemplate;
use syntax::{Signal, Sources, Tree, net::Net, print::PrintedModel};

use crate::args::{DrawingFormat, ModelFormat};

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
