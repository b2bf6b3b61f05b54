//! Positions from the automatic layout.

use syntax::{Sources, Tree, ast::Layout, read_model};

use crate::{EditError, EditedText, Movable, Placed, Point};

/// The positions of everything in a template.
pub(crate) struct Arranged {
    pub places: Vec<Placed>,
    /// The nails of each edge.
    pub nails: Vec<Vec<Point>>,
}

/// Reads a model.
pub(crate) fn read(source: EditedText<'_>) -> (Sources, Tree) {
    let mut sources = Sources::new();
    let file = sources.add_file("", source.text.to_owned());
    let (tree, _) = read_model(&mut sources, file, source.format);
    (sources, tree)
}

/// Returns the positions that a template without a layout is drawn at; `None` if it has one.
pub(crate) fn missing(source: EditedText<'_>, template: usize) -> Result<Option<Arranged>, EditError> {
    let (sources, tree) = read(source);
    let found = tree.templates.get(template).ok_or_else(|| EditError::absent("template", template))?;
    // A single location can be put anywhere.
    if found.locations.is_empty() || !draw::is_unplaced(found) {
        return Ok(None);
    }
    Ok(Some(arranged(tree, &sources, template)))
}

/// Returns new positions for a template.
pub(crate) fn anew(source: EditedText<'_>, template: usize) -> Result<Arranged, EditError> {
    let (sources, tree) = read(source);
    if template >= tree.templates.len() {
        return Err(EditError::absent("template", template));
    }
    Ok(arranged(tree, &sources, template))
}

fn arranged(mut tree: Tree, sources: &Sources, template: usize) -> Arranged {
    // A template without positions gets new ones.
    let found = &mut tree.templates[template];
    let locations = found.locations.iter_mut().map(|l| &mut l.layout);
    let branchpoints = found.branchpoints.iter_mut().map(|b| &mut b.layout);
    for layout in locations.chain(branchpoints).chain(found.edges.iter_mut().map(|e| &mut e.layout)) {
        *layout = Layout::default();
    }
    tree.templates = vec![tree.templates.swap_remove(template)];
    draw::layout(&mut tree, sources);
    let found = &tree.templates[0];
    let mut places = Vec::new();
    let mut add = |item: Movable, at: Point| places.push(Placed { item, at });
    for (i, location) in found.locations.iter().enumerate() {
        location.layout.at.into_iter().for_each(|at| add(Movable::Location(i), at));
        for label in &location.layout.labels {
            add(Movable::LocationLabel(i, label.kind.clone()), label.at);
        }
    }
    for (i, branchpoint) in found.branchpoints.iter().enumerate() {
        branchpoint.layout.at.into_iter().for_each(|at| add(Movable::Branchpoint(i), at));
    }
    for (i, edge) in found.edges.iter().enumerate() {
        for label in &edge.layout.labels {
            add(Movable::EdgeLabel(i, label.kind.clone()), label.at);
        }
    }
    let nails = found.edges.iter().map(|edge| edge.layout.nails.clone()).collect();
    Arranged { places, nails }
}
