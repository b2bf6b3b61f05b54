//! Finding free places for labels.

use rustc_hash::FxHashMap;

use crate::geometry::{Pt, Rect};

/// The side of a cell of the grid in which things are looked up.
const CELL: f64 = 64.0;
/// Things that would fill more cells than this are looked at every time instead.
const MOST_CELLS: f64 = 400.0;

#[derive(Clone, Copy)]
enum Thing {
    Box(Rect),
    Line(Pt, Pt),
}

/// What has been drawn already.
#[derive(Default)]
pub struct Field {
    things: Vec<Thing>,
    cells: FxHashMap<(i64, i64), Vec<u32>>,
    large: Vec<u32>,
}

impl Field {
    /// Something that labels should not cover.
    pub fn add_box(&mut self, rect: Rect) {
        let id = self.add(Thing::Box(rect));
        match cells(&rect) {
            Some(cells) => cells.for_each(|cell| self.cells.entry(cell).or_default().push(id)),
            None => self.large.push(id),
        }
    }

    /// A line that labels should not cross.
    pub fn add_line(&mut self, a: Pt, b: Pt) {
        let id = self.add(Thing::Line(a, b));
        // Piece by piece, because the box around a slanted line is much larger than the line.
        let pieces = ((b - a).length() / CELL).ceil().max(1.0);
        if pieces > MOST_CELLS {
            return self.large.push(id);
        }
        for i in 0..pieces as usize {
            let mut rect = Rect::EMPTY;
            rect.add(a + (b - a) * (i as f64 / pieces));
            rect.add(a + (b - a) * ((i + 1) as f64 / pieces));
            for cell in cells(&rect).into_iter().flatten() {
                let list = self.cells.entry(cell).or_default();
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
    }

    fn add(&mut self, thing: Thing) -> u32 {
        self.things.push(thing);
        self.things.len() as u32 - 1
    }

    /// How bad a label would be here: covered area, with lines counted as if they had some width.
    pub fn cost(&self, rect: &Rect) -> f64 {
        const LINE_WIDTH: f64 = 10.0;
        let with_air = rect.grown(2.0);
        let mut ids = self.large.clone();
        match cells(rect) {
            Some(cells) => ids.extend(cells.filter_map(|c| self.cells.get(&c)).flatten()),
            None => ids.extend(0..self.things.len() as u32),
        }
        ids.sort_unstable();
        ids.dedup();
        ids.iter()
            .map(|&id| match self.things[id as usize] {
                Thing::Box(b) => rect.overlap(&b),
                Thing::Line(a, b) => with_air.length_inside(a, b) * LINE_WIDTH,
            })
            .sum()
    }

    /// The best of some places for a box; those that come first are preferred.
    pub fn best(&self, candidates: &[Rect]) -> Option<Rect> {
        let mut best: Option<(f64, Rect)> = None;
        for (i, rect) in candidates.iter().enumerate() {
            let cost = self.cost(rect) + 6.0 * i as f64;
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, *rect));
            }
        }
        best.map(|(_, rect)| rect)
    }
}

fn cells(rect: &Rect) -> Option<impl Iterator<Item = (i64, i64)> + use<>> {
    let low = |v: f64| (v / CELL).floor();
    let (x0, y0, x1, y1) = (low(rect.min.x), low(rect.min.y), low(rect.max.x), low(rect.max.y));
    let count = (x1 - x0 + 1.0) * (y1 - y0 + 1.0);
    (count <= MOST_CELLS)
        .then(|| (x0 as i64..=x1 as i64).flat_map(move |x| (y0 as i64..=y1 as i64).map(move |y| (x, y))))
}
