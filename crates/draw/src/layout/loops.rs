//! Loops: petals to the right of their location, and to the left as well if there are many.

use super::{Extent, layered::LABEL_GAP};
use crate::{
    figure::{Placement, RADIUS},
    geometry::{Pt, Size, pt},
    label::{Label, Labels, stacked},
};

/// The distance of a loop's end from the centre of its location.
const REACH: f64 = RADIUS + 18.0;
/// The additional reach of the loops in the middle, as a fraction of the total height: the ends of
/// many loops lie on an arc, so that their directions differ.
const ARC: f64 = 0.5;
/// Half the width of a loop at its end.
const HALF: f64 = 10.0;
/// The number of loops that fit on one side.
const MAX_ON_ONE_SIDE: usize = 5;

/// The position of a loop: the middle of its end, relative to the centre of the location.
struct Slot {
    edge: usize,
    end: Pt,
}

/// Returns the extent of a location with loops; `text` is the size of its labels on the left.
pub(super) fn extent(loops: &[usize], labels: &Labels, text: Size) -> Extent {
    let beside = if text.w > 0.0 { RADIUS + 6.0 + text.w } else { RADIUS };
    let half = (text.h / 2.0).max(RADIUS);
    let mut all = Extent { left: beside, right: RADIUS, up: half, down: half };
    let slots = slots(loops, labels, text);
    all.left = all.left.max(between(&slots, text).map_or(0.0, |away| away + text.w));
    for slot in slots {
        let half = band(&labels.edges[slot.edge]) / 2.0;
        let across = slot.end.x.abs() + LABEL_GAP + stacked(&labels.edges[slot.edge]).w;
        if slot.end.x > 0.0 {
            all.right = all.right.max(across);
        } else {
            all.left = all.left.max(across);
        }
        all.up = all.up.max(half - slot.end.y);
        all.down = all.down.max(half + slot.end.y);
    }
    all
}

/// Draws the loops of a location, each with its labels beyond its end.
pub(super) fn place(v: usize, center: Pt, loops: &[usize], labels: &Labels, text: Size, placement: &mut Placement) {
    let slots = slots(loops, labels, text);
    if let Some(away) = between(&slots, text) {
        let corner = center - pt(away + text.w, text.h / 2.0);
        placement.location_labels[v] = super::stack(Some(corner.rounded()), &labels.locations[v]);
    }
    for Slot { edge, end } in slots {
        let direction = end.unit();
        let (tip, side) =
            (center + end - pt(HALF * direction.y.abs() * end.x.signum(), 0.0), direction.rotated() * HALF);
        placement.nails[edge] = vec![(tip - side).rounded(), (tip + side).rounded()];
        let size = stacked(&labels.edges[edge]);
        let x = if end.x > 0.0 { end.x + LABEL_GAP } else { end.x - LABEL_GAP - size.w };
        let corner = center + pt(x, end.y - size.h / 2.0);
        placement.edge_labels[edge] = super::stack(Some(corner.rounded()), &labels.edges[edge]);
    }
}

/// Returns the distance that a location's labels keep from it to fit between loops on the left;
/// `None` if there are no such loops, or no labels.
fn between(slots: &[Slot], text: Size) -> Option<f64> {
    let lefts = slots.iter().filter(|s| text.w > 0.0 && s.end.x < 0.0);
    let flattest = lefts.map(|s| (s.end.y.abs() - HALF) / s.end.x.abs()).min_by(f64::total_cmp)?;
    Some(((text.h / 2.0 + 4.0) / flattest.max(0.1)).max(RADIUS + 5.0))
}

/// Returns the height of a loop with its labels.
fn band(labels: &[Label]) -> f64 {
    stacked(labels).h.max(22.0) + 8.0
}

fn slots(loops: &[usize], labels: &Labels, text: Size) -> Vec<Slot> {
    let right = if loops.len() > MAX_ON_ONE_SIDE { loops.len().div_ceil(2) } else { loops.len() };
    let (right, left) = loops.split_at(right);
    // On the left the location's labels stay in the middle.
    let sides = [(1.0, right, &[] as &[usize], 0.0), {
        let (above, below) = left.split_at(left.len() / 2);
        (-1.0, above, below, text.h.max(2.0 * RADIUS) + 8.0)
    }];
    let mut out = Vec::with_capacity(loops.len());
    for (side, above, below, middle) in sides {
        let height = |list: &[usize]| list.iter().map(|&e| band(&labels.edges[e])).sum::<f64>();
        // Centred, or with the labels between the two halves.
        let mut top = if middle == 0.0 { -height(above) / 2.0 } else { -height(above) - middle / 2.0 };
        let reach = top.abs().max(height(below) + middle / 2.0);
        for (i, &edge) in above.iter().chain(below).enumerate() {
            if i == above.len() {
                top = middle / 2.0;
            }
            let height = band(&labels.edges[edge]);
            let y = top + height / 2.0;
            let arc = reach * ARC * (1.0 - (y / reach).powi(2)).max(0.0).sqrt();
            out.push(Slot { edge, end: pt(side * (REACH + arc), y) });
            top += height;
        }
    }
    out
}
