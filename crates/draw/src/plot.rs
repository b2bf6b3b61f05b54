//! Functions of one number: lines, steps, bars, and bands between two lines.

use std::fmt::Write;

use crate::{
    chart::COLORS,
    font::{self, Weight},
    palette::{GRID, INK, LINE, SOFT},
    svg::{escaped, number},
    text::FONT,
};

/// Curves over a common axis.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// The title, which says what was measured.
    pub title: String,
    /// What the horizontal axis shows.
    pub across: String,
    /// What the vertical axis shows.
    pub up: String,
    /// The curves. Later ones are drawn over earlier ones.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The name in the legend. Curves with the same name have the same colour, and one entry.
    pub name: String,
    /// What is drawn.
    pub shape: CurveShape,
}

/// What is drawn. Numbers that are not finite are left out.
#[derive(Clone, Debug)]
pub enum CurveShape {
    /// Points, with straight lines between them.
    Line(Vec<(f64, f64)>),
    /// Values, each of which holds from its place on to the next one.
    Steps(Vec<(f64, f64)>),
    /// Bars from 0 up: where each begins, and its height. All have this width.
    Bars(f64, Vec<(f64, f64)>),
    /// The area between two lines: places, with a lower and an upper value.
    Band(Vec<(f64, f64, f64)>),
}

const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const HEAD: f64 = 60.0;
const PLOT: (f64, f64) = (640.0, 300.0);
const FOOT: f64 = 50.0;
const LEGEND_LINE: f64 = 20.0;
const TICK: f64 = 5.0;
/// The number of steps that a scale has at least.
const TICKS: f64 = 4.0;
/// The most characters of a name, and the most names in the legend.
const MOST_LETTERS: usize = 40;
const MOST_NAMES: usize = 14;

/// Renders the plot.
pub(crate) fn write(plot: &Plot) -> String {
    let (across, up) = (Axis::of(plot, true), Axis::of(plot, false));
    let label_width = |scale: &Axis| {
        scale.ticks().map(|tick| font::width(&scale.label(tick), FONT, Weight::Regular)).fold(0.0, f64::max)
    };
    let mut names: Vec<&str> = Vec::new();
    for curve in &plot.curves {
        if !names.contains(&curve.name.as_str()) {
            names.push(&curve.name);
        }
    }
    let legend: Vec<String> = if names.len() > 1 { entries(&names) } else { Vec::new() };
    let legend_width = legend.iter().map(|name| font::width(name, FONT, Weight::Regular)).fold(0.0, f64::max);
    let left = MARGIN + label_width(&up) + 10.0;
    let (right, bottom) = (left + PLOT.0, HEAD + PLOT.1);
    let title = short(&plot.title, 2 * MOST_LETTERS);
    let beside = if legend.is_empty() { 0.0 } else { legend_width + 2.0 * MARGIN };
    let least = font::width(&title, TITLE, Weight::Bold) + 2.0 * MARGIN;
    let w = (right + MARGIN + label_width(&across) / 2.0 + beside).max(least).ceil();
    let h = (bottom + FOOT).max(HEAD + LEGEND_LINE * legend.len() as f64 + MARGIN).ceil();
    let frame = Frame { across, up, left, bottom };
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"{TITLE}\" font-weight=\"bold\" fill=\"{INK}\">{}</text>",
        number(MARGIN + TITLE / 2.0),
        escaped(&title)
    );
    frame.write_axes((right, &short(&plot.across, MOST_LETTERS), &short(&plot.up, MOST_LETTERS)), &mut body);
    for curve in &plot.curves {
        let color = COLORS[names.iter().position(|name| *name == curve.name).unwrap_or(0) % COLORS.len()];
        frame.write_curve(curve, color, &mut body);
    }
    for (kind, name) in legend.iter().enumerate() {
        let y = HEAD + LEGEND_LINE * (kind as f64 + 0.5);
        let x = right + MARGIN + 4.0;
        if kind < names.len() && kind < MOST_NAMES {
            let color = COLORS[kind % COLORS.len()];
            let _ = writeln!(
                body,
                "<path d=\"M{} {}L{} {}\" stroke=\"{color}\" stroke-width=\"3\"/>",
                number(x),
                number(y),
                number(x + 14.0),
                number(y)
            );
        }
        let (x, y) = (number(x + 20.0), number(y + 4.0));
        let _ = writeln!(body, "<text x=\"{x}\" y=\"{y}\" fill=\"{INK}\">{}</text>", escaped(name));
    }
    crate::svg::page(w, h, &body)
}

/// Returns the entries of the legend.
fn entries(names: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = names.iter().take(MOST_NAMES).map(|name| short(name, MOST_LETTERS)).collect();
    if names.len() > MOST_NAMES {
        all.push(format!("and {} more", names.len() - MOST_NAMES));
    }
    all
}

/// Returns the beginning of a text on one line.
fn short(text: &str, most: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most - 1).collect();
    cut.push('…');
    cut
}

/// Numbers on an axis: from one round number to another, in round steps.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// Returns the scale for everything that a plot shows on one of its axes.
    fn of(plot: &Plot, across: bool) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut note = |x: f64, y: f64| {
            if x.is_finite() && y.is_finite() {
                let value = if across { x } else { y };
                (low, high) = (low.min(value), high.max(value));
            }
        };
        for curve in &plot.curves {
            match &curve.shape {
                CurveShape::Line(points) | CurveShape::Steps(points) => points.iter().for_each(|(x, y)| note(*x, *y)),
                CurveShape::Bars(width, bars) => bars.iter().for_each(|(x, y)| {
                    note(*x, 0.0);
                    note(x + width, *y);
                }),
                CurveShape::Band(points) => points.iter().for_each(|(x, y, z)| {
                    note(*x, *y);
                    note(*x, *z);
                }),
            }
        }
        Axis::around(low, high)
    }

    fn around(low: f64, high: f64) -> Axis {
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A single number is in the middle. Differences of huge numbers have no other digits.
        let least = (low.abs().max(high.abs()) * 1e-9).max(f64::MIN_POSITIVE * 1e9);
        let (low, high) = if high - low > least { (low, high) } else { (low - least.max(0.5), high + least.max(0.5)) };
        // Half of the range is finite where the range is not.
        let rough = (high / 2.0 - low / 2.0) / TICKS * 2.0;
        let power = 10_f64.powi(rough.log10().floor().clamp(-300.0, 307.0) as i32);
        let step = [1.0, 2.0, 5.0].into_iter().map(|by| by * power).filter(|step| *step <= rough).fold(power, f64::max);
        let low = (low / step).floor() * step;
        Axis { low, high: (high / step).ceil() * step, step }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let Axis { low, high, step } = *self;
        let count = (high / step - low / step).round().clamp(0.0, 100.0) as u32;
        (0..=count).map(move |i| (low + f64::from(i) * step).clamp(low, high))
    }

    /// Returns the text for a number at a tick.
    fn label(&self, tick: f64) -> String {
        let size = self.low.abs().max(self.high.abs());
        if !(1e-3..1e6).contains(&size) {
            return format!("{tick:.2e}");
        }
        let digits = (-self.step.log10().floor()).clamp(0.0, 9.0) as usize;
        let text = format!("{tick:.digits$}");
        if text.trim_start_matches('-').chars().all(|c| "0.".contains(c)) { "0".to_owned() } else { text }
    }

    /// Returns where a number is, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let size = self.high / 2.0 - self.low / 2.0;
        ((value / 2.0 - self.low / 2.0) / size).clamp(0.0, 1.0)
    }
}

/// Where the curves are.
struct Frame {
    across: Axis,
    up: Axis,
    left: f64,
    bottom: f64,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        self.left + self.across.share(value) * PLOT.0
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.up.share(value) * PLOT.1
    }

    fn write_axes(&self, (right, across, up): (f64, &str, &str), out: &mut String) {
        let (left, bottom) = (number(self.left), number(self.bottom));
        for tick in self.up.ticks() {
            let (y, end, right) = (number(self.y(tick)), number(self.left - 6.0), number(right));
            let _ = writeln!(out, "<path d=\"M{left} {y}L{right} {y}\" stroke=\"{GRID}\"/>");
            let text = number(self.y(tick) + 4.0);
            let label = self.up.label(tick);
            let _ = writeln!(out, "<text x=\"{end}\" y=\"{text}\" text-anchor=\"end\" fill=\"{SOFT}\">{label}</text>");
        }
        for tick in self.across.ticks() {
            let (x, end, text) =
                (number(self.x(tick)), number(self.bottom + TICK), number(self.bottom + TICK + FONT + 2.0));
            let _ = writeln!(out, "<path d=\"M{x} {bottom}L{x} {end}\" stroke=\"{LINE}\"/>");
            let label = self.across.label(tick);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{text}\" text-anchor=\"middle\" fill=\"{SOFT}\">{label}</text>");
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left} {HEAD}L{left} {bottom}L{} {bottom}\" stroke=\"{LINE}\" fill=\"none\"/>",
            number(right)
        );
        let middle = number((self.left + right) / 2.0);
        let below = number(self.bottom + FOOT - 12.0);
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\" fill=\"{INK}\">{}</text>",
            escaped(across)
        );
        let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\" fill=\"{INK}\">{}</text>", number(HEAD - 8.0), escaped(up));
    }

    fn write_curve(&self, curve: &Curve, color: &str, out: &mut String) {
        let title = escaped(&short(&curve.name, MOST_LETTERS));
        let (attributes, path) = match &curve.shape {
            CurveShape::Line(points) => ("fill=\"none\" stroke-width=\"1.5\"", self.line(points, false)),
            CurveShape::Steps(points) => ("fill=\"none\" stroke-width=\"1.5\"", self.line(points, true)),
            CurveShape::Bars(width, bars) => ("fill-opacity=\"0.5\"", self.bars(*width, bars)),
            CurveShape::Band(points) => ("fill-opacity=\"0.15\" stroke=\"none\"", self.band(points)),
        };
        if path.is_empty() {
            return;
        }
        let is_line = attributes.starts_with("fill=");
        let paint = match (is_line, attributes.contains("stroke=\"none\"")) {
            (true, _) => format!("stroke=\"{color}\""),
            (false, true) => format!("fill=\"{color}\""),
            (false, false) => format!("fill=\"{color}\" stroke=\"{color}\""),
        };
        let _ = writeln!(out, "<g {paint} {attributes}><title>{title}</title><path d=\"{path}\"/></g>");
    }

    /// Returns a path through points. Of those in one column of the picture, the first, the least,
    /// the greatest and the last are enough.
    fn line(&self, points: &[(f64, f64)], steps: bool) -> String {
        let mut path = String::new();
        let mut pieces: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        let mut before: Option<f64> = None;
        for (x, y) in points {
            if !(x.is_finite() && y.is_finite()) {
                pieces.push(Vec::new());
                before = None;
                continue;
            }
            let (x, y) = (self.x(*x), self.y(*y));
            let piece = pieces.last_mut();
            if let Some(piece) = piece {
                piece.extend(before.filter(|_| steps).map(|before| (x, before)));
                piece.push((x, y));
            }
            before = Some(y);
        }
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            for (number_of, (x, y)) in thinned(piece).into_iter().enumerate() {
                let letter = if number_of == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{} {}", number(x), number(y));
            }
        }
        path
    }

    fn bars(&self, width: f64, bars: &[(f64, f64)]) -> String {
        let mut path = String::new();
        let floor = self.y(0.0);
        for (from, height) in bars.iter().filter(|(from, height)| from.is_finite() && height.is_finite()) {
            let (left, right, top) = (self.x(*from), self.x(from + width), self.y(*height));
            let (left, right, top, floor) = (number(left), number(right), number(top), number(floor));
            let _ = write!(path, "M{left} {floor}L{left} {top}L{right} {top}L{right} {floor}Z");
        }
        path
    }

    fn band(&self, points: &[(f64, f64, f64)]) -> String {
        let known = || points.iter().filter(|(x, low, high)| x.is_finite() && low.is_finite() && high.is_finite());
        let there = known().map(|(x, _, high)| (self.x(*x), self.y(*high)));
        let back = known().rev().map(|(x, low, _)| (self.x(*x), self.y(*low)));
        let mut path = String::new();
        for (i, (x, y)) in there.chain(back).enumerate() {
            let letter = if i == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{} {}", number(x), number(y));
        }
        if !path.is_empty() {
            path.push('Z');
        }
        path
    }
}

/// Leaves out points that nobody sees: of those in one column, the first, the least, the greatest
/// and the last stay.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = [column.first(), column.iter().min_by(by_height), column.iter().max_by(by_height), column.last()];
        let mut last = None;
        for point in ends.into_iter().flatten() {
            if last != Some(point) {
                all.push(*point);
            }
            last = Some(point);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_round_numbers_and_contain_everything() {
        for (low, high) in [
            (0.0, 1.0),
            (-3.7, 12.0),
            (5.0, 5.0),
            (0.0, 0.0),
            (1e-9, 3e-9),
            (1e300, 1.5e300),
            (-1e308, 1e308),
            (1e9, 1e9 + 1.0),
            (f64::INFINITY, f64::NEG_INFINITY),
        ] {
            let scale = Axis::around(low, high);
            let ticks: Vec<f64> = scale.ticks().collect();
            assert!((3..=12).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|tick| tick.is_finite()), "{low} to {high}: {ticks:?}");
            if low <= high {
                assert!(scale.low <= low && high <= scale.high, "{low} to {high}: {ticks:?}");
            }
        }
        let labels = |low, high| {
            let scale = Axis::around(low, high);
            scale.ticks().map(|tick| scale.label(tick)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.0, 60.0), "0 10 20 30 40 50 60");
        assert_eq!(labels(0.0, 1.0), "0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(-2.0, 2.0), "-2 -1 0 1 2");
    }

    #[test]
    fn of_many_points_those_that_are_seen_stay() {
        let noise = |i: usize| ((i as f64 * 12.9898).sin() * 43_758.547).fract().abs();
        let points: Vec<(f64, f64)> = (0..1_000_000).map(|i| (i as f64, noise(i))).collect();
        let plot =
            Plot { curves: vec![Curve { name: "n".to_owned(), shape: CurveShape::Line(points) }], ..Plot::default() };
        assert!(write(&plot).len() < 60_000);
    }
}
