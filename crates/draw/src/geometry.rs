//! Points, rectangles and operations on them. The y axis points down.

use std::ops::{Add, Mul, Sub};

/// A point or a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pt {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

pub(crate) const fn pt(x: f64, y: f64) -> Pt {
    Pt { x, y }
}

impl Add for Pt {
    type Output = Pt;
    fn add(self, o: Pt) -> Pt {
        pt(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Pt {
    type Output = Pt;
    fn sub(self, o: Pt) -> Pt {
        pt(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f64> for Pt {
    type Output = Pt;
    fn mul(self, k: f64) -> Pt {
        pt(self.x * k, self.y * k)
    }
}

impl Pt {
    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// Returns the vector of length 1 in the same direction; the zero vector becomes (1, 0).
    pub(crate) fn unit(self) -> Pt {
        let length = self.length();
        if length < 1e-9 { pt(1.0, 0.0) } else { self * (1.0 / length) }
    }

    /// Returns the vector rotated by 90 degrees.
    pub(crate) fn rotated(self) -> Pt {
        pt(-self.y, self.x)
    }

    pub(crate) fn rounded(self) -> Pt {
        pt(self.x.round(), self.y.round())
    }
}

impl From<syntax::ast::Point> for Pt {
    fn from((x, y): syntax::ast::Point) -> Pt {
        pt(f64::from(x), f64::from(y))
    }
}

impl From<Pt> for syntax::ast::Point {
    fn from(p: Pt) -> (i32, i32) {
        (p.x.round() as i32, p.y.round() as i32)
    }
}

/// Width and height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    pub w: f64,
    pub h: f64,
}

/// A rectangle. It is empty if its corners are in the wrong order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub min: Pt,
    pub max: Pt,
}

impl Rect {
    /// The empty rectangle.
    pub(crate) const EMPTY: Rect =
        Rect { min: pt(f64::INFINITY, f64::INFINITY), max: pt(f64::NEG_INFINITY, f64::NEG_INFINITY) };

    pub(crate) fn at(corner: Pt, size: Size) -> Rect {
        Rect { min: corner, max: corner + pt(size.w, size.h) }
    }

    pub(crate) fn around(center: Pt, radius: f64) -> Rect {
        Rect { min: center - pt(radius, radius), max: center + pt(radius, radius) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.min.x > self.max.x || self.min.y > self.max.y
    }

    pub(crate) fn width(&self) -> f64 {
        (self.max.x - self.min.x).max(0.0)
    }

    pub(crate) fn height(&self) -> f64 {
        (self.max.y - self.min.y).max(0.0)
    }

    pub(crate) fn add(&mut self, p: Pt) {
        self.min = pt(self.min.x.min(p.x), self.min.y.min(p.y));
        self.max = pt(self.max.x.max(p.x), self.max.y.max(p.y));
    }

    pub(crate) fn join(&mut self, other: Rect) {
        if !other.is_empty() {
            self.add(other.min);
            self.add(other.max);
        }
    }

    pub(crate) fn grown(&self, by: f64) -> Rect {
        Rect { min: self.min - pt(by, by), max: self.max + pt(by, by) }
    }

    /// Returns the area of the intersection.
    pub(crate) fn overlap(&self, o: &Rect) -> f64 {
        let w = self.max.x.min(o.max.x) - self.min.x.max(o.min.x);
        let h = self.max.y.min(o.max.y) - self.min.y.max(o.min.y);
        if w > 0.0 && h > 0.0 { w * h } else { 0.0 }
    }

    /// Returns the length of the part of a segment that lies inside.
    pub(crate) fn length_inside(&self, a: Pt, b: Pt) -> f64 {
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for (a, d, min, max) in [(a.x, b.x - a.x, self.min.x, self.max.x), (a.y, b.y - a.y, self.min.y, self.max.y)] {
            if d.abs() < 1e-9 {
                if a < min || a > max {
                    return 0.0;
                }
                continue;
            }
            let (s, t) = ((min - a) / d, (max - a) / d);
            from = from.max(s.min(t));
            to = to.min(s.max(t));
        }
        if to > from { (b - a).length() * (to - from) } else { 0.0 }
    }
}

/// Returns the distance of `p` from the segment between `a` and `b`.
pub(crate) fn distance_to_segment(p: Pt, a: Pt, b: Pt) -> f64 {
    let d = b - a;
    let squared = d.x * d.x + d.y * d.y;
    let t = if squared < 1e-9 { 0.0 } else { ((p.x - a.x) * d.x + (p.y - a.y) * d.y) / squared };
    (p - (a + d * t.clamp(0.0, 1.0))).length()
}

/// Returns the point at a fraction (0 to 1) of a polyline's length, and the direction there.
pub(crate) fn along(points: &[Pt], fraction: f64) -> (Pt, Pt) {
    let total: f64 = points.windows(2).map(|w| (w[1] - w[0]).length()).sum();
    let mut left = total * fraction;
    for w in points.windows(2) {
        let length = (w[1] - w[0]).length();
        if left <= length && length > 0.0 {
            return (w[0] + (w[1] - w[0]) * (left / length), (w[1] - w[0]).unit());
        }
        left -= length;
    }
    (points.last().copied().unwrap_or_default(), pt(1.0, 0.0))
}
