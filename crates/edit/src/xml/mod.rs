//! Edits of UPPAAL's XML.

mod escape;
mod file;
mod graph;
mod outline;
mod query;
mod tag;
mod template;

use crate::{EditError, EditedText, Operation, Patch, Placed, Point, arrange, arrange::Arranged, rename};
pub(crate) use file::XmlFile;
pub(crate) use outline::outline;
pub(crate) use tag::Tag;

/// The elements of a model, in the order of UPPAAL's document type.
const MODEL: [&str; 8] =
    ["imports", "declaration", "template", "lsc", "lscTemplate", "instantiation", "system", "queries"];
/// The elements of a template.
const TEMPLATE: [&str; 7] = ["name", "parameter", "declaration", "location", "branchpoint", "init", "transition"];

/// Returns the patches that an operation makes.
pub(crate) fn patches(source: EditedText<'_>, operation: &Operation) -> Result<Vec<Patch>, EditError> {
    let mut file = XmlFile::read(source.text)?;
    match operation {
        Operation::AddLocation { template, at, name } => {
            let t = file.template(*template)?;
            if !name.is_empty() {
                rename::legal_location(source, *template, None, name)?;
            }
            file.settle(source, *template, &[])?;
            file.add_location(&t, *at, name)?;
        }
        Operation::AddBranchpoint { template, at } => {
            let t = file.template(*template)?;
            file.settle(source, *template, &[])?;
            file.add_branchpoint(&t, *at)?;
        }
        Operation::AddEdge { template, source, target, nails } => {
            let t = file.template(*template)?;
            file.add_edge(&t, [*source, *target], nails)?;
        }
        Operation::Delete { template, items } => {
            let t = file.template(*template)?;
            file.delete_items(&t, items)?;
        }
        Operation::Move { template, places } => file.settle(source, *template, places)?,
        Operation::Nails { template, edge, nails } => {
            let t = file.template(*template)?;
            file.set_nails(&t, *edge, nails)?;
        }
        Operation::Connect { template, edge, source, target } => {
            let t = file.template(*template)?;
            file.connect(&t, *edge, [*source, *target])?;
        }
        Operation::Initial { template, location } => {
            let t = file.template(*template)?;
            file.set_initial(&t, *location)?;
        }
        Operation::Urgent { template, location, on } => {
            let t = file.template(*template)?;
            file.set_flag(&t, *location, "urgent", *on)?;
        }
        Operation::Committed { template, location, on } => {
            let t = file.template(*template)?;
            file.set_flag(&t, *location, "committed", *on)?;
        }
        Operation::Color { template, items, color } => {
            let t = file.template(*template)?;
            file.set_color(&t, items, color)?;
        }
        Operation::Label { template, of, kind, text, at } => {
            let t = file.template(*template)?;
            file.set_label(&t, *of, kind, text, *at)?;
        }
        Operation::RenameLocation { template, location, name } => {
            let t = file.template(*template)?;
            rename::legal_location(source, *template, Some(*location), name)?;
            file.patches.extend(rename::location_uses(source, *template, *location, name)?);
            file.rename_location(&t, *location, name)?;
        }
        Operation::RenameTemplate { template, name } => {
            let t = file.template(*template)?;
            rename::legal_template(source, Some(*template), name)?;
            file.patches.extend(rename::template_uses(source, *template, name)?);
            file.rename_template(&t, name)?;
        }
        Operation::AddTemplate { name } => {
            rename::legal_template(source, None, name)?;
            file.add_template(name)?;
        }
        Operation::DeleteTemplate { template } => {
            let t = file.template(*template)?;
            file.delete(t.id);
        }
        Operation::Layout { template } => {
            let t = file.template(*template)?;
            let arranged = arrange::anew(source, *template)?;
            file.arrange(&t, &arranged, &[])?;
        }
        Operation::Text { path, text } => file.set_part(path, text)?,
        Operation::AddQuery { at, formula, comment } => file.add_query(*at, formula, comment)?,
        Operation::Query { query, formula, comment } => {
            file.change_query(*query, formula.as_deref(), comment.as_deref())?;
        }
        Operation::DeleteQuery { query } => file.delete_query(*query)?,
        Operation::AddPlace { .. } | Operation::AddTransition { .. } | Operation::RenameNode { .. } => {
            return Err(EditError::no_net());
        }
    }
    Ok(file.patches)
}

/// Refuses a text that is not a document, whatever edits made it.
pub(crate) fn check(text: &str) -> Result<(), EditError> {
    XmlFile::read(text).map(|_| ())
}

impl XmlFile<'_> {
    /// Sets positions. If the template has no layout yet, everything gets the position that it is
    /// drawn at: otherwise a single one would displace the rest.
    fn settle(&mut self, source: EditedText<'_>, template: usize, places: &[Placed]) -> Result<(), EditError> {
        let t = self.template(template)?;
        match arrange::missing(source, template)? {
            Some(arranged) => self.arrange(&t, &arranged, places),
            None => self.place(&t, places, false),
        }
    }

    /// Sets the positions that were computed, except for those that are given.
    fn arrange(&mut self, t: &graph::XmlTemplate, arranged: &Arranged, given: &[Placed]) -> Result<(), EditError> {
        for (edge, nails) in arranged.nails.iter().enumerate() {
            let mut nails: Vec<Point> = nails.clone();
            for placed in given {
                if let crate::Movable::Nail(of, nail) = placed.item
                    && of == edge
                {
                    *nails.get_mut(nail).ok_or_else(|| EditError::absent("nail", nail))? = placed.at;
                }
            }
            self.set_nails(t, edge, &nails)?;
        }
        let others = given.iter().filter(|placed| !matches!(placed.item, crate::Movable::Nail(..)));
        let places: Vec<Placed> = arranged.places.iter().chain(others).cloned().collect();
        self.place(t, &places, true)
    }
}
