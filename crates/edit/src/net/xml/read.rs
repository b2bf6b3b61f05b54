//! The elements of nets in XML.

use std::collections::{BTreeMap, BTreeSet};

use super::{Component, Dialect, NetFile};
use crate::{
    EditError, Node, Point,
    net::{self, ArcKind, NetArc, NetNode, Sheet, interval::Bounds},
    xml::XmlFile,
};

/// A place or a transition.
#[derive(Clone, Debug)]
pub(super) struct XmlNode {
    pub element: usize,
    pub id: String,
    pub name: String,
    /// Whether it has the name of its own; else its name is its identifier.
    pub is_named: bool,
    /// Elements that stand for it on other pages.
    pub references: Vec<usize>,
}

/// An arc.
#[derive(Clone, Debug)]
pub(super) struct XmlArc {
    /// Its element; both of a transport arc in two elements.
    pub elements: Vec<usize>,
    pub source: Node,
    pub target: Node,
    pub kind: ArcKind,
}

impl<'a> NetFile<'a> {
    pub(in crate::net) fn read(text: &'a str) -> Result<NetFile<'a>, EditError> {
        let file = XmlFile::parse(text)?;
        let root = if file.len() > 0 { file.element(0).name.clone() } else { String::new() };
        let dialect = match &*root {
            "TPN" => Dialect::Romeo,
            "pnml" if is_tapaal(&file) => Dialect::Tapaal,
            "pnml" => Dialect::Pnml,
            _ => return Err(EditError::new("the file is not a net")),
        };
        let nets: Vec<usize> = match dialect {
            Dialect::Romeo => vec![0],
            Dialect::Pnml => file.children(0, "net").into_iter().take(1).collect(),
            Dialect::Tapaal => {
                let is_active = |net: &usize| file.element(*net).attribute("active") != Some("false");
                file.children(0, "net").into_iter().filter(is_active).collect()
            }
        };
        let components = nets.into_iter().map(|net| component(&file, dialect, net)).collect();
        Ok(NetFile { file, dialect, components })
    }

    pub(super) fn sheet(&self, component: &Component) -> Sheet {
        let reader = LabelReader { file: &self.file, dialect: self.dialect };
        let node = |node: &XmlNode, labels| {
            let whole = self.file.element(node.element).whole;
            let range = whole.start as usize..whole.end as usize;
            NetNode { name: node.name.clone(), labels, at: reader.position(node.element), range }
        };
        let arc = |arc: &XmlArc| {
            let whole = self.file.element(arc.elements[0]).whole;
            let range = whole.start as usize..whole.end as usize;
            NetArc { source: arc.source, target: arc.target, labels: reader.arc(arc), kind: arc.kind, range }
        };
        Sheet {
            name: component.name.clone(),
            places: component.places.iter().map(|p| node(p, reader.place(p.element))).collect(),
            transitions: component.transitions.iter().map(|t| node(t, reader.transition(t.element))).collect(),
            arcs: component.arcs.iter().map(arc).collect(),
            abilities: match self.dialect {
                Dialect::Pnml => net::PNML,
                Dialect::Romeo => net::ROMEO,
                Dialect::Tapaal => net::TAPAAL,
            },
        }
    }
}

/// Returns whether markings are attributes of places, as in TAPAAL's files.
fn is_tapaal(file: &XmlFile<'_>) -> bool {
    let has = |net: &usize| {
        let places = file.children(*net, "place");
        places.iter().any(|&place| file.element(place).attribute("initialMarking").is_some())
    };
    file.children(0, "net").iter().any(has) || file.child(0, "shared-place").is_some()
}

fn component(file: &XmlFile<'_>, dialect: Dialect, net: usize) -> Component {
    let all = |kind: &str| match dialect {
        Dialect::Pnml => on_pages(file, net, kind),
        _ => file.children(net, kind),
    };
    let places = nodes(file, dialect, &all("place"));
    let transitions = nodes(file, dialect, &all("transition"));
    let mut component = Component { id: net, name: String::new(), places, transitions, arcs: Vec::new() };
    if dialect == Dialect::Tapaal {
        file.element(net).attribute("id").unwrap_or_default().clone_into(&mut component.name);
    }
    let mut ids: BTreeMap<String, Node> = BTreeMap::new();
    // Romeo numbers places and transitions independently.
    let key = |kind: &str, id: &str| if dialect == Dialect::Romeo { format!("{kind} {id}") } else { id.to_owned() };
    for (i, place) in component.places.iter().enumerate() {
        ids.entry(key("place", &place.id)).or_insert(Node::Place(i));
    }
    for (i, transition) in component.transitions.iter().enumerate() {
        ids.entry(key("transition", &transition.id)).or_insert(Node::Transition(i));
    }
    if dialect == Dialect::Pnml {
        references(file, net, &mut component, &mut ids);
    }
    component.arcs = match dialect {
        Dialect::Romeo => all("arc").into_iter().filter_map(|arc| romeo_arc(file, arc, &ids)).collect(),
        Dialect::Pnml => all("arc").into_iter().filter_map(|arc| pnml_arc(file, arc, &ids)).collect(),
        Dialect::Tapaal => tapaal_arcs(file, net, &ids),
    };
    component
}

/// Returns the elements of that name on the pages of a net, in the order of the file.
fn on_pages(file: &XmlFile<'_>, net: usize, kind: &str) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![net]);
    while let Some(page) = open.pop() {
        found.extend(file.children(page, kind));
        open.extend(file.children(page, "page"));
    }
    found.sort_unstable();
    found
}

/// Names nodes as the reader does: by their names if each has one of its own, else by identifiers.
fn nodes(file: &XmlFile<'_>, dialect: Dialect, elements: &[usize]) -> Vec<XmlNode> {
    let name = |e: usize| match dialect {
        Dialect::Pnml => file.child(e, "name").map(|name| {
            let inner = file.child(name, "text").unwrap_or(name);
            file.content(inner).trim().to_owned()
        }),
        Dialect::Romeo => {
            let element = file.element(e);
            element.attribute("label").or(element.attribute("identifier")).map(|name| name.trim().to_owned())
        }
        Dialect::Tapaal => file.element(e).attribute("name").map(str::to_owned),
    };
    let known: Vec<(usize, &str)> =
        elements.iter().filter_map(|&e| Some((e, file.element(e).attribute("id")?))).collect();
    let names: Vec<Option<String>> = known.iter().map(|&(e, _)| name(e)).collect();
    let distinct: BTreeSet<&String> = names.iter().flatten().filter(|name| !name.is_empty()).collect();
    let has_names = distinct.len() == names.len();
    let node = |(&(element, id), name): (&(usize, &str), Option<String>)| XmlNode {
        element,
        id: id.to_owned(),
        is_named: has_names,
        name: name.filter(|_| has_names).unwrap_or_else(|| id.to_owned()),
        references: Vec::new(),
    };
    known.iter().zip(names.clone()).map(node).collect()
}

/// Resolves references: places or transitions that stand for one on another page.
fn references(file: &XmlFile<'_>, net: usize, component: &mut Component, ids: &mut BTreeMap<String, Node>) {
    let mut open = on_pages(file, net, "referencePlace");
    open.extend(on_pages(file, net, "referenceTransition"));
    loop {
        let before = open.len();
        open.retain(|&e| {
            let element = file.element(e);
            let (Some(id), Some(target)) = (element.attribute("id"), element.attribute("ref")) else { return true };
            let Some(&node) = ids.get(target) else { return true };
            ids.entry(id.to_owned()).or_insert(node);
            match node {
                Node::Place(i) => component.places[i].references.push(e),
                Node::Transition(i) => component.transitions[i].references.push(e),
                Node::Location(_) | Node::Branchpoint(_) => {}
            }
            false
        });
        if open.len() == before {
            return;
        }
    }
}

/// Returns the nodes that two attributes name, if they are of different kinds.
fn ends(file: &XmlFile<'_>, arc: usize, ids: &BTreeMap<String, Node>) -> Option<(Node, Node)> {
    let end = |name: &str| ids.get(file.element(arc).attribute(name)?).copied();
    let (source, target) = (end("source")?, end("target")?);
    (matches!(source, Node::Place(_)) != matches!(target, Node::Place(_))).then_some((source, target))
}

/// The names of arcs' kinds in PNML.
pub(super) const PNML_KINDS: [(&str, ArcKind); 9] = [
    ("", ArcKind::Normal),
    ("normal", ArcKind::Normal),
    ("PT", ArcKind::Normal),
    ("TP", ArcKind::Normal),
    ("inhibitor", ArcKind::Inhibitor),
    ("test", ArcKind::Test),
    ("read", ArcKind::Test),
    ("stopwatch", ArcKind::Stopwatch),
    ("stopwatch-inhibitor", ArcKind::StopwatchInhibitor),
];

fn pnml_arc(file: &XmlFile<'_>, arc: usize, ids: &BTreeMap<String, Node>) -> Option<XmlArc> {
    let (source, target) = ends(file, arc, ids)?;
    let child = file.child(arc, "type").map(|ty| match file.element(ty).attribute("value") {
        Some(value) => value,
        None => file.content(ty).trim(),
    });
    let written = || {
        let child = file.child(arc, "arctype")?;
        Some(file.content(file.child(child, "text").unwrap_or(child)).trim())
    };
    let ty = child.or_else(written).or(file.element(arc).attribute("type")).unwrap_or("");
    let kind = PNML_KINDS.iter().find(|(name, _)| *name == ty)?.1;
    Some(XmlArc { elements: vec![arc], source, target, kind })
}

fn romeo_arc(file: &XmlFile<'_>, arc: usize, ids: &BTreeMap<String, Node>) -> Option<XmlArc> {
    let end = |kind: &str| ids.get(&format!("{kind} {}", file.element(arc).attribute(kind)?)).copied();
    let (place, transition) = (end("place")?, end("transition")?);
    let (kind, puts) = match file.element(arc).attribute("type")? {
        "PlaceTransition" => (ArcKind::Normal, false),
        "TransitionPlace" => (ArcKind::Normal, true),
        "read" => (ArcKind::Test, false),
        "logicalInhibitor" => (ArcKind::Inhibitor, false),
        _ => return None,
    };
    let (source, target) = if puts { (transition, place) } else { (place, transition) };
    Some(XmlArc { elements: vec![arc], source, target, kind })
}

fn tapaal_arcs(file: &XmlFile<'_>, net: usize, ids: &BTreeMap<String, Node>) -> Vec<XmlArc> {
    let mut arcs: Vec<XmlArc> = Vec::new();
    let mut halves: Vec<(usize, (Node, String), usize)> = Vec::new();
    for &arc in &file.element(net).children {
        let element = file.element(arc);
        let kind = match (&*element.name, element.attribute("type").unwrap_or("normal")) {
            ("arc", "normal" | "timed") | ("inputArc" | "outputArc", _) => ArcKind::Normal,
            ("arc", "tapnInhibitor" | "inhibitor") | ("inhibitorArc", _) => ArcKind::Inhibitor,
            ("arc", "transport") | ("transportArc", _) => ArcKind::Transport,
            _ => continue,
        };
        if element.name == "transportArc" {
            let end = |name: &str| ids.get(element.attribute(name)?).copied();
            let (Some(source), Some(t), Some(target)) = (end("source"), end("transition"), end("target")) else {
                continue;
            };
            for (source, target) in [(source, t), (t, target)] {
                arcs.push(XmlArc { elements: vec![arc], source, target, kind });
            }
            continue;
        }
        let Some((source, target)) = ends(file, arc, ids) else { continue };
        // In untimed files, arcs to places have the type of inhibitor arcs.
        let kind =
            if matches!(source, Node::Transition(_)) && kind == ArcKind::Inhibitor { ArcKind::Normal } else { kind };
        if kind == ArcKind::Transport {
            let number = element.attribute("inscription").and_then(|text| text.rsplit_once(':'));
            let number = number.map_or("", |(_, number)| number.trim()).to_owned();
            let transition = if matches!(source, Node::Transition(_)) { source } else { target };
            halves.push((arcs.len(), (transition, number), arc));
        }
        arcs.push(XmlArc { elements: vec![arc], source, target, kind });
    }
    // Each half knows the other one.
    for (i, key, _) in &halves {
        let is_input = matches!(arcs[*i].source, Node::Place(_));
        let other =
            halves.iter().find(|(j, other, _)| other == key && matches!(arcs[*j].source, Node::Place(_)) != is_input);
        if let Some((_, _, element)) = other {
            arcs[*i].elements.push(*element);
        }
    }
    arcs
}

/// Reads what is written at nodes and arcs.
struct LabelReader<'f, 'a> {
    file: &'f XmlFile<'a>,
    dialect: Dialect,
}

impl LabelReader<'_, '_> {
    fn position(&self, e: usize) -> Option<Point> {
        let number = |text: Option<&str>| text?.trim().parse::<f64>().ok().map(|x| x.clamp(-1e6, 1e6).round() as i32);
        let element = self.file.element(e);
        match self.file.child(e, "graphics").and_then(|graphics| self.file.child(graphics, "position")) {
            Some(at) => {
                let at = self.file.element(at);
                Some((number(at.attribute("x"))?, number(at.attribute("y"))?))
            }
            None => Some((number(element.attribute("positionX"))?, number(element.attribute("positionY"))?)),
        }
    }

    /// Returns the text of `child/text`.
    fn text(&self, e: usize, child: &str) -> Option<String> {
        let child = self.file.child(e, child)?;
        let text = self.file.content(self.file.child(child, "text").unwrap_or(child)).trim();
        Some(text.strip_prefix("Default,").unwrap_or(text).trim().to_owned())
    }

    fn place(&self, e: usize) -> Vec<(&'static str, String)> {
        let attribute = |name: &str| self.file.element(e).attribute(name).map(str::trim).unwrap_or_default().to_owned();
        let all = match self.dialect {
            Dialect::Pnml => vec![
                ("marking", self.text(e, "initialMarking").unwrap_or_default()),
                ("delay", merkhet_element(self.file, e).map_or(String::new(), |tool| delay(self.file, tool))),
            ],
            Dialect::Romeo => vec![("marking", attribute("initialMarking"))],
            Dialect::Tapaal => vec![("marking", attribute("initialMarking")), ("invariant", attribute("invariant"))],
        };
        let is_default = |kind: &str, text: &str| match kind {
            "marking" => text.is_empty() || text == "0",
            "invariant" => text.is_empty() || text.split_whitespace().collect::<String>() == "<inf",
            _ => text.is_empty(),
        };
        all.into_iter().filter(|(kind, text)| !is_default(kind, text)).collect()
    }

    fn transition(&self, e: usize) -> Vec<(&'static str, String)> {
        let element = self.file.element(e);
        let (kind, text) = match self.dialect {
            Dialect::Pnml => ("interval", delay(self.file, e)),
            Dialect::Romeo => {
                let bound = |name: &str, default: &str| {
                    element.attribute(name).map_or(default.to_owned(), |b| b.trim().to_owned())
                };
                let (low, high) = (bound("eft", "0"), bound("lft", "inf"));
                let high = (!high.starts_with("inf")).then_some(high);
                let shown = Bounds { low, low_open: false, high_open: high.is_none(), high }.shown();
                ("interval", if shown == "[0,w[" { String::new() } else { shown })
            }
            Dialect::Tapaal => {
                let is = element.attribute("urgent").is_some_and(|text| matches!(text.trim(), "true" | "1"));
                ("urgent", if is { "true".to_owned() } else { String::new() })
            }
        };
        if text.is_empty() { Vec::new() } else { vec![(kind, text)] }
    }

    fn arc(&self, arc: &XmlArc) -> Vec<(&'static str, String)> {
        let element = self.file.element(arc.elements[0]);
        let attribute = |name: &str| element.attribute(name).map(|text| text.trim().to_owned());
        let mut labels = Vec::new();
        let weight = match self.dialect {
            Dialect::Pnml => self.text(arc.elements[0], "inscription"),
            Dialect::Romeo => attribute("weight"),
            Dialect::Tapaal => {
                attribute("weight").or_else(|| attribute("inscription").filter(|text| !text.starts_with(['[', '('])))
            }
        };
        labels.extend(weight.filter(|w| !w.is_empty() && w != "1").map(|w| ("weight", w)));
        if self.dialect == Dialect::Tapaal && matches!(arc.source, Node::Place(_)) && arc.kind != ArcKind::Inhibitor {
            let ages = attribute("inscription").filter(|text| text.starts_with(['[', '(']));
            let ages = ages.map(|text| text.rsplit_once(':').map_or(text.clone(), |(ages, _)| ages.to_owned()));
            let shown = ages.map(|ages| Bounds::read(&ages).map_or(ages, |bounds| bounds.with_parentheses()));
            labels.extend(shown.filter(|ages| ages != "[0,inf)").map(|ages| ("ages", ages)));
        }
        labels
    }
}

/// Returns merkhet's tool-specific element.
pub(super) fn merkhet_element(file: &XmlFile<'_>, e: usize) -> Option<usize> {
    file.children(e, "toolspecific").into_iter().find(|&t| file.element(t).attribute("tool") == Some("merkhet"))
}

/// Returns the interval of `<delay>`; empty if there is none.
fn delay(file: &XmlFile<'_>, e: usize) -> String {
    let interval = file.child(e, "delay").and_then(|delay| file.child(delay, "interval"));
    let Some(interval) = interval else { return String::new() };
    let [low, high] = file.element(interval).children[..] else { return String::new() };
    let closure = file.element(interval).attribute("closure").unwrap_or("closed");
    let (low, end) = (file.content(low).trim(), file.content(high).trim());
    let is_unbounded = matches!(end, "infty" | "inf" | "infinity" | "w") || file.element(high).name == "infinity";
    Bounds {
        low: low.to_owned(),
        low_open: closure.starts_with("open"),
        high: (!is_unbounded).then(|| end.to_owned()),
        high_open: is_unbounded || closure == "open" || closure.ends_with("-open"),
    }
    .shown()
}
