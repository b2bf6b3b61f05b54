//! The ages in TAPAAL's files: invariants and intervals, for all colours or single ones, and
//! constants in them.

use super::{
    NetXmlReader, suggesting,
    symmetric::{ByColour, SortId, Sorts},
    tapaal::Common,
};
use crate::{diagnostic::Diagnostic, net::draft::WrittenInterval, source::Span};

impl NetXmlReader<'_, '_> {
    /// Reads what is said of single colours: limits on ages, or intervals of them.
    pub(super) fn by_colour(
        &mut self,
        element: usize,
        child: &str,
        others: Option<WrittenInterval>,
        sort: SortId,
        sorts: &Sorts,
        read: impl Fn(&mut Self, &str, Span) -> Option<WrittenInterval>,
    ) -> ByColour {
        let mut ages = ByColour::all(others);
        for own in self.document.children(element, child).collect::<Vec<usize>>() {
            let span = self.element(own).whole;
            let colour = self.colour_of(own, sort, sorts);
            let Some(inscription) = self.document.child(own, "inscription") else {
                self.error("xml", span, format!("<{child}> has no element <inscription>"));
                continue;
            };
            let Some(text) = self.required(inscription, "inscription") else { continue };
            let interval = read(self, text, self.element(inscription).value_span("inscription"));
            if let Some(colour) = colour
                && !ages.set(colour, interval)
            {
                let message = format!("a second <{child}> for the colour `{}`", sorts.shown(sort, colour));
                self.error("duplicate", span, message);
            }
        }
        ages
    }

    /// Reads the colour of a place that something is said of: `<color>` for each component.
    fn colour_of(&mut self, element: usize, sort: SortId, sorts: &Sorts) -> Option<u64> {
        let list = self.document.child(element, "colortype");
        let colours = list.into_iter().flat_map(|list| self.document.children(list, "color"));
        let colours: Vec<usize> = colours.collect();
        let components = sorts.components(sort);
        if colours.len() != components.len() {
            let (span, sort) = (self.element(list.unwrap_or(element)).whole, sorts.name(sort));
            let (needed, found) = (components.len(), colours.len());
            let message = format!("a colour of the sort {sort} needs {needed} <color>, and here are {found}");
            self.error("xml", span, message);
            return None;
        }
        let mut values = Vec::new();
        for (&colour, part) in colours.iter().zip(components) {
            let Some(value) = self.required(colour, "value") else { continue };
            if sorts.colour_of(part, &[value]).is_none() {
                let message = format!("`{}` is no colour of the sort {}", value.escape_debug(), sorts.name(part));
                let d = Diagnostic::error("unknown-name", self.element(colour).value_span("value"), message);
                let d = suggesting(d, value, sorts.colour_names(part));
                let d = match sorts.range(part) {
                    Some((low, high)) => d.help(format!("its colours are the integers from {low} to {high}")),
                    None => d,
                };
                self.problems.report(d);
                continue;
            }
            values.push(value);
        }
        sorts.colour_of(sort, &values)
    }

    /// Reads the limit on the ages of tokens, such as `<= 5`.
    pub(super) fn invariant(&mut self, text: &str, span: Span, common: &Common<'_>) -> Option<WrittenInterval> {
        let text = text.trim();
        let (bound, high_open) = match (text.strip_prefix("<="), text.strip_prefix('<')) {
            (Some(bound), _) => (bound.trim(), false),
            (None, Some(bound)) => (bound.trim(), true),
            (None, None) => {
                let message = format!("an invariant is `<= n` or `< n`, not `{}`", text.escape_debug());
                self.error("syntax", span, message);
                return None;
            }
        };
        if bound == "inf" {
            return None;
        }
        let high = Some(self.time(bound, span, common)?);
        Some(WrittenInterval { low: 0, low_open: false, high, high_open, span })
    }

    /// Reads a number of time units, or the name of a constant; `None` if it is wrong.
    fn time(&mut self, text: &str, span: Span, common: &Common<'_>) -> Option<u64> {
        self.constant_in(text, span, common).unwrap_or_else(|| self.bound(text, span))
    }

    /// Looks up the constant that a text names. `None`: it is a number, or what else there may be;
    /// a constant that is wrong has no value.
    pub(super) fn constant_in(&mut self, text: &str, span: Span, common: &Common<'_>) -> Option<Option<u64>> {
        let name = text.trim();
        let found = common.constants.get(name).copied();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.starts_with("Default,");
        if found.is_none() && is_name {
            let message = format!("no constant has the name `{}`", name.escape_debug());
            let d = Diagnostic::error("unknown-name", span, message);
            self.problems.report(suggesting(d, name, common.constants.keys().copied()));
            return Some(None);
        }
        found
    }

    /// Reads an interval of ages, such as `[0,5)`; without one every age is in it.
    pub(super) fn ages(&mut self, text: &str, span: Span, common: &Common<'_>) -> WrittenInterval {
        let any = WrittenInterval { low: 0, low_open: false, high: None, high_open: true, span };
        let text = text.trim();
        let low_open = text.starts_with('(');
        let high_open = text.ends_with(')');
        let inner = text.strip_prefix(['[', '(']).and_then(|text| text.strip_suffix([']', ')']));
        let Some((low, high)) = inner.and_then(|inner| inner.split_once(',')) else {
            let message = format!("an interval of ages is `[m,n]`, not `{}`", text.escape_debug());
            self.error("syntax", span, message);
            return any;
        };
        let low = self.time(low, span, common);
        let high = if high.trim() == "inf" { Some(None) } else { self.time(high, span, common).map(Some) };
        let (Some(low), Some(high)) = (low, high) else { return any };
        WrittenInterval { low, low_open, high, high_open: high_open || high.is_none(), span }
    }
}
