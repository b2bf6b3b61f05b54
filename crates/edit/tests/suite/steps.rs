//! Random edits, and what they should make of a model.

use edit::{Item, Movable, Node, Operation, Placed};
use syntax::ast::{Endpoint, LabelLayout};

use crate::shape::{EdgeShape, LocationShape, QueryShape, Shape, TemplateShape};

/// Random numbers.
pub struct Dice(pub u64);

impl Dice {
    /// Returns a number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn point(&mut self) -> (i32, i32) {
        (self.below(2000) as i32 - 1000, self.below(2000) as i32 - 1000)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { Some(&list[self.below(list.len())]) }
    }
}

/// The number of kinds of edits.
pub const KINDS: usize = 20;

fn set_label(labels: &mut Vec<(String, String)>, kind: &str, text: &str) {
    labels.retain(|(known, _)| known != kind);
    if !text.is_empty() {
        labels.push((kind.to_owned(), text.to_owned()));
    }
    labels.sort();
}

/// Removes a label's position if the label is deleted.
fn drop_label(layout: &mut syntax::ast::Layout, kind: &str) {
    layout.labels.retain(|label| label.kind != kind);
}

/// Returns an edit of a kind at a random place, and the model that it should make; `None` if the
/// model has no place for it.
pub fn step(kind: usize, before: &Shape, dice: &mut Dice) -> Option<(Operation, Shape)> {
    let mut after = before.clone();
    let template = if before.templates.is_empty() { 0 } else { dice.below(before.templates.len()) };
    // The others need a template.
    if kind >= 4 && before.templates.is_empty() {
        return None;
    }
    let operation = match kind {
        0 => {
            after.queries.push(QueryShape { text: "A[] x < 3".into(), comment: "why".into(), ..Default::default() });
            Operation::AddQuery { at: usize::MAX, formula: "A[] x < 3".into(), comment: "why".into() }
        }
        1 => {
            let query = dice.below(before.queries.len().max(1));
            if query >= before.queries.len() {
                return None;
            }
            after.queries.remove(query);
            Operation::DeleteQuery { query }
        }
        2 => {
            let query = dice.below(before.queries.len().max(1));
            let found = after.queries.get_mut(query)?;
            if found.comment.contains('\n') {
                return None;
            }
            (found.text, found.comment) = ("E<> a && b > 0".into(), "a & b".into());
            let (formula, comment) = (Some(found.text.clone()), Some(found.comment.clone()));
            Operation::Query { query, formula, comment }
        }
        3 => {
            let location = LocationShape { layout: at((0, 0)), ..Default::default() };
            after.templates.push(TemplateShape {
                name: "Brand_new".into(),
                locations: vec![location],
                init: Some(0),
                ..Default::default()
            });
            Operation::AddTemplate { name: "Brand_new".into() }
        }
        kind => on_template(kind, template, &mut after.templates[template], dice)?,
    };
    if let Operation::DeleteTemplate { template } = operation {
        after.templates.remove(template);
    }
    Some((operation, after))
}

fn at(at: (i32, i32)) -> syntax::ast::Layout {
    syntax::ast::Layout { at: Some(at), ..Default::default() }
}

fn on_template(kind: usize, template: usize, t: &mut TemplateShape, dice: &mut Dice) -> Option<Operation> {
    let location = if t.locations.is_empty() { None } else { Some(dice.below(t.locations.len())) };
    let edge = if t.edges.is_empty() { None } else { Some(dice.below(t.edges.len())) };
    Some(match kind {
        4 => {
            let point = dice.point();
            let mut layout = at(point);
            layout.labels.push(LabelLayout { kind: "name".into(), at: (point.0 - 10, point.1 - 34) });
            t.locations.push(LocationShape { name: Some("Fresh_one".into()), layout, ..Default::default() });
            Operation::AddLocation { template, at: point, name: "Fresh_one".into() }
        }
        5 => {
            let point = dice.point();
            t.branchpoints.push(at(point));
            Operation::AddBranchpoint { template, at: point }
        }
        6 => {
            let ends = [location?, dice.below(t.locations.len())];
            let nails = vec![dice.point(), dice.point()];
            let mut layout = syntax::ast::Layout::default();
            layout.nails.clone_from(&nails);
            let shape_ends = ends.map(|end| Endpoint::Location(end as u32));
            t.edges.push(EdgeShape { ends: shape_ends, controllable: true, labels: Vec::new(), layout });
            let [source, target] = ends.map(Node::Location);
            Operation::AddEdge { template, source, target, nails }
        }
        7 => {
            let location = location?;
            t.locations.remove(location);
            let gone = Endpoint::Location(location as u32);
            t.edges.retain(|e| !e.ends.contains(&gone));
            let shift = |i: u32| if i > location as u32 { i - 1 } else { i };
            for end in t.edges.iter_mut().flat_map(|e| &mut e.ends) {
                if let Endpoint::Location(i) = end {
                    *i = shift(*i);
                }
            }
            t.init = t.init.filter(|i| *i != location as u32).map(shift);
            Operation::Delete { template, items: vec![Item::Location(location)] }
        }
        8 => {
            let edge = edge?;
            t.edges.remove(edge);
            Operation::Delete { template, items: vec![Item::Edge(edge), Item::Edge(edge)] }
        }
        9 => {
            let (location, point) = (location?, dice.point());
            t.locations[location].layout.at = Some(point);
            let mut places = vec![Placed { item: Movable::Location(location), at: point }];
            if let Some(label) = t.locations[location].layout.labels.first_mut() {
                label.at = dice.point();
                places.push(Placed { item: Movable::LocationLabel(location, label.kind.clone()), at: label.at });
            }
            Operation::Move { template, places }
        }
        10 => {
            let edge = edge?;
            let nail = dice.below(t.edges[edge].layout.nails.len().max(1));
            let point = dice.point();
            *t.edges[edge].layout.nails.get_mut(nail)? = point;
            Operation::Move { template, places: vec![Placed { item: Movable::Nail(edge, nail), at: point }] }
        }
        11 => {
            let edge = edge?;
            let nails = &mut t.edges[edge].layout.nails;
            match dice.below(3) {
                0 => nails.insert(dice.below(nails.len() + 1), dice.point()),
                1 if !nails.is_empty() => drop(nails.remove(dice.below(nails.len()))),
                _ => *nails = (0..dice.below(4)).map(|_| dice.point()).collect(),
            }
            Operation::Nails { template, edge, nails: nails.clone() }
        }
        12 => {
            let (edge, target) = (edge?, location?);
            t.edges[edge].ends[1] = Endpoint::Location(target as u32);
            Operation::Connect { template, edge, source: None, target: Some(Node::Location(target)) }
        }
        13 => {
            t.init = Some(location? as u32);
            Operation::Initial { template, location: location? }
        }
        14 => {
            let (location, on) = (location?, dice.below(2) == 0);
            let found = &mut t.locations[location];
            if dice.below(2) == 0 {
                found.urgent = on;
                Operation::Urgent { template, location, on }
            } else {
                found.committed = on;
                Operation::Committed { template, location, on }
            }
        }
        15 => {
            let edge = edge?;
            let color = if dice.below(2) == 0 { String::new() } else { "#a0C0ff".to_owned() };
            t.edges[edge].layout.color = Some(color.clone()).filter(|c| !c.is_empty());
            Operation::Color { template, items: vec![Item::Edge(edge)], color }
        }
        16 => {
            let location = location?;
            let label = dice.pick(&["invariant", "exponentialrate", "comments"])?;
            let text = dice.pick(&["", "2", "x", "3 && 4", "y < 2 || 5 > 4"])?;
            set_label(&mut t.locations[location].labels, label, text);
            if text.is_empty() {
                drop_label(&mut t.locations[location].layout, label);
            }
            let (kind, text) = ((*label).to_owned(), (*text).to_owned());
            Operation::Label { template, of: Item::Location(location), kind, text, at: None }
        }
        17 => {
            let edge = edge?;
            let (label, text) = *dice.pick(&[
                ("select", ""),
                ("select", "i1 : int[0, 3]"),
                ("guard", ""),
                ("guard", "x < 3 && y >= 2"),
                ("synchronisation", ""),
                ("synchronisation", "c[3]"),
                ("assignment", ""),
                ("assignment", "x = 3 & 4"),
                ("probability", "7"),
                ("comments", "<why> & when"),
                ("comments", "first\nsecond"),
            ])?;
            let found = &mut t.edges[edge];
            set_label(&mut found.labels, label, text);
            if text.is_empty() {
                drop_label(&mut found.layout, label);
            }
            let (kind, text) = (label.to_owned(), text.to_owned());
            Operation::Label { template, of: Item::Edge(edge), kind, text, at: None }
        }
        18 => Operation::DeleteTemplate { template },
        _ => {
            // A label's position needs the label.
            let edge = edge?;
            let label = t.edges[edge].layout.labels.first_mut()?;
            label.at = dice.point();
            let item = Movable::EdgeLabel(edge, label.kind.clone());
            Operation::Move { template, places: vec![Placed { item, at: label.at }] }
        }
    })
}
