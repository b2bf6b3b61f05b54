//! Sorts, constants, variables and partitions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::NetXmlReader;
use crate::{diagnostic::Diagnostic, grow, source::Span};

/// The greatest number of colours of a sort.
pub(super) const MAX_COLOURS: u64 = 1 << 20;

/// The greatest number of parts of a tuple.
const MAX_PARTS: usize = 64;

/// A sort. Products have no name of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::net::xml) struct SortId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Dot,
    /// Names in their order; the number tells equal enumerations apart.
    Enumeration(u32, Vec<String>),
    /// The integers between two bounds.
    Range(i64, i64),
    /// Tuples. A part is no product: a tuple in a tuple is one tuple.
    Product(Vec<SortId>),
}

/// A partition of a sort: its own sort has the parts as colours.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    pub of: SortId,
    pub parts: SortId,
    /// The part of each colour.
    pub part: Arc<Vec<u64>>,
}

/// All declarations.
#[derive(Debug, Default)]
pub(in crate::net::xml) struct Sorts {
    sorts: Vec<Sort>,
    index: FxHashMap<Sort, SortId>,
    named: FxHashMap<String, SortId>,
    /// Constants of enumerations and parts of partitions.
    pub(super) constants: FxHashMap<String, (SortId, u64)>,
    pub(super) partitions: FxHashMap<String, Partition>,
    pub(super) variables: Vec<(String, SortId)>,
    pub(super) variable_index: FxHashMap<String, u32>,
    /// Identifiers of declarations that could not be read, for which a reason was reported.
    pub(super) lost: FxHashSet<String>,
}

impl Sorts {
    /// Returns the number of a sort, which is added if it is new.
    pub(super) fn add(&mut self, sort: Sort) -> SortId {
        let next = SortId(self.sorts.len() as u32);
        let id = *self.index.entry(sort.clone()).or_insert(next);
        if id == next {
            self.sorts.push(sort);
        }
        id
    }

    pub(in crate::net::xml) fn dot(&mut self) -> SortId {
        self.add(Sort::Dot)
    }

    pub(super) fn truth(&mut self) -> SortId {
        self.add(Sort::Enumeration(u32::MAX, vec!["false".to_owned(), "true".to_owned()]))
    }

    pub(super) fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[id.0 as usize]
    }

    /// Returns the number of colours.
    pub(in crate::net::xml) fn size(&self, id: SortId) -> u64 {
        match self.sort(id) {
            Sort::Dot => 1,
            Sort::Enumeration(_, names) => names.len() as u64,
            Sort::Range(low, high) => (high - low + 1) as u64,
            Sort::Product(parts) => parts.iter().fold(1, |n: u64, part| n.saturating_mul(self.size(*part))),
        }
    }

    /// Returns a colour as it is shown.
    pub(in crate::net::xml) fn shown(&self, id: SortId, colour: u64) -> String {
        match self.sort(id) {
            Sort::Dot => "dot".to_owned(),
            Sort::Enumeration(_, names) => names.get(colour as usize).cloned().unwrap_or_default(),
            Sort::Range(low, _) => (low + colour as i64).to_string(),
            Sort::Product(parts) => {
                let values = self.parts(parts, colour);
                let values: Vec<String> =
                    parts.iter().zip(values).map(|(part, value)| self.shown(*part, value)).collect();
                values.join(",")
            }
        }
    }

    /// Returns the colour with these names, one for each component.
    pub(in crate::net::xml) fn colour_of(&self, id: SortId, names: &[&str]) -> Option<u64> {
        if let Sort::Product(parts) = self.sort(id) {
            let mut colour = (parts.len() == names.len()).then_some(0)?;
            for (part, name) in parts.iter().zip(names) {
                colour = colour * self.size(*part) + self.colour_of(*part, &[name])?;
            }
            return Some(colour);
        }
        let &[name] = names else { return None };
        match self.sort(id) {
            Sort::Range(low, high) => {
                let value = name.trim().parse::<i64>().ok().filter(|value| (*low..=*high).contains(value));
                value.map(|value| (value - low) as u64)
            }
            Sort::Enumeration(_, shown) => match self.constants.get(name) {
                Some((sort, colour)) if *sort == id => Some(*colour),
                _ => shown.iter().position(|other| other == name).map(|position| position as u64),
            },
            _ => (name == "dot").then_some(0),
        }
    }

    /// Returns the sorts of the components of a colour: one, unless it is a tuple.
    pub(in crate::net::xml) fn components(&self, id: SortId) -> Vec<SortId> {
        if let Sort::Product(parts) = self.sort(id) { parts.clone() } else { vec![id] }
    }

    /// Returns the names of the colours of a sort that is no product, as far as they are listed.
    pub(in crate::net::xml) fn colour_names(&self, id: SortId) -> Vec<&str> {
        match self.sort(id) {
            Sort::Dot => vec!["dot"],
            Sort::Enumeration(_, names) => {
                let ids = self.constants.iter().filter(|(_, (sort, _))| *sort == id).map(|(name, _)| name.as_str());
                names.iter().map(String::as_str).chain(ids).collect()
            }
            Sort::Range(..) | Sort::Product(_) => Vec::new(),
        }
    }

    /// Returns the bounds of a range.
    pub(in crate::net::xml) fn range(&self, id: SortId) -> Option<(i64, i64)> {
        if let Sort::Range(low, high) = self.sort(id) { Some((*low, *high)) } else { None }
    }

    /// Returns the parts of a tuple; the last one counts fastest.
    fn parts(&self, parts: &[SortId], mut colour: u64) -> Vec<u64> {
        let mut values = vec![0; parts.len()];
        for (value, part) in values.iter_mut().zip(parts).rev() {
            let size = self.size(*part).max(1);
            *value = colour % size;
            colour /= size;
        }
        values
    }

    /// Returns the name of a sort, for messages.
    pub(in crate::net::xml) fn name(&self, id: SortId) -> String {
        let named = self.named.iter().filter(|(_, known)| **known == id).map(|(name, _)| name).min();
        match (named, self.sort(id)) {
            (Some(name), _) => name.clone(),
            (None, Sort::Dot) => "dot".to_owned(),
            (None, Sort::Enumeration(..)) => {
                let mut partitions = self.partitions.iter().filter(|(_, partition)| partition.parts == id);
                partitions.next().map_or("an enumeration".to_owned(), |(name, _)| format!("the parts of {name}"))
            }
            (None, Sort::Range(low, high)) => format!("{low}..{high}"),
            (None, Sort::Product(parts)) => {
                parts.iter().map(|part| self.name(*part)).collect::<Vec<String>>().join(" × ")
            }
        }
    }
}

impl NetXmlReader<'_, '_> {
    /// Reads a list of declarations. Sorts may be declared after what uses them.
    pub(in crate::net::xml) fn declare(&mut self, list: usize, sorts: &mut Sorts) {
        let mut open: Vec<usize> = self.document.children(list, "namedsort").collect();
        loop {
            let before = open.len();
            let mut later = Vec::new();
            for sort in open {
                if self.problems.is_over() {
                    return;
                }
                if self.is_declared_later(sort, sorts) { later.push(sort) } else { self.named_sort(sort, sorts) }
            }
            open = later;
            if open.len() == before {
                break;
            }
        }
        // What is left refers to an unknown sort, or to itself.
        for sort in open {
            self.named_sort(sort, sorts);
        }
        for partition in self.document.children(list, "partition").collect::<Vec<usize>>() {
            self.partition(partition, sorts);
        }
        for variable in self.document.children(list, "variabledecl").collect::<Vec<usize>>() {
            let Some(id) = self.required(variable, "id") else { continue };
            let name = self.element(variable).attribute("name").unwrap_or(id);
            let Some(&inner) = self.element(variable).children.first() else {
                let span = self.element(variable).span;
                self.error("xml", span, format!("variable `{name}` has no sort"));
                sorts.lost.insert(id.to_owned());
                continue;
            };
            let Some(sort) = self.sort_in(inner, sorts) else {
                sorts.lost.insert(id.to_owned());
                continue;
            };
            let number = sorts.variables.len() as u32;
            sorts.variables.push((name.to_owned(), sort));
            if sorts.variable_index.insert(id.to_owned(), number).is_some() {
                let span = self.element(variable).span;
                self.error("duplicate", span, format!("the identifier `{id}` is used twice"));
            }
        }
        for other in self.element(list).children.clone() {
            let element = self.element(other);
            if !matches!(element.name.as_str(), "namedsort" | "partition" | "variabledecl") {
                let (span, name) = (element.span, element.name.clone());
                self.unsupported(span, &format!("declarations <{}> are", name.escape_debug()));
            }
        }
    }

    /// Returns whether a sort refers to one that is not known yet.
    fn is_declared_later(&self, sort: usize, sorts: &Sorts) -> bool {
        let mut open = vec![sort];
        while let Some(next) = open.pop() {
            let element = self.element(next);
            let target = element.attribute("declaration");
            if element.name == "usersort" && target.is_some_and(|id| !sorts.named.contains_key(id) && id != "dot") {
                return true;
            }
            open.extend(&element.children);
        }
        false
    }

    fn named_sort(&mut self, sort: usize, sorts: &mut Sorts) {
        let Some(id) = self.required(sort, "id") else { return };
        let span = self.element(sort).span;
        let Some(&inner) = self.element(sort).children.first() else {
            sorts.lost.insert(id.to_owned());
            return self.error("xml", span, format!("sort `{id}` has no definition"));
        };
        let Some(known) = self.sort_in(inner, sorts) else {
            sorts.lost.insert(id.to_owned());
            return;
        };
        if sorts.named.insert(id.to_owned(), known).is_some() {
            self.error("duplicate", span, format!("the identifier `{id}` is used twice"));
        }
    }

    /// Reads a sort.
    pub(in crate::net::xml) fn sort_in(&mut self, element: usize, sorts: &mut Sorts) -> Option<SortId> {
        grow(|| self.sort_here(element, sorts))
    }

    fn sort_here(&mut self, element: usize, sorts: &mut Sorts) -> Option<SortId> {
        let this = self.element(element);
        let span = this.whole;
        let sort = match this.name.as_str() {
            "dot" => Sort::Dot,
            "bool" => return Some(sorts.truth()),
            "usersort" => return self.user_sort(element, sorts),
            "cyclicenumeration" | "finiteenumeration" => return self.enumeration(element, "feconstant", sorts),
            "finiteintrange" => {
                let (low, high) = (self.bound_of(element, "start")?, self.bound_of(element, "end")?);
                if low > high {
                    self.error("constant", span, format!("the range from {low} to {high} is empty"));
                    return None;
                }
                Sort::Range(low, high)
            }
            "productsort" => {
                let parts: Option<Vec<SortId>> =
                    this.children.clone().into_iter().map(|part| self.sort_in(part, sorts)).collect();
                return self.product(&parts?, span, sorts);
            }
            other => {
                self.unsupported(span, &format!("sorts <{}> are", other.escape_debug()));
                return None;
            }
        };
        self.sized(sort, span, sorts)
    }

    /// Returns the sort of tuples.
    pub(super) fn product(&mut self, parts: &[SortId], span: Span, sorts: &mut Sorts) -> Option<SortId> {
        let mut flat = Vec::new();
        for part in parts {
            match sorts.sort(*part) {
                Sort::Product(inner) => flat.extend_from_slice(inner),
                _ => flat.push(*part),
            }
        }
        if flat.is_empty() || flat.len() > MAX_PARTS {
            let message = format!("a tuple can't have {} parts", flat.len());
            self.problems.report(
                Diagnostic::error("too-large", span, message).help(format!("it can have 1 to {MAX_PARTS} parts")),
            );
            return None;
        }
        if let [one] = flat[..] { Some(one) } else { self.sized(Sort::Product(flat), span, sorts) }
    }

    /// Adds a sort unless it has too many colours.
    fn sized(&mut self, sort: Sort, span: Span, sorts: &mut Sorts) -> Option<SortId> {
        let id = sorts.add(sort);
        let size = sorts.size(id);
        if size > MAX_COLOURS {
            let d = Diagnostic::error("too-large", span, format!("a sort with {size} colours is too large"));
            self.problems.report(d.help(format!("at most {MAX_COLOURS} are possible")));
            return None;
        }
        Some(id)
    }

    fn bound_of(&mut self, element: usize, name: &str) -> Option<i64> {
        let text = self.required(element, name)?;
        // Sizes of ranges stay far below 64 bits.
        let value = text.trim().parse::<i64>().ok().filter(|value| value.unsigned_abs() < 1 << 40);
        if value.is_none() {
            let span = self.element(element).value_span(name);
            self.error("syntax", span, format!("a bound must be an integer, not `{}`", text.escape_debug()));
        }
        value
    }

    fn user_sort(&mut self, element: usize, sorts: &mut Sorts) -> Option<SortId> {
        let id = self.required(element, "declaration")?;
        if let Some(known) = sorts.named.get(id) {
            return Some(*known);
        }
        match id {
            "dot" => Some(sorts.dot()),
            "bool" => Some(sorts.truth()),
            _ => {
                self.unknown((element, "declaration"), "sort", &sorts.lost, sorts.named.keys());
                None
            }
        }
    }

    /// Reads an enumeration, or the parts of a partition, as a sort of its own.
    fn enumeration(&mut self, element: usize, child: &str, sorts: &mut Sorts) -> Option<SortId> {
        let members: Vec<usize> = self.document.children(element, child).collect();
        let ids: Option<Vec<&str>> = members.iter().map(|&member| self.required(member, "id")).collect();
        let ids = ids?;
        if members.is_empty() {
            let span = self.element(element).whole;
            self.error("constant", span, "an enumeration must have a constant");
            return None;
        }
        let names: Vec<&str> = members.iter().map(|&m| self.element(m).attribute("name").unwrap_or("")).collect();
        let mut unique: Vec<&str> = names.clone();
        unique.sort_unstable();
        unique.dedup();
        let are_good = unique.len() == names.len() && !names.contains(&"");
        let names = if are_good { names } else { ids.clone() };
        let names = names.into_iter().map(str::to_owned).collect();
        let sort = sorts.add(Sort::Enumeration(element as u32, names));
        for ((position, id), member) in ids.into_iter().enumerate().zip(members) {
            if sorts.constants.insert(id.to_owned(), (sort, position as u64)).is_some() {
                let span = self.element(member).span;
                self.error("duplicate", span, format!("the identifier `{id}` is used twice"));
            }
        }
        Some(sort)
    }

    fn partition(&mut self, element: usize, sorts: &mut Sorts) {
        let Some(id) = self.required(element, "id") else { return };
        // Until it is complete.
        sorts.lost.insert(id.to_owned());
        let Some(&first) = self.element(element).children.first() else {
            let span = self.element(element).span;
            return self.error("xml", span, "a partition must have a sort");
        };
        let Some(of) = self.sort_in(first, sorts) else { return };
        let Some(parts) = self.enumeration(element, "partitionelement", sorts) else { return };
        let mut part = vec![None; sorts.size(of) as usize];
        let elements: Vec<usize> = self.document.children(element, "partitionelement").collect();
        for (number, member) in elements.into_iter().enumerate() {
            for constant in self.element(member).children.clone() {
                let Some(term) = self.term_in(constant, sorts) else { continue };
                let span = self.element(constant).whole;
                match term.known() {
                    Some((sort, colour)) if sort == of => {
                        if part[colour as usize].replace(number as u64).is_some() {
                            let shown = sorts.shown(of, colour);
                            self.error("duplicate", span, format!("`{shown}` is in two parts of the partition"));
                        }
                    }
                    _ => self.error("syntax", span, "a part of a partition has constants of its sort"),
                }
            }
        }
        if let Some(colour) = part.iter().position(Option::is_none) {
            let (shown, span) = (sorts.shown(of, colour as u64), self.element(element).span);
            return self.error("constant", span, format!("`{shown}` is in no part of the partition"));
        }
        let part = Arc::new(part.into_iter().flatten().collect());
        sorts.lost.remove(id);
        sorts.partitions.insert(id.to_owned(), Partition { of, parts, part });
    }
}
