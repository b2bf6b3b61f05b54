//! Pictures of state spaces: boxes with text, and arcs between them.

mod dot;
mod layers;
mod svg;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use syntax::Signal;

pub use layers::StateLayers;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateNode {
    /// The text in its box, with line breaks.
    pub text: String,
    /// Whether the state is initial.
    pub is_initial: bool,
    /// Its style.
    pub style: StateStyle,
}

/// The style of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateStyle {
    /// A state as it was reached.
    Plain,
    /// Bold: a join of several states.
    Joined,
    /// Grey: a removed state, which another one covers.
    Removed,
}

/// An arc between states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateArc {
    /// The index of the source state.
    pub from: usize,
    /// The index of the target state.
    pub to: usize,
    /// Its label, with line breaks.
    pub label: String,
    /// Its meaning.
    pub kind: ArcKind,
}

/// The meaning of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArcKind {
    /// A transition to a new state.
    Step,
    /// Bold: a transition to a state that is greater than the successor, because it was joined with
    /// others.
    Join,
    /// Dashed: a transition whose successor is covered by the target state.
    Covered,
    /// Grey and dotted: the removed state is covered by the target state.
    Replaced,
}

/// A state space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateGraph {
    /// The title; may be empty.
    pub title: String,
    /// The states.
    pub nodes: Vec<StateNode>,
    /// The arcs.
    pub arcs: Vec<StateArc>,
    /// The signal that stops the drawing. Once it is raised, the picture is incomplete.
    pub signal: Signal,
}

impl StateGraph {
    /// Renders the graph in Graphviz' DOT language.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::write(self)
    }

    /// Renders the graph as an SVG picture.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// Returns whether the work was stopped.
    fn is_over(&self) -> bool {
        self.signal.raised().is_some()
    }

    /// Returns the arcs between existing states; arcs that differ only in their labels are merged.
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
        let node = |text: &str, style| StateNode { text: text.to_owned(), is_initial: text == "a", style };
        let arc = |from, to, label: &str, kind| StateArc { from, to, label: label.to_owned(), kind };
        StateGraph {
            title: "three of < 4".to_owned(),
            nodes: vec![
                node("a", StateStyle::Plain),
                node("b\nx < 3", StateStyle::Removed),
                node("b\n\"y\"", StateStyle::Joined),
            ],
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
        assert!(dot.contains("label=\"three of < 4\"; labelloc=t;"), "{dot}");
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
        assert!(svg.contains(">three of &lt; 4</text>"), "{svg}");
        assert!(svg.contains("x &lt; 3") && svg.starts_with("<svg"), "{svg}");
        // Arcs end at frames, not at centres.
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn the_empty_graph_is_drawn() {
        assert!(StateGraph::default().svg().contains("</svg>"));
        assert!(StateGraph::default().dot().contains('}'));
    }
}
