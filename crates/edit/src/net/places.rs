//! The positions of the nodes of a net.

use super::{NetEdit, Sheet};
use crate::{EditError, Movable, Node, Placed, Point};

/// Sets positions. If some node has none, every node gets the position that it is drawn at:
/// otherwise a single one would displace the rest.
pub(super) fn settle(sheet: &Sheet, edit: &mut dyn NetEdit, places: &[Placed]) -> Result<(), EditError> {
    let mut given: Vec<(Node, Point)> = Vec::new();
    for placed in places {
        let node = match placed.item {
            Movable::Place(i) => Node::Place(i),
            Movable::Transition(i) => Node::Transition(i),
            _ => return Err(EditError::new("only places and transitions of a net have positions")),
        };
        sheet.node(node)?;
        // The last position counts.
        given.retain(|(known, _)| *known != node);
        given.push((node, placed.at));
    }
    let all = nodes(sheet);
    if all.iter().any(|(_, at)| at.is_none()) {
        let drawn = super::drawing::positions(sheet);
        for ((node, _), at) in all.iter().zip(drawn) {
            let at = given.iter().find(|(known, _)| known == node).map_or(at, |(_, at)| *at);
            edit.place(*node, at)?;
        }
    } else {
        for (node, at) in given {
            edit.place(node, at)?;
        }
    }
    Ok(())
}

/// Computes the positions of all nodes.
pub(super) fn anew(sheet: &Sheet, edit: &mut dyn NetEdit) -> Result<(), EditError> {
    let mut sheet = sheet.clone();
    sheet.places.iter_mut().chain(&mut sheet.transitions).for_each(|node| node.at = None);
    let drawn = super::drawing::positions(&sheet);
    for ((node, _), at) in nodes(&sheet).into_iter().zip(drawn) {
        edit.place(node, at)?;
    }
    Ok(())
}

/// Returns all nodes, places first, with their positions.
fn nodes(sheet: &Sheet) -> Vec<(Node, Option<Point>)> {
    let places = sheet.places.iter().enumerate().map(|(i, node)| (Node::Place(i), node.at));
    places.chain(sheet.transitions.iter().enumerate().map(|(i, node)| (Node::Transition(i), node.at))).collect()
}
