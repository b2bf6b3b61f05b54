//! Finds free positions for labels.

use rustc_hash::FxHashMap;

use crate::geometry::{Pt, Rect, Size};

/// The side of a cell of the lookup grid.
const CELL: f64 = 64.0;
/// Obstacles that cover more cells than this are not in the grid and are always checked.
const MAX_CELLS: f64 = 400.0;
/// A cost that can't be seen: positions are rounded.
const FREE: f64 = 1.0;

#[derive(Clone, Copy)]
enum Obstacle {
    Box(Rect),
    Line(Pt, Pt),
}

/// The obstacles that labels should avoid.
#[derive(Default)]
pub(crate) struct Field {
    obstacles: Vec<Obstacle>,
    cells: FxHashMap<(i64, i64), Vec<u32>>,
    large: Vec<u32>,
}

impl Field {
    /// Adds a box that labels should not cover.
    pub(crate) fn add_box(&mut self, rect: Rect) {
        let id = self.add(Obstacle::Box(rect));
        match cells(&rect) {
            Some(cells) => cells.for_each(|cell| self.cells.entry(cell).or_default().push(id)),
            None => self.large.push(id),
        }
    }

    /// Adds a line that labels should not cross.
    pub(crate) fn add_line(&mut self, a: Pt, b: Pt) {
        let id = self.add(Obstacle::Line(a, b));
        // Segment by segment, because the bounding box of a slanted line is much larger than the
        // line.
        let pieces = ((b - a).length() / CELL).ceil().max(1.0);
        if pieces > MAX_CELLS {
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

    fn add(&mut self, obstacle: Obstacle) -> u32 {
        self.obstacles.push(obstacle);
        self.obstacles.len() as u32 - 1
    }

    /// Returns the cost of a label here: the covered area, with lines counted as if they had some
    /// width.
    pub(crate) fn cost(&self, rect: &Rect) -> f64 {
        const LINE_WIDTH: f64 = 10.0;
        let with_air = rect.grown(2.0);
        let mut ids = self.large.clone();
        match cells(rect) {
            Some(cells) => ids.extend(cells.filter_map(|c| self.cells.get(&c)).flatten()),
            None => ids.extend(0..self.obstacles.len() as u32),
        }
        ids.sort_unstable();
        ids.dedup();
        ids.iter()
            .map(|&id| match self.obstacles[id as usize] {
                Obstacle::Box(b) => rect.overlap(&b),
                Obstacle::Line(a, b) => with_air.length_inside(a, b) * LINE_WIDTH,
            })
            .sum()
    }

    /// Returns the first of these positions at which a box of this size covers and crosses nothing.
    pub(crate) fn free(&self, corners: &[Pt], size: Size) -> Option<Pt> {
        corners.iter().copied().find(|&at| self.cost(&Rect::at(at, size)) <= FREE)
    }

    /// Returns the position with the least cost; the first one of several.
    pub(crate) fn best(&self, corners: &[Pt], size: Size) -> Option<Pt> {
        let cost = |(i, &at): (usize, &Pt)| self.cost(&Rect::at(at, size)) + 2.0 * i as f64;
        let costs = corners.iter().enumerate().map(|c| (cost(c), *c.1));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }
}

fn cells(rect: &Rect) -> Option<impl Iterator<Item = (i64, i64)> + use<>> {
    let low = |v: f64| (v / CELL).floor();
    let (x0, y0, x1, y1) = (low(rect.min.x), low(rect.min.y), low(rect.max.x), low(rect.max.y));
    let count = (x1 - x0 + 1.0) * (y1 - y0 + 1.0);
    (count <= MAX_CELLS)
        .then(|| (x0 as i64..=x1 as i64).flat_map(move |x| (y0 as i64..=y1 as i64).map(move |y| (x, y))))
}
