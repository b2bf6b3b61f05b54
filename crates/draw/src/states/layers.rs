//! A quick layout of large state spaces: a layer for each depth, and in each layer an order with
//! few crossings.
//!
//! The layout of [`svg`](super::svg) finds room for text and routes arcs around it, which takes
//! too long for thousands of states. Here states are points on a grid, arcs are straight, and the
//! work is a fixed number of passes.

use super::StateGraph;

/// The number of passes that order layers, and of those that place states.
const PASSES: usize = 6;

/// A layout: the unit is the least distance of two states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateLayers {
    /// The position of each state in its layer.
    pub x: Vec<f64>,
    /// The layer of each state.
    pub y: Vec<usize>,
}

impl StateGraph {
    /// Places each state in the layer of its depth, near the states that its arcs connect it with.
    /// Once the signal is raised, the order is rougher.
    #[must_use]
    pub fn layers(&self, depths: &[usize]) -> StateLayers {
        let count = self.nodes.len().min(depths.len());
        let y = depths[..count].to_vec();
        let mut layers = vec![Vec::new(); y.iter().max().map_or(0, |deepest| deepest + 1)];
        (0..count).for_each(|state| layers[y[state]].push(state));
        // Arcs to the layers above and below pull; the others would pull across the whole picture.
        let mut near: Vec<[Vec<usize>; 2]> = vec![[Vec::new(), Vec::new()]; count];
        for arc in self.arcs.iter().filter(|arc| arc.from.max(arc.to) < count) {
            let (upper, lower) = if y[arc.from] < y[arc.to] { (arc.from, arc.to) } else { (arc.to, arc.from) };
            if y[upper] + 1 == y[lower] {
                near[lower][0].push(upper);
                near[upper][1].push(lower);
            }
        }
        let mut x = vec![0.0; count];
        layers.iter().for_each(|layer| spread(layer, &mut x));
        for pass in 0..2 * PASSES {
            if self.is_over() {
                break;
            }
            let downwards = pass % 2 == 0;
            let order: Vec<usize> =
                if downwards { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
            for layer in order {
                let wish = |state: usize| mean(&near[state][usize::from(!downwards)], &x).unwrap_or(x[state]);
                let wishes: Vec<f64> = layers[layer].iter().map(|state| wish(*state)).collect();
                if pass < PASSES {
                    let mut sorted: Vec<(f64, usize)> = wishes.into_iter().zip(layers[layer].clone()).collect();
                    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                    layers[layer] = sorted.into_iter().map(|(_, state)| state).collect();
                    spread(&layers[layer], &mut x);
                } else {
                    settle(&layers[layer], &wishes, &mut x);
                }
            }
        }
        let least = x.iter().copied().fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            x.iter_mut().for_each(|x| *x -= least);
        }
        StateLayers { x, y }
    }
}

fn mean(states: &[usize], x: &[f64]) -> Option<f64> {
    (!states.is_empty()).then(|| states.iter().map(|state| x[*state]).sum::<f64>() / states.len() as f64)
}

/// Places a layer with equal distances around 0.
fn spread(layer: &[usize], x: &mut [f64]) {
    let middle = layer.len().saturating_sub(1) as f64 / 2.0;
    layer.iter().enumerate().for_each(|(i, state)| x[*state] = i as f64 - middle);
}

/// Places a layer in its order as near to the wishes as the least distance allows: the sum of the
/// squared differences is minimal. States that are too close become a block at its mean.
fn settle(layer: &[usize], wishes: &[f64], x: &mut [f64]) {
    // Each block: the sum of the wishes relative to its first state, and the number of its states.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for wish in wishes {
        let mut block = (*wish, 1);
        while let Some(&(sum, count)) = blocks.last() {
            if sum / count as f64 + count as f64 <= block.0 / block.1 as f64 {
                break;
            }
            blocks.pop();
            // The wishes of the second block are relative to the first state of both.
            block = (sum + block.0 - (count * block.1) as f64, count + block.1);
        }
        blocks.push(block);
    }
    let mut states = layer.iter();
    for (sum, count) in blocks {
        let first = sum / count as f64;
        states.by_ref().take(count).enumerate().for_each(|(i, state)| x[*state] = first + i as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArcKind, StateArc, StateNode, StateStyle};

    fn graph(count: usize, arcs: &[(usize, usize)]) -> StateGraph {
        let node = StateNode { text: String::new(), is_initial: false, style: StateStyle::Plain };
        let arc = |&(from, to): &(usize, usize)| StateArc { from, to, label: String::new(), kind: ArcKind::Step };
        StateGraph { nodes: vec![node; count], arcs: arcs.iter().map(arc).collect(), ..StateGraph::default() }
    }

    /// The number of pairs of arcs between two layers that cross.
    fn crossings(layout: &StateLayers, arcs: &[(usize, usize)]) -> usize {
        let x = |state: usize| layout.x[state];
        let crosses = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| (x(a) - x(c)) * (x(b) - x(d)) < 0.0;
        arcs.iter().enumerate().map(|(i, arc)| arcs[..i].iter().filter(|other| crosses(arc, other)).count()).sum()
    }

    #[test]
    fn states_keep_their_distance_and_arcs_do_not_cross_without_need() {
        let arcs = [(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)];
        let layout = graph(7, &arcs).layers(&[0, 1, 1, 1, 2, 2, 2]);
        assert_eq!(layout.y, [0, 1, 1, 1, 2, 2, 2]);
        assert_eq!(crossings(&layout, &arcs), 0, "{layout:?}");
        for layer in [1..4, 4..7] {
            let mut x: Vec<f64> = layer.map(|state| layout.x[state]).collect();
            x.sort_by(f64::total_cmp);
            assert!(x.windows(2).all(|w| w[1] - w[0] > 0.999), "{x:?}");
        }
        // A parent is above its children.
        assert!((layout.x[0] - 1.0).abs() < 1e-9 && layout.x.iter().all(|x| *x >= 0.0), "{layout:?}");
    }

    #[test]
    fn blocks_settle_at_their_mean() {
        let mut x = vec![0.0; 5];
        settle(&[0, 1, 2, 3, 4], &[0.0, 0.0, 0.0, 9.0, 9.5], &mut x);
        assert_eq!(x, [-1.0, 0.0, 1.0, 8.75, 9.75]);
    }

    #[test]
    fn anything_is_laid_out() {
        assert_eq!(graph(0, &[]).layers(&[]), StateLayers::default());
        let layout = graph(2, &[(0, 0), (0, 1), (1, 0), (0, 9)]).layers(&[0, 0]);
        assert_eq!(layout.x, [0.0, 1.0]);
        assert_eq!(graph(3, &[]).layers(&[0, 0]).x.len(), 2, "states without a depth are left out");
    }

    /// Thousands of states, in wide and in many layers.
    #[test]
    fn large_spaces_are_laid_out() {
        let count = 5000;
        let arcs: Vec<(usize, usize)> = (1..count).flat_map(|i| [(i / 3, i), (i * 7 % count, i)]).collect();
        let mut depths = vec![0; count];
        (1..count).for_each(|i| depths[i] = depths[i / 3] + 1);
        assert_eq!(graph(count, &arcs).layers(&depths).x.len(), count);
        let chain: Vec<usize> = (0..count).collect();
        let arcs: Vec<(usize, usize)> = (1..count).map(|i| (i - 1, i)).collect();
        assert!(graph(count, &arcs).layers(&chain).x.iter().all(|x| *x == 0.0));
    }
}
