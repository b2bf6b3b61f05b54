//! State spaces as pictures: boxes with text, and arcs between them.

mod dot;
mod svg;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use syntax::Signal;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateNode {
    /// What stands in its box, with line breaks.
    pub text: String,
    /// Whether runs start in it.
    pub is_initial: bool,
    /// How it is drawn.
    pub look: Look,
}

/// How a state is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it was reached.
    Plain,
    /// With a bold frame: it was joined from several.
    Joined,
    /// In grey: it is gone, and another one stands for it.
    Gone,
}

/// An arc between states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateArc {
    /// The number of the state that it leaves.
    pub from: usize,
    /// The number of the state that it leads to.
    pub to: usize,
    /// What stands beside it, with line breaks.
    pub label: String,
    /// What it says.
    pub kind: ArcKind,
}

/// What an arc says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArcKind {
    /// A transition leads to a state that was new.
    Step,
    /// Bold: a transition leads to a state that is greater than what was reached, since others were joined with it.
    Join,
    /// Dashed: a transition leads to what is in that state already.
    Covered,
    /// Grey and dotted: the state is gone, and that one stands for it.
    Replaced,
}

/// States and arcs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateGraph {
    /// The states.
    pub nodes: Vec<StateNode>,
    /// The arcs.
    pub arcs: Vec<StateArc>,
    /// Whether to go on. Once it is raised, what comes is of no use.
    pub signal: Signal,
}

impl StateGraph {
    /// The graph in Graphviz' DOT language.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::write(self)
    }

    /// The graph as an SVG picture.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// Whether somebody stops this.
    fn is_over(&self) -> bool {
        self.signal.raised().is_some()
    }

    /// The arcs between existing states, those that say the same with one label.
    fn bundled(&self) -> Vec<StateArc> {
        let mut bundles: Vec<StateArc> = Vec::new();
        let mut known: FxHashMap<(usize, usize, ArcKind), usize> = FxHashMap::default();
        let exists = |arc: &&StateArc| arc.from.max(arc.to) < self.nodes.len();
        for arc in self.arcs.iter().filter(exists) {
            if self.is_over() {
                break;
            }
            match known.entry((arc.from, arc.to, arc.kind)) {
                Entry::Occupied(at) => {
                    let bundle = &mut bundles[*at.get()];
                    bundle.label.push('\n');
                    bundle.label.push_str(&arc.label);
                }
                Entry::Vacant(at) => {
                    at.insert(bundles.len());
                    bundles.push(arc.clone());
                }
            }
        }
        bundles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> StateGraph {
        let node = |text: &str, look| StateNode { text: text.to_owned(), is_initial: text == "a", look };
        let arc = |from, to, label: &str, kind| StateArc { from, to, label: label.to_owned(), kind };
        StateGraph {
            nodes: vec![node("a", Look::Plain), node("b\nx < 3", Look::Gone), node("b\n\"y\"", Look::Joined)],
            arcs: vec![
                arc(0, 1, "go!", ArcKind::Step),
                arc(0, 2, "up", ArcKind::Join),
                arc(0, 2, "over", ArcKind::Join),
                arc(2, 2, "again", ArcKind::Covered),
                arc(2, 0, "back", ArcKind::Covered),
                arc(1, 2, "", ArcKind::Replaced),
                arc(1, 9, "nowhere", ArcKind::Step),
            ],
            signal: Signal::default(),
        }
    }

    #[test]
    fn dot_has_every_node_and_bundle() {
        let dot = graph().dot();
        assert_eq!(dot.matches(" [label=\"").count(), 3 + 4, "{dot}");
        assert!(dot.contains("s0 -> s2 [label=\"up\\lover\\l\", style=bold];"), "{dot}");
        assert!(dot.contains("s2 -> s0 [label=\"back\\l\", style=dashed"), "{dot}");
        assert!(dot.contains("s1 -> s2 [style=dotted"), "{dot}");
        assert!(dot.contains("b\\l\\\"y\\\"\\l") && !dot.contains("nowhere"), "{dot}");
    }

    #[test]
    fn svg_has_a_box_for_each_node() {
        let svg = graph().svg();
        assert_eq!(svg.matches("<rect x=").count(), 3, "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 3, "{svg}");
        assert!(svg.contains("x &lt; 3") && svg.starts_with("<svg"), "{svg}");
        // Arcs end at frames, not at centres.
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(StateGraph::default().svg().contains("</svg>"));
        assert!(StateGraph::default().dot().contains('}'));
    }
}
