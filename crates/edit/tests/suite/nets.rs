//! Edits of Petri nets: the text is read back as the net that was meant, and undoing restores it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use edit::{Drawing, Item, Movable, Node, Operation, Placed};
use syntax::{
    Format,
    net::{Net, Timing},
};

use crate::{buffer::Buffer, steps::Dice};

type Weights = BTreeMap<String, u32>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceModel {
    tokens: u32,
    delay: Option<String>,
    invariant: String,
    at: Option<(i32, i32)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransitionModel {
    interval: String,
    takes: Weights,
    puts: Weights,
    tests: Weights,
    inhibitors: Weights,
    runs: Weights,
    stops: Weights,
    /// Places, weights, ages and targets.
    aged: BTreeSet<(String, u32, String, Option<String>)>,
    is_urgent: bool,
    at: Option<(i32, i32)>,
}

/// A net by the names in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetModel {
    places: BTreeMap<String, PlaceModel>,
    transitions: BTreeMap<String, TransitionModel>,
    priorities: BTreeSet<(String, String)>,
    pub wrong_queries: usize,
    name: String,
}

pub fn model(buffer: &Buffer) -> (NetModel, Net) {
    let mut sources = syntax::Sources::new();
    let file = sources.add_file("m", buffer.text.clone());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, buffer.format);
    let wrong: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{}", buffer.text);
    let net = (**tree.net.as_ref().unwrap()).clone();
    let place = |i: u32| net.places[i as usize].written.clone();
    let weights =
        |arcs: &[syntax::net::Arc]| arcs.iter().map(|arc| (place(arc.place), arc.weight)).collect::<Weights>();
    let places = net.places.iter().map(|p| {
        let delay = (net.timing == Timing::Places).then(|| p.delay.to_string());
        (p.written.clone(), PlaceModel { tokens: p.tokens, delay, invariant: p.invariant.to_string(), at: p.at })
    });
    let transitions = net.transitions.iter().map(|t| {
        let aged = t.aged.iter().map(|a| (place(a.place), a.weight, a.ages.to_string(), a.to.map(place)));
        let model = TransitionModel {
            interval: t.interval.to_string(),
            takes: weights(&t.takes),
            puts: weights(&t.puts),
            tests: weights(&t.tests),
            inhibitors: weights(&t.inhibitors),
            runs: weights(&t.runs),
            stops: weights(&t.stops),
            aged: aged.collect(),
            is_urgent: t.is_urgent,
            at: t.at,
        };
        (t.written.clone(), model)
    });
    let transition = |i: u32| net.transitions[i as usize].written.clone();
    let model = NetModel {
        places: places.collect(),
        transitions: transitions.collect(),
        priorities: net.priorities.iter().map(|p| (transition(p.higher), transition(p.lower))).collect(),
        wrong_queries: tree.queries.iter().filter(|q| !q.problems.is_empty()).count(),
        name: net.name.clone(),
    };
    (model, net)
}

pub fn drawings(buffer: &Buffer) -> Vec<Drawing> {
    let mut sources = syntax::Sources::new();
    let file = sources.add_file("m", buffer.text.clone());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, buffer.format);
    edit::drawings(&buffer.text, buffer.format, &tree, &sources, &diagnostics)
}

/// Nets of every format: those of the project, and some that are hard.
pub fn nets() -> Vec<(String, Buffer)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut out = Vec::new();
    for folder in ["models/nets", "crates/campaign/samples"] {
        let mut files: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for path in files {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let name = path.display().to_string();
            let format = Format::guess(&name, &text);
            if matches!(format, Format::Net | Format::Ndr | Format::NetXml) {
                out.push((name, Buffer::new(&text, format)));
            }
        }
    }
    for (name, format, text) in MODELS {
        out.push((name.to_owned(), Buffer::new(text, format)));
    }
    out
}

const MODELS: [(&str, Format, &str); 8] = [
    // Arcs that name undeclared places, several declarations on a line, and names in braces.
    (
        "implicit.net",
        Format::Net,
        "# comment\nnet {a b}\ntr t [1,2] p*2 {q r}?-1 -> s p*3 tr u : {l} s!2 -> # rest\npl w (1) t -> u*2\nlb t {x}\npr t > u\n",
    ),
    ("windows.net", Format::Net, "net n\r\npl p (3)\r\ntr t p -> q*2\r\ntr nothing\r\npl q"),
    (
        "timed.net",
        Format::Net,
        "net n\npl p [1,2] (1)\npl q [0,w[\npl r ]1,5]\ntr t p -> q\ntr u q -> p r\ntr v r ->\n",
    ),
    (
        "braces.ndr",
        Format::Ndr,
        "# note\np 10 20 {a b} n 2 n\r\nt 100.5 20 {t 1} n -1 5 n\r\ne {a b} 0.1 2.0 {t 1} 0.3 1.0 2 n\r\nt 5 5 u 0 w n\r\ne u {t 1} 1 n\r\nh {the net}\r\n",
    ),
    (
        "pages.pnml",
        Format::NetXml,
        "<pnml><net id='n' type='ptnet'><page id='g'>\r\n\t<place id='a'><name><text>A</text></name><graphics><position x='1' y='2'/></graphics>\
         <initialMarking><text>Default,2</text></initialMarking></place><!-- kept -->\r\n\t<transition id='t'><name><text>T</text></name>\
         <graphics><position x='50.0' y='2.5'/></graphics><toolspecific tool='other'><x/></toolspecific><toolspecific tool='merkhet'><before>u</before></toolspecific></transition>\
         <arc id='x' source='a' target='t'><type value='test'/><inscription><text>3</text></inscription></arc>\r\n</page><page id='h'><referencePlace id='b' ref='a'/>\
         <transition id='u'><name><text>U</text></name><graphics><position x='90' y='2'/></graphics></transition><arc id='y' source='u' target='b'/></page></net></pnml>",
    ),
    (
        "bare.pnml",
        Format::NetXml,
        "<pnml>\n  <net id=\"n\">\n    <place id=\"p\"/>\n    <transition id=\"t\"/>\n    <arc id=\"a\" source=\"p\" target=\"t\" type=\"inhibitor\"/>\n  </net>\n</pnml>\n",
    ),
    (
        "engine.tapn",
        Format::NetXml,
        "<pnml>\n<net id=\"n\" active=\"true\">\n<place id=\"p\" name=\"p\" initialMarking=\"2\" invariant=\"&lt;= 4\"/>\n<place id=\"q\" name=\"q\" initialMarking=\"0\" invariant=\"&lt; inf\"/>\n\
         <transition id=\"t\" name=\"t\"/>\n<inputArc source=\"p\" target=\"t\" inscription=\"[1,3)\"/>\n<outputArc source=\"t\" target=\"q\" inscription=\"2\"/>\n\
         <transportArc source=\"q\" transition=\"t\" target=\"p\" inscription=\"[0,2]\"/>\n</net>\n<query name=\"one\" query=\"EF p &gt;= 1 and n.q = 2\"/>\n</pnml>\n",
    ),
    (
        "extra.romeo.xml",
        Format::NetXml,
        "<TPN name='n'>\n  <place id='3' identifier='p' initialMarking='1'><graphics color='0'><position x='10' y='10'/></graphics></place>\n\
         \u{20} <transition id='3' label='t' identifier='other' eft='1' lft='inf'><graphics><position x='60' y='10'/></graphics></transition>\n\
         \u{20} <arc place='3' transition='3' type='PlaceTransition' weight='2'><nail xnail='5' ynail='6'/></arc>\n</TPN>\n",
    ),
];

const KINDS: usize = 16;

/// Returns the list of arcs of a kind at a transition.
fn list<'t>(t: &'t mut TransitionModel, kind: &str, is_input: bool) -> &'t mut Weights {
    match kind {
        "test" => &mut t.tests,
        "inhibitor" => &mut t.inhibitors,
        "stopwatch" => &mut t.runs,
        "stopwatch-inhibitor" => &mut t.stops,
        _ if is_input => &mut t.takes,
        _ => &mut t.puts,
    }
}

/// A random edit, and the net that it should make; `None` if this net has no place for it.
fn step(
    kind: usize,
    net: &Net,
    before: &NetModel,
    drawing: &Drawing,
    dice: &mut Dice,
) -> Option<(Operation, NetModel)> {
    let mut after = before.clone();
    let template = 0;
    let (place, transition, edge) = (
        (!drawing.places.is_empty()).then(|| dice.below(drawing.places.len())),
        (!drawing.transitions.is_empty()).then(|| dice.below(drawing.transitions.len())),
        (!drawing.edges.is_empty()).then(|| dice.below(drawing.edges.len())),
    );
    let at = (dice.below(900) as i32, dice.below(900) as i32 - 300);
    let name = |node: Node| match node {
        Node::Place(i) => drawing.places[i].name.clone(),
        Node::Transition(i) | Node::Location(i) | Node::Branchpoint(i) => drawing.transitions[i].name.clone(),
    };
    let label = |of: Item, kind: &str, text: &str| Operation::Label {
        template,
        of,
        kind: kind.to_owned(),
        text: text.to_owned(),
        at: None,
    };
    // The ends of an arc: the place, the transition, and whether it is an input.
    let ends = |i: usize| {
        let arc = &drawing.edges[i];
        let is_input = matches!(arc.source, Node::Place(_));
        let (p, t) = if is_input { (arc.source, arc.target) } else { (arc.target, arc.source) };
        (name(p), name(t), is_input, arc.kind.unwrap_or(""))
    };
    let unplaced = |after: &mut NetModel| {
        if !drawing.is_placed {
            after.places.values_mut().for_each(|p| p.at = None);
            after.transitions.values_mut().for_each(|t| t.at = None);
        }
    };
    let aged = before.transitions.values().any(|t| !t.aged.is_empty());
    let operation = match kind {
        0 => {
            let delay = (net.timing == Timing::Places).then(|| "[0,0]".to_owned());
            let made = PlaceModel { delay, invariant: "[0,w[".to_owned(), at: Some(at), tokens: 0 };
            after.places.insert("new_1".to_owned(), made);
            unplaced(&mut after);
            Operation::AddPlace { template, at, name: "new_1".to_owned() }
        }
        1 => {
            let made = TransitionModel { interval: "[0,w[".to_owned(), at: Some(at), ..TransitionModel::default() };
            after.transitions.insert("new_2".to_owned(), made);
            unplaced(&mut after);
            Operation::AddTransition { template, at, name: "new_2".to_owned() }
        }
        2 | 3 => {
            let (p, t) = (place?, transition?);
            let ends =
                if kind == 2 { (Node::Place(p), Node::Transition(t)) } else { (Node::Transition(t), Node::Place(p)) };
            if drawing.edges.iter().any(|edge| (edge.source, edge.target) == ends) {
                return None;
            }
            let of = after.transitions.get_mut(&drawing.transitions[t].name)?;
            *list(of, "", kind == 2).entry(drawing.places[p].name.clone()).or_default() += 1;
            Operation::AddEdge { template, source: ends.0, target: ends.1, nails: Vec::new() }
        }
        4 => {
            let i = edge?;
            let (p, t, is_input, kind) = ends(i);
            if kind == "transport" || aged {
                return None;
            }
            list(after.transitions.get_mut(&t)?, kind, is_input).remove(&p);
            Operation::Delete { template, items: vec![Item::Edge(i)] }
        }
        5 => {
            let p = drawing.places[place?].name.clone();
            after.places.remove(&p);
            for t in after.transitions.values_mut() {
                let lost = t.aged.iter().any(|arc| arc.0 == p || arc.3.as_ref() == Some(&p));
                if lost && t.aged.iter().any(|arc| arc.3.is_some()) {
                    return None;
                }
                for list in [&mut t.takes, &mut t.puts, &mut t.tests, &mut t.inhibitors, &mut t.runs, &mut t.stops] {
                    list.remove(&p);
                }
                t.aged.retain(|arc| arc.0 != p);
            }
            Operation::Delete { template, items: vec![Item::Place(place?)] }
        }
        6 => {
            let t = drawing.transitions[transition?].name.clone();
            after.transitions.remove(&t);
            after.priorities.retain(|(high, low)| *high != t && *low != t);
            Operation::Delete { template, items: vec![Item::Transition(transition?)] }
        }
        7 => {
            if !drawing.is_placed && drawing.places.iter().any(|p| before.places[&p.name].at.is_some()) {
                return None;
            }
            after.places.get_mut(&drawing.places[place?].name)?.at = Some(at);
            after.transitions.get_mut(&drawing.transitions[transition?].name)?.at = Some((at.1, at.0));
            unplaced(&mut after);
            let moved = |item, at| Placed { item, at };
            let places = vec![moved(Movable::Place(place?), at), moved(Movable::Transition(transition?), (at.1, at.0))];
            Operation::Move { template, places }
        }
        8 | 9 => {
            let node = if kind == 8 { Node::Place(place?) } else { Node::Transition(transition?) };
            let (old, new) = (name(node), "renamed_3".to_owned());
            if let Some(p) = after.places.remove(&old).filter(|_| kind == 8) {
                after.places.insert(new.clone(), p);
            } else if kind == 9 {
                after = before.clone();
                let t = after.transitions.remove(&old)?;
                after.transitions.insert(new.clone(), t);
                let renamed = |name: String| if name == old { new.clone() } else { name };
                after.priorities = after.priorities.into_iter().map(|(a, b)| (renamed(a), renamed(b))).collect();
            }
            for t in after.transitions.values_mut().filter(|_| kind == 8) {
                for list in [&mut t.takes, &mut t.puts, &mut t.tests, &mut t.inhibitors, &mut t.runs, &mut t.stops] {
                    if let Some(weight) = list.remove(&old) {
                        list.insert(new.clone(), weight);
                    }
                }
                let renamed = |name: String| if name == old { new.clone() } else { name };
                t.aged = std::mem::take(&mut t.aged)
                    .into_iter()
                    .map(|(p, weight, ages, to)| (renamed(p), weight, ages, to.map(renamed)))
                    .collect();
            }
            Operation::RenameNode { template, node, name: "renamed_3".to_owned() }
        }
        10 => {
            let tokens = if net.timing == Timing::Places { dice.below(2) } else { dice.below(5) };
            after.places.get_mut(&drawing.places[place?].name)?.tokens = tokens as u32;
            label(Item::Place(place?), "marking", &if tokens == 0 { String::new() } else { tokens.to_string() })
        }
        11 => {
            let i = edge?;
            let (p, t, is_input, kind) = ends(i);
            if kind == "transport" || aged || net.timing == Timing::Places {
                return None;
            }
            let weight = 1 + dice.below(4) as u32;
            list(after.transitions.get_mut(&t)?, kind, is_input).insert(p, weight);
            label(Item::Edge(i), "weight", &if weight == 1 { String::new() } else { weight.to_string() })
        }
        12 => {
            if !matches!(net.timing, Timing::Transitions | Timing::Untimed) {
                return None;
            }
            let (text, shown) =
                [("[2,7]", "[2,7]"), ("[3,w[", "[3,w["), ("", "[0,w["), ("[0,0]", "[0,0]")][dice.below(4)];
            after.transitions.get_mut(&drawing.transitions[transition?].name)?.interval = shown.to_owned();
            label(Item::Transition(transition?), "interval", text)
        }
        13 => {
            let p = after.places.get_mut(&drawing.places[place?].name)?;
            if net.timing == Timing::Places {
                p.delay = Some("]1,8]".to_owned());
                label(Item::Place(place?), "delay", "(1,8]")
            } else {
                p.invariant = "[0,6]".to_owned();
                label(Item::Place(place?), "invariant", "<= 6")
            }
        }
        14 => {
            let i = edge?;
            let (p, t, is_input, old) = ends(i);
            let new = ["normal", "inhibitor", "test", "stopwatch"][dice.below(4)];
            let t = after.transitions.get_mut(&t)?;
            if !is_input || old == "transport" || old == new || aged || !list(t, new, true).is_empty() {
                return None;
            }
            let weight = list(t, old, true).remove(&p)?;
            list(t, new, true).insert(p, weight);
            label(Item::Edge(i), "kind", new)
        }
        _ => {
            let i = edge?;
            let (p, t, is_input, old) = ends(i);
            let t = after.transitions.get_mut(&t)?;
            if !is_input || old != "normal" {
                return None;
            }
            let own = t.aged.iter().find(|arc| arc.0 == p).cloned();
            let weight = own.as_ref().map_or(t.takes[&p], |arc| arc.1);
            t.aged.retain(|arc| Some(arc) != own.as_ref());
            t.aged.insert((p, weight, "[2,9[".to_owned(), None));
            label(Item::Edge(i), "ages", "[2,9)")
        }
    };
    Some((operation, after))
}

/// Edits that a format can't express are refused. Which ones, is written here.
fn may_be_refused(kind: usize, buffer: &Buffer, net: &Net) -> bool {
    let is = |word: &str| buffer.text.contains(word);
    let is_tapaal = is("initialMarking=\"") && !is("<TPN");
    match kind {
        7 => buffer.format == Format::Net,
        10 => is("hlinitialMarking"),
        12 => is_tapaal,
        13 => net.timing != Timing::Places && !is_tapaal,
        14 => is_tapaal || is("<TPN") || net.timing == Timing::Places,
        // An urgent transition can't look at ages.
        15 => !is_tapaal || net.transitions.iter().any(|t| t.is_urgent),
        _ => false,
    }
}

/// Every kind of edit, on every net: the net differs by the edit only, little text is replaced, and
/// undoing restores the file.
#[test]
fn an_edit_of_a_net_changes_nothing_else() {
    let mut made: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for (name, mut buffer) in nets() {
        let is_coloured = buffer.text.contains("usersort");
        let original = buffer.text.clone();
        for kind in 0..KINDS {
            for seed in 0..4 {
                let (before, net) = model(&buffer);
                let drawing = drawings(&buffer).remove(0);
                let mut dice = Dice((kind * 100 + seed) as u64);
                if is_coloured {
                    continue;
                }
                let Some((operation, expected)) = step(kind, &net, &before, &drawing, &mut dice) else { continue };
                let old = buffer.text.clone();
                let patches = match buffer.edit(&operation) {
                    Ok(patches) => patches,
                    Err(e) if may_be_refused(kind, &buffer, &net) => {
                        assert!(e.help.is_some() || !e.message.is_empty());
                        continue;
                    }
                    Err(e) => panic!("{name}: {operation:?}: {e} {:?}", e.help),
                };
                let (mut after, _) = model(&buffer);
                let mut expected = expected;
                let deletes = matches!(operation, Operation::Delete { .. });
                if deletes {
                    // A query about what is deleted is wrong then.
                    expected.wrong_queries = after.wrong_queries;
                } else {
                    let removed: usize = patches.iter().map(|patch| patch.to - patch.from).sum();
                    let names = old.matches(|c: char| c.is_alphabetic()).count();
                    assert!(
                        removed <= 24.max(names / 4) || kind == 7,
                        "{name}: {operation:?} replaces {removed} bytes"
                    );
                }
                if drawing.is_placed || buffer.format == Format::Net {
                    if buffer.format == Format::Net {
                        for net in [&mut after, &mut expected] {
                            net.places.values_mut().for_each(|p| p.at = None);
                            net.transitions.values_mut().for_each(|t| t.at = None);
                        }
                    }
                } else if matches!(kind, 0 | 1 | 7) {
                    assert!(after.places.values().all(|p| p.at.is_some()), "{name}: {operation:?}");
                    for net in [&mut after, &mut expected] {
                        net.places.values_mut().for_each(|p| p.at = None);
                        net.transitions.values_mut().for_each(|t| t.at = None);
                    }
                }
                assert_eq!(after, expected, "{name}: {operation:?}\n{}", buffer.text);
                let ending = Path::new(&name).extension().unwrap().to_string_lossy().into_owned();
                *made.entry((ending, kind)).or_default() += usize::from(!patches.is_empty());
                assert!(buffer.undo() && buffer.text == old);
            }
        }
        assert_eq!(buffer.text, original);
    }
    for format in ["net", "ndr", "pnml", "xml", "tapn"] {
        let count = |kind: usize| made.get(&(format.to_owned(), kind)).copied().unwrap_or(0);
        let missing: Vec<usize> = (0..KINDS).filter(|&kind| count(kind) == 0).collect();
        let allowed: &[usize] = match format {
            // Neither positions nor ages.
            "net" => &[7, 15],
            "ndr" | "xml" => &[13, 15],
            "pnml" => &[13, 15],
            _ => &[11, 12, 14],
        };
        let others: Vec<&usize> = missing.iter().filter(|kind| !allowed.contains(kind)).collect();
        assert!(others.is_empty(), "{format}: kinds of edits that were never made: {others:?}");
    }
}

/// Several edits one after the other are undone to the last byte.
#[test]
fn sequences_of_edits_of_nets_are_undone() {
    let mut made = 0;
    for (name, mut buffer) in nets() {
        if buffer.text.contains("usersort") {
            continue;
        }
        let original = buffer.text.clone();
        let mut dice = Dice(7);
        for _ in 0..30 {
            let (before, net) = model(&buffer);
            let Some(drawing) = drawings(&buffer).into_iter().next() else { break };
            let kind = dice.below(KINDS);
            if let Some((operation, _)) = step(kind, &net, &before, &drawing, &mut dice) {
                made += usize::from(buffer.edit(&operation).is_ok());
            }
        }
        while buffer.undo() {}
        assert_eq!(buffer.text, original, "{name}");
    }
    assert!(made > 100, "{made}");
}
