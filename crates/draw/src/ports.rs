//! The points at which lines leave and enter nodes: each line has its own, so that no line leaves
//! where another one arrives.

use std::f64::consts::TAU;

use crate::geometry::{Pt, Rect, Size, pt};

/// The distance between the ends of lines at a border.
const APART: f64 = 7.5;
/// The distance from a border within which a line is straight, for its arrow head.
const ARM: f64 = 14.0;
/// The part of a box's side, from its corners, that has no lines.
const CORNER: f64 = 4.0;
/// A turn that can't be seen.
const SAME: f64 = 0.02;

/// The outline of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A circle of this radius. Lines point to its centre.
    Circle(f64),
    /// A box of this size. Lines point to its middle axes.
    Box(Size),
}

/// The end of a line at a node.
#[derive(Clone, Copy)]
struct End {
    line: usize,
    /// Whether the line ends here; otherwise it starts.
    last: bool,
    /// The first point of the line outside of the node.
    toward: Pt,
    /// The number of points inside of the node.
    inside: usize,
}

/// Moves the ends of lines apart. A line goes from the centre of its first node to that of its last
/// one; `nodes` are the outlines with their centres, and `ends` the nodes of each line.
pub(crate) fn separate(nodes: &[(Pt, Shape)], ends: &[(usize, usize)], lines: &mut [Vec<Pt>]) {
    let mut at: Vec<Vec<(usize, bool)>> = vec![Vec::new(); nodes.len()];
    for (line, &(from, to)) in ends.iter().enumerate() {
        at[from].push((line, false));
        at[to].push((line, true));
    }
    for (&(center, shape), list) in nodes.iter().zip(at) {
        let found: Vec<End> =
            list.iter().filter_map(|&(line, last)| end(center, shape, line, last, &lines[line])).collect();
        match shape {
            Shape::Circle(radius) => around(center, radius, found, lines),
            Shape::Box(size) => beside(center, size, found, lines),
        }
    }
}

/// Returns the lines between nodes, each from border to border, with these bends.
pub(crate) fn routed(nodes: &[(Pt, Shape)], ends: &[(usize, usize)], bends: &[Vec<Pt>]) -> Vec<Vec<Pt>> {
    let whole = |(&(a, b), bends): (&(usize, usize), &Vec<Pt>)| {
        [nodes[a].0].into_iter().chain(bends.iter().copied()).chain([nodes[b].0]).collect()
    };
    let mut lines: Vec<Vec<Pt>> = ends.iter().zip(bends).map(whole).collect();
    separate(nodes, ends, &mut lines);
    for (line, &(a, b)) in lines.iter_mut().zip(ends) {
        *line = outside(line, nodes[a]);
        line.reverse();
        *line = outside(line, nodes[b]);
        line.reverse();
    }
    lines
}

/// Clips the start of a line to the border of its node.
fn outside(line: &[Pt], (center, shape): (Pt, Shape)) -> Vec<Pt> {
    let Some(end) = end(center, shape, 0, false, line) else { return line.to_vec() };
    let Some(before) = end.inside.checked_sub(1) else { return line.to_vec() };
    let (a, b) = (line[before], end.toward);
    let length = (b - a).length();
    let within = match shape {
        Shape::Box(size) => Rect::at(center - pt(size.w / 2.0, size.h / 2.0), size).length_inside(a, b),
        // The segment leaves the circle where its distance from the centre is the radius.
        Shape::Circle(radius) => {
            let (d, from) = ((b - a).unit(), a - center);
            let along = from.x * d.x + from.y * d.y;
            let square = from.x * from.x + from.y * from.y;
            (along * along - square + radius * radius).max(0.0).sqrt() - along
        }
    };
    let start = if length > 0.0 { a + (b - a) * (within / length).min(1.0) } else { a };
    [start].into_iter().chain(line[end.inside..].iter().copied()).collect()
}

/// Returns the end of a line, unless the whole line is inside of the node.
fn end(center: Pt, shape: Shape, line: usize, last: bool, points: &[Pt]) -> Option<End> {
    let is_inside = |p: Pt| match shape {
        Shape::Circle(radius) => (p - center).length() <= radius,
        Shape::Box(size) => {
            (p.x - center.x).abs() <= size.w / 2.0 + 0.1 && (p.y - center.y).abs() <= size.h / 2.0 + 0.1
        }
    };
    let point = |i: usize| if last { points[points.len() - 1 - i] } else { points[i] };
    let inside = (0..points.len()).find(|&i| !is_inside(point(i)))?;
    Some(End { line, last, toward: point(inside), inside })
}

impl End {
    /// Replaces what is inside of the node by these points, of which the first is that in the node.
    fn replace(&self, path: &[Pt], lines: &mut [Vec<Pt>]) {
        let line = &mut lines[self.line];
        if self.last {
            let keep = line.len() - self.inside;
            line.truncate(keep);
            line.extend(path.iter().rev());
        } else {
            line.splice(..self.inside, path.iter().copied());
        }
    }
}

/// Separates the lines of a circle by their angles.
fn around(center: Pt, radius: f64, mut ends: Vec<End>, lines: &mut [Vec<Pt>]) {
    let angle = |end: &End| {
        let d = end.toward - center;
        d.y.atan2(d.x).rem_euclid(TAU)
    };
    ends.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    if ends.len() < 2 {
        return;
    }
    let angles: Vec<f64> = ends.iter().map(angle).collect();
    // The circle is cut at its widest gap.
    let gap = |i: usize| (angles[i] - angles[(i + ends.len() - 1) % ends.len()]).rem_euclid(TAU);
    let cut = (0..ends.len()).max_by(|&a, &b| gap(a).total_cmp(&gap(b))).unwrap_or(0);
    ends.rotate_left(cut);
    let wanted: Vec<f64> = ends.iter().map(angle).map(|a| if a < angles[cut] - 1e-9 { a + TAU } else { a }).collect();
    let apart = (APART / radius).min(TAU / ends.len() as f64);
    let turned = spread(&wanted, apart, f64::NEG_INFINITY, f64::INFINITY);
    for (end, (old, new)) in ends.iter().zip(wanted.iter().zip(turned)) {
        if (old - new).abs() < SAME {
            continue;
        }
        let direction = pt(new.cos(), new.sin());
        let distance = (end.toward - center).length();
        let near = (radius + ARM).min((radius + distance) / 2.0);
        end.replace(&[center, center + direction * near], lines);
    }
}

/// Separates the lines of a box on each of its sides.
fn beside(center: Pt, size: Size, ends: Vec<End>, lines: &mut [Vec<Pt>]) {
    let frame = Rect::at(center - pt(size.w / 2.0, size.h / 2.0), size);
    let is_flat = |end: &End| (frame.min.y - CORNER..=frame.max.y + CORNER).contains(&end.toward.y);
    for side in 0..4 {
        let here = |end: &&End| match side {
            0 => !is_flat(end) && end.toward.y < center.y,
            1 => !is_flat(end) && end.toward.y >= center.y,
            2 => is_flat(end) && end.toward.x < center.x,
            _ => is_flat(end) && end.toward.x >= center.x,
        };
        // Positions along the side.
        let upright = side >= 2;
        let along = |p: Pt| if upright { p.y } else { p.x };
        let mut group: Vec<&End> = ends.iter().filter(here).collect();
        group.sort_by(|a, b| along(a.toward).total_cmp(&along(b.toward)));
        let (low, high) = (along(frame.min), along(frame.max));
        let (low, high) = if high - low > 4.0 * CORNER { (low + CORNER, high - CORNER) } else { (low, high) };
        let wanted: Vec<f64> = group.iter().map(|end| along(end.toward).clamp(low, high)).collect();
        for (end, to) in group.iter().zip(spread(&wanted, APART, low, high)) {
            if upright {
                end.replace(&[pt(center.x, to)], lines);
                continue;
            }
            let border = if side == 0 { frame.min.y } else { frame.max.y };
            let room = (end.toward.y - border).abs();
            let arm = pt(to, border + (end.toward.y - border).signum() * ARM.min(room / 2.0));
            let middle = pt(to, center.y);
            if (end.toward.x - to).abs() < 1.5 {
                end.replace(&[middle], lines);
            } else {
                end.replace(&[middle, arm], lines);
            }
        }
    }
}

/// Moves ascending numbers apart as little as possible, within bounds.
pub(crate) fn spread(wanted: &[f64], apart: f64, low: f64, high: f64) -> Vec<f64> {
    let steps = wanted.len().saturating_sub(1).max(1) as f64;
    let apart = apart.min((high - low) / steps);
    // Means of groups in which numbers are too close: (sum, count).
    let mut groups: Vec<(f64, f64)> = Vec::with_capacity(wanted.len());
    for (i, want) in wanted.iter().enumerate() {
        let mut group = (want - i as f64 * apart, 1.0);
        while let Some(&(sum, count)) = groups.last() {
            if sum / count <= group.0 / group.1 {
                break;
            }
            group = (group.0 + sum, group.1 + count);
            groups.pop();
        }
        groups.push(group);
    }
    let means = groups.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count, count as usize));
    let last = high - apart * (wanted.len().saturating_sub(1)) as f64;
    means.enumerate().map(|(i, mean)| mean.min(last).max(low) + i as f64 * apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_moved_apart_within_bounds() {
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(spread(&[1.0, 9.0], 2.0, all.0, all.1), [1.0, 9.0]);
        assert_eq!(spread(&[4.0, 4.0], 2.0, all.0, all.1), [3.0, 5.0]);
        assert_eq!(spread(&[0.0, 0.0, 10.0], 2.0, 0.0, 10.0), [0.0, 2.0, 10.0]);
        assert_eq!(spread(&[5.0, 5.0, 5.0], 9.0, 0.0, 10.0), [0.0, 5.0, 10.0]);
        assert_eq!(spread(&[], 9.0, 0.0, 10.0), [] as [f64; 0]);
    }

    /// The points at which lines cross the border of a circle.
    fn crossings(lines: &[Vec<Pt>], radius: f64) -> Vec<Pt> {
        lines.iter().map(|line| (line[1] - line[0]).unit() * radius).collect()
    }

    #[test]
    fn lines_leave_a_circle_at_different_points() {
        let nodes = [(Pt::default(), Shape::Circle(10.0)), (pt(0.0, 100.0), Shape::Circle(10.0))];
        for count in [2, 3, 7] {
            let mut lines = vec![vec![nodes[0].0, nodes[1].0]; count];
            separate(&nodes, &vec![(0, 1); count], &mut lines);
            let points = crossings(&lines, 10.0);
            for (i, p) in points.iter().enumerate() {
                assert!(points[..i].iter().all(|q| (*p - *q).length() > 5.0), "{points:?}");
            }
        }
    }

    #[test]
    fn lines_leave_a_box_at_different_points() {
        let size = Size { w: 60.0, h: 20.0 };
        let nodes = [(Pt::default(), Shape::Box(size)), (pt(0.0, 100.0), Shape::Box(size))];
        let mut lines = vec![vec![nodes[0].0, nodes[1].0]; 4];
        separate(&nodes, &[(0, 1); 4], &mut lines);
        let starts: Vec<f64> = lines.iter().map(|line| line[0].x).collect();
        assert!(starts.windows(2).all(|w| w[1] - w[0] > 7.0), "{starts:?}");
        let ends: Vec<f64> = lines.iter().map(|line| line[line.len() - 1].x).collect();
        assert!(ends.windows(2).all(|w| w[1] - w[0] > 7.0), "{ends:?}");
    }

    #[test]
    fn a_line_within_its_node_stays() {
        let nodes = [(Pt::default(), Shape::Circle(10.0))];
        let mut lines = vec![vec![Pt::default(), pt(1.0, 1.0), Pt::default()]; 2];
        separate(&nodes, &[(0, 0); 2], &mut lines);
        assert_eq!(lines[0].len(), 3);
    }
}
