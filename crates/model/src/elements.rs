//! Elements of lattices in rows, for reports.

use std::sync::Arc;

use crate::{
    System,
    system::{LatticeOrder, LatticeVariable, Shape},
};

impl System {
    /// Returns the lattice variable that a slot of the row belongs to.
    #[must_use]
    pub fn element_at(&self, slot: u32) -> Option<&LatticeVariable> {
        let after = self.lattices.partition_point(|v| v.first <= slot);
        self.lattices[..after].last().filter(|v| slot < v.first + v.width)
    }

    /// Renders the element of a variable in a row.
    #[must_use]
    pub fn show(&self, variable: &LatticeVariable, row: &[i32]) -> String {
        let element = &row[variable.first as usize..(variable.first + variable.width) as usize];
        match variable.order {
            LatticeOrder::Library(number) => {
                let text = self.library[number as usize].0.show(element);
                with_names(&text, &variable.members)
            }
            LatticeOrder::Model(_) => {
                let mut text = String::new();
                match self.shape_at(variable) {
                    Some(shape) => show_value(&shape, &mut element.iter(), &mut text),
                    None => text = format!("{element:?}"),
                }
                text
            }
        }
    }

    /// Returns the shape of an element that the model defines.
    fn shape_at(&self, variable: &LatticeVariable) -> Option<Arc<Shape>> {
        let after = self.variables.partition_point(|v| v.first <= variable.first);
        let whole = self.variables[..after].last()?;
        let (mut at, mut shape) = (variable.first - whole.first, whole.shape.clone());
        while at > 0 || shape.size().ints > variable.width || matches!(*shape, Shape::Array { .. }) {
            let inner = match &*shape {
                Shape::Array { element, .. } => {
                    at %= element.size().ints.max(1);
                    element.clone()
                }
                Shape::Struct { fields, .. } => {
                    let mut fields = fields.iter();
                    loop {
                        let (_, field) = fields.next()?;
                        if at < field.size().ints {
                            break field.clone();
                        }
                        at -= field.size().ints;
                    }
                }
                _ => return None,
            };
            shape = inner;
        }
        Some(shape)
    }
}

/// Renders a value with the names of its fields: `{low: 1, high: 4}`.
fn show_value(shape: &Shape, numbers: &mut std::slice::Iter<'_, i32>, out: &mut String) {
    let mut list = |parts: &mut dyn Iterator<Item = (Option<&str>, &Shape)>| {
        out.push('{');
        for (i, (name, part)) in parts.enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            if let Some(name) = name {
                out.push_str(name);
                out.push_str(": ");
            }
            show_value(part, numbers, out);
        }
        out.push('}');
    };
    match shape {
        Shape::Struct { fields, .. } => list(&mut fields.iter().map(|(name, field)| (Some(&**name), &**field))),
        Shape::Array { length, element, .. } => list(&mut (0..*length).map(|_| (None, &**element))),
        _ => out.push_str(&numbers.next().copied().unwrap_or(0).to_string()),
    }
}

/// Replaces the members `m0`, `m1` and so on in a text by their names.
fn with_names(text: &str, names: &[String]) -> String {
    let mut out = String::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        let number = word.strip_prefix('m').and_then(|digits| digits.parse::<usize>().ok());
        out.push_str(before);
        out.push_str(number.and_then(|i| names.get(i)).map_or(word, String::as_str));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_names() {
        let names = ["i".to_owned(), "P.j".to_owned()];
        assert_eq!(with_names("m0: 3, m1-m0: [0, 2], m10 am1", &names), "i: 3, P.j-i: [0, 2], m10 am1");
        assert_eq!(with_names("", &names), "");
    }
}
