//! Clocks of elements: `DBMClock dbm.x, dbm.y[10];`, where `dbm` is of a class of the user.

use syntax::{
    Diagnostic,
    ast::{ExprId, ExprKind},
};

use super::{Lowerer, Result, place::MemoryPlace};
use crate::{symbols::SymbolId, types::TyKind};

/// The most clocks of an element. An operation on a zone of so many takes a second.
const MAX_ELEMENT_CLOCKS: u32 = 1000;

/// The clocks of a declaration.
#[derive(Clone, Debug)]
pub(super) struct ElementClocks {
    /// The number of the first one among all clocks of the element.
    first: u32,
    /// The dimensions, each with its first index and its length.
    dimensions: Vec<(i32, u32)>,
}

impl Lowerer<'_> {
    /// Names the members of a variable that is declared next.
    pub(super) fn name_members(&mut self, id: SymbolId) -> Result<()> {
        let members = self.checked.members.get(&id).cloned().unwrap_or_default();
        self.member_names = Vec::new();
        for member in members {
            let symbol = *self.checked.symbols.get(member);
            let text = self.tree.text(symbol.name);
            let mut names = vec![text.rsplit_once('.').map_or(text, |(_, clock)| clock).to_owned()];
            let (mut dimensions, mut ty) = (Vec::new(), symbol.ty);
            while let TyKind::Array(index, element) = *self.checked.types.kind(ty) {
                let (low, length) = self.indices(index)?;
                let room = i64::from(MAX_ELEMENT_CLOCKS) - self.member_names.len() as i64;
                if length.saturating_mul(names.len() as i64) > room {
                    return Err(self.too_many(symbol.span, "clocks of an element", MAX_ELEMENT_CLOCKS));
                }
                let each =
                    |name: &String| (0..length).map(|i| format!("{name}[{}]", i64::from(low) + i)).collect::<Vec<_>>();
                names = names.iter().flat_map(each).collect();
                dimensions.push((low, length.max(0) as u32));
                ty = element;
            }
            let first = self.member_names.len() as u32;
            self.s.element_clocks.insert(member, ElementClocks { first, dimensions });
            self.member_names.extend(names);
        }
        Ok(())
    }

    /// Returns the element of a clock and the clock's number there; `None`: the expression is no
    /// clock of an element.
    pub(super) fn element_clock(&mut self, e: ExprId) -> Result<Option<(MemoryPlace, u32)>> {
        let (mut root, mut indices) = (e, Vec::new());
        while let ExprKind::Index(of, index) = self.tree.kind(root) {
            indices.push(index);
            root = of;
        }
        let ExprKind::Member(of, _) = self.tree.kind(root) else { return Ok(None) };
        let (true, Some(id)) = (self.checked.has_clocks(self.checked.ty(of)), self.checked.name(root)) else {
            return Ok(None);
        };
        let Some(clocks) = self.s.element_clocks.get(&id).cloned() else { return Ok(None) };
        let mut number = 0;
        for (index, (low, length)) in indices.into_iter().rev().zip(clocks.dimensions) {
            let span = self.tree.span(index);
            let Some(known) = self.value(index)?.known else {
                let message = "which clock this is must be known when the model is loaded";
                let d = Diagnostic::error("index", span, message);
                return Err(self.report(d.help("parameters and selected values are possible as indices")));
            };
            let at = i64::from(known) - i64::from(low);
            if !(0..i64::from(length)).contains(&at) {
                let last = i64::from(low) + i64::from(length) - 1;
                let message = format!("index {known} is outside of {low} to {last}");
                return Err(self.report(Diagnostic::error("index", span, message)));
            }
            number = number * length + at as u32;
        }
        Ok(Some((self.place_of(of)?, clocks.first + number)))
    }
}
