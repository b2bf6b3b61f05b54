//! Edits of Petri nets: places, transitions and arcs, in the formats that nets are written in.
//!
//! A net is edited as it is written, not as it is meant: one with colours has the places of the
//! file, before it is unfolded, and each component of a file is a drawing of its own.

mod check;
mod drawing;
mod interval;
mod ndr;
mod places;
mod tina;
mod xml;

use std::ops::Range;

use syntax::Format;

use crate::{EditError, EditedText, Item, Node, Operation, Patch, Point, drawing::NetAbilities};
pub(crate) use check::check;
pub(crate) use drawing::drawings;

/// A component of a net as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// Its name; empty if it has none.
    pub name: String,
    pub places: Vec<NetNode>,
    pub transitions: Vec<NetNode>,
    pub arcs: Vec<NetArc>,
    pub abilities: NetAbilities,
}

const STOPWATCHES: &[&str] = &["normal", "test", "inhibitor", "stopwatch", "stopwatch-inhibitor"];

/// What TINA's textual format can express.
const TINA: NetAbilities = NetAbilities {
    positions: false,
    place: &["marking", "delay"],
    transition: &["interval"],
    arc: &["weight"],
    kinds: STOPWATCHES,
};
/// What TINA's graphical format can express.
const NDR: NetAbilities = NetAbilities { positions: true, place: &["marking"], ..TINA };
/// What PNML can express, with the elements of merkhet.
const PNML: NetAbilities = NetAbilities { positions: true, ..TINA };
/// What Romeo's files can express.
const ROMEO: NetAbilities = NetAbilities { kinds: &["normal", "test", "inhibitor"], ..NDR };
/// What TAPAAL's files can express.
const TAPAAL: NetAbilities = NetAbilities {
    positions: true,
    place: &["marking", "invariant"],
    transition: &["urgent"],
    arc: &["weight", "ages"],
    kinds: &["normal", "inhibitor"],
};

/// A place or a transition as it is written.
#[derive(Clone, Debug)]
pub(crate) struct NetNode {
    pub name: String,
    /// `marking`, `delay` and `invariant` of places, `interval` and `urgent` of transitions.
    pub labels: Vec<(&'static str, String)>,
    pub at: Option<Point>,
    /// Where it is in the file.
    pub range: Range<usize>,
}

/// An arc as it is written.
#[derive(Clone, Debug)]
pub(crate) struct NetArc {
    pub source: Node,
    pub target: Node,
    /// `weight`, unless it is 1, and `ages`.
    pub labels: Vec<(&'static str, String)>,
    pub kind: ArcKind,
    pub range: Range<usize>,
}

/// The kinds of arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArcKind {
    Normal,
    Test,
    Inhibitor,
    Stopwatch,
    StopwatchInhibitor,
    /// Half of an arc that moves tokens with their ages.
    Transport,
}

impl ArcKind {
    const ALL: [(&'static str, ArcKind); 6] = [
        ("normal", ArcKind::Normal),
        ("test", ArcKind::Test),
        ("inhibitor", ArcKind::Inhibitor),
        ("stopwatch", ArcKind::Stopwatch),
        ("stopwatch-inhibitor", ArcKind::StopwatchInhibitor),
        ("transport", ArcKind::Transport),
    ];

    /// Returns its name in operations and in drawings.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    fn of(name: &str) -> Result<ArcKind, EditError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            EditError::new(format!("there are no arcs of the kind `{name}`")).help(format!("the kinds are {}", names()))
        })
    }
}

impl Sheet {
    /// Returns a place or a transition.
    fn node(&self, node: Node) -> Result<&NetNode, EditError> {
        match node {
            Node::Place(i) => self.places.get(i).ok_or_else(|| EditError::absent("place", i)),
            Node::Transition(i) => self.transitions.get(i).ok_or_else(|| EditError::absent("transition", i)),
            Node::Location(_) | Node::Branchpoint(_) => Err(no_automaton()),
        }
    }

    fn arc(&self, i: usize) -> Result<&NetArc, EditError> {
        self.arcs.get(i).ok_or_else(|| EditError::absent("arc", i))
    }

    /// Returns the ends of a new arc if it connects a place and a transition.
    fn joined(&self, source: Node, target: Node) -> Result<(), EditError> {
        self.node(source)?;
        self.node(target)?;
        match (source, target) {
            (Node::Place(_), Node::Transition(_)) | (Node::Transition(_), Node::Place(_)) => Ok(()),
            _ => {
                Err(EditError::new("an arc connects a place and a transition")
                    .help("end it at a node of the other kind"))
            }
        }
    }

    /// Refuses a name that a node can't have.
    fn legal(&self, own: Option<Node>, name: &str) -> Result<(), EditError> {
        if name.trim() != name || name.is_empty() || name.chars().any(char::is_control) {
            return Err(EditError::new(format!("`{}` is not a name", name.escape_debug()))
                .help("a name has no blanks at its ends, and no line breaks"));
        }
        let is_own = |node: Node| own == Some(node);
        let places = self.places.iter().enumerate().map(|(i, p)| (Node::Place(i), p));
        let mut all = places.chain(self.transitions.iter().enumerate().map(|(i, t)| (Node::Transition(i), t)));
        if all.any(|(node, known)| !is_own(node) && known.name == name) {
            return Err(
                EditError::new(format!("the net has something called `{name}` already")).help("choose another name")
            );
        }
        Ok(())
    }

    /// Returns a name that no node has: a letter and a number.
    fn fresh_name(&self, letter: char) -> String {
        let is_used = |name: &str| self.places.iter().chain(&self.transitions).any(|node| node.name == name);
        let first = if letter == 'p' { self.places.len() } else { self.transitions.len() };
        (first..).map(|n| format!("{letter}{n}")).find(|name| !is_used(name)).unwrap_or_default()
    }

    /// Returns the text of a label; empty if there is none.
    fn label<'n>(labels: &'n [(&'static str, String)], kind: &str) -> &'n str {
        labels.iter().find(|(known, _)| *known == kind).map_or("", |(_, text)| text)
    }
}

/// Returns the components of a net.
pub(crate) fn sheets(source: EditedText<'_>) -> Result<Vec<Sheet>, EditError> {
    match source.format {
        Format::Ndr => Ok(vec![ndr::NdrFile::read(source.text)?.sheet()]),
        Format::NetXml => xml::NetFile::read(source.text)?.sheets(),
        _ => Ok(vec![tina::TinaFile::read(source.text)?.sheet()]),
    }
}

/// What the formats do: each makes patches of its text.
pub(crate) trait NetEdit {
    /// Adds a place or a transition.
    fn add(&mut self, is_place: bool, at: Point, name: &str) -> Result<(), EditError>;
    /// Adds an arc, whose ends are a place and a transition.
    fn connect(&mut self, source: Node, target: Node) -> Result<(), EditError>;
    /// Changes the ends of an arc.
    fn reconnect(&mut self, arc: usize, source: Node, target: Node) -> Result<(), EditError>;
    /// Deletes nodes and arcs; the arcs of the nodes are among these.
    fn delete(&mut self, nodes: &[Node], arcs: &[usize]) -> Result<(), EditError>;
    /// Sets the position of a node.
    fn place(&mut self, node: Node, at: Point) -> Result<(), EditError>;
    /// Renames a node, which has another name now.
    fn rename(&mut self, node: Node, name: &str) -> Result<(), EditError>;
    /// Sets the label of a node; an empty text deletes it.
    fn set_node(&mut self, node: Node, kind: &str, text: &str) -> Result<(), EditError>;
    /// Sets the label of an arc; an empty text is what an arc has without it.
    fn set_arc(&mut self, arc: usize, kind: &str, text: &str) -> Result<(), EditError>;
    /// Returns the patches.
    fn patches(self: Box<Self>) -> Vec<Patch>;
}

/// Returns the patches that an operation makes.
pub(crate) fn patches(source: EditedText<'_>, operation: &Operation) -> Result<Vec<Patch>, EditError> {
    let number = operation.template().ok_or_else(no_automaton)?;
    let sheet = sheets(source)?.into_iter().nth(number).ok_or_else(|| EditError::absent("net", number))?;
    let mut edit: Box<dyn NetEdit + '_> = match source.format {
        Format::Ndr => Box::new(ndr::NdrFile::read(source.text)?),
        Format::NetXml => Box::new(xml::NetFile::read(source.text)?.component(number)?),
        _ => Box::new(tina::TinaFile::read(source.text)?),
    };
    match operation {
        Operation::AddPlace { at, name, .. } | Operation::AddTransition { at, name, .. } => {
            let is_place = matches!(operation, Operation::AddPlace { .. });
            let name = match &**name {
                "" => sheet.fresh_name(if is_place { 'p' } else { 't' }),
                name => name.to_owned(),
            };
            sheet.legal(None, &name)?;
            if source.format != Format::Net {
                places::settle(&sheet, &mut *edit, &[])?;
            }
            edit.add(is_place, *at, &name)?;
        }
        Operation::AddEdge { source, target, .. } => {
            sheet.joined(*source, *target)?;
            let is_same = |arc: &NetArc| (arc.source, arc.target, arc.kind) == (*source, *target, ArcKind::Normal);
            if sheet.arcs.iter().any(is_same) {
                return Err(EditError::new("there is such an arc already").help("change its weight instead"));
            }
            edit.connect(*source, *target)?;
        }
        Operation::Connect { edge, source, target, .. } => {
            let arc = sheet.arc(*edge)?;
            let (source, target) = (source.unwrap_or(arc.source), target.unwrap_or(arc.target));
            sheet.joined(source, target)?;
            if arc.kind != ArcKind::Normal && matches!(source, Node::Transition(_)) {
                return Err(EditError::new("an arc to a place is a normal one").help("change its kind first"));
            }
            edit.reconnect(*edge, source, target)?;
        }
        Operation::Delete { items, .. } => {
            let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
            for item in items {
                match *item {
                    Item::Edge(i) => {
                        sheet.arc(i)?;
                        arcs.push(i);
                    }
                    item => {
                        let node = item.node().ok_or_else(no_automaton)?;
                        sheet.node(node)?;
                        nodes.push(node);
                    }
                }
            }
            let is_gone = |node: &Node| nodes.contains(node);
            let lost = sheet.arcs.iter().enumerate();
            arcs.extend(lost.filter(|(_, arc)| is_gone(&arc.source) || is_gone(&arc.target)).map(|(i, _)| i));
            arcs.sort_unstable();
            arcs.dedup();
            nodes.sort_unstable();
            nodes.dedup();
            edit.delete(&nodes, &arcs)?;
        }
        Operation::Move { places, .. } => places::settle(&sheet, &mut *edit, places)?,
        Operation::Layout { .. } => places::anew(&sheet, &mut *edit)?,
        Operation::RenameNode { node, name, .. } => {
            if sheet.node(*node)?.name != *name {
                sheet.legal(Some(*node), name)?;
                edit.rename(*node, name)?;
            }
        }
        Operation::Label { of, kind, text, .. } => {
            let text = text.trim();
            match (*of, &**kind) {
                (Item::Edge(i), kind) => {
                    let arc = sheet.arc(i)?;
                    if kind == "kind"
                        && ArcKind::of(text)? != ArcKind::Normal
                        && matches!(arc.source, Node::Transition(_))
                    {
                        return Err(EditError::new("an arc to a place is a normal one")
                            .help("the other kinds lead from places to transitions"));
                    }
                    edit.set_arc(i, kind, text)?;
                }
                (item, kind) => {
                    let node = item.node().ok_or_else(no_automaton)?;
                    sheet.node(node)?;
                    let kinds = if matches!(node, Node::Place(_)) { PLACE_LABELS } else { TRANSITION_LABELS };
                    if !kinds.contains(&kind) {
                        return Err(unknown_label(kind));
                    }
                    edit.set_node(node, kind, text)?;
                }
            }
        }
        Operation::Nails { .. } => {
            return Err(EditError::new("arcs of nets are drawn straight").help("move the places and transitions"));
        }
        Operation::AddQuery { .. } | Operation::Query { .. } | Operation::DeleteQuery { .. } => {
            return Err(EditError::new("the queries of this format are text").help("edit the text"));
        }
        _ => return Err(no_automaton()),
    }
    Ok(edit.patches())
}

const PLACE_LABELS: &[&str] = &["marking", "delay", "invariant"];
const TRANSITION_LABELS: &[&str] = &["interval", "urgent"];

fn unknown_label(kind: &str) -> EditError {
    EditError::new(format!("there are no labels of the kind `{kind}` there"))
        .help("places have `marking`, `delay` or `invariant`, transitions `interval` or `urgent`, arcs `weight`, `ages` and `kind`")
}

/// The refusal of a label that a format can't express.
fn inexpressible(what: &str, format: &str) -> EditError {
    EditError::new(format!("{what} can't be written in {format}")).help("convert the net to another format first")
}

fn no_automaton() -> EditError {
    EditError::new("a net has places, transitions and arcs, and nothing else to edit").help("edit the text")
}

/// Returns a natural number that is written as a label; an empty one is the default.
fn natural(text: &str, default: u64, what: &str) -> Result<u64, EditError> {
    if text.is_empty() {
        return Ok(default);
    }
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        EditError::new(format!("{what} is a natural number, not `{text}`"))
    })
}

/// Returns the weight that is written as a label.
fn weight(text: &str) -> Result<u64, EditError> {
    match natural(text, 1, "the weight of an arc")? {
        0 => Err(EditError::new("the weight of an arc is at least 1").help("delete the arc instead")),
        weight => Ok(weight),
    }
}

/// Returns the end of lines that a text has.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the start of the text after a position on the same line, without the line break.
fn end_of_line(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let end = at + rest.find('\n').unwrap_or(rest.len());
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// Returns the patch that adds lines after the line of a position; at the end of the text, after
/// what is there.
fn add_lines(text: &str, after: Option<usize>, lines: &[String]) -> Patch {
    let end = line_end(text);
    match after {
        Some(after) => {
            Patch::insert(end_of_line(text, after), lines.iter().map(|l| format!("{end}{l}")).collect::<String>())
        }
        None => {
            let before = if text.is_empty() || text.ends_with('\n') { "" } else { end };
            let lines: String = lines.iter().map(|line| format!("{line}{end}")).collect();
            Patch::insert(text.len(), format!("{before}{lines}"))
        }
    }
}
