//! A dot plot: a row for each measured object, a mark for each series, on a logarithmic scale.

use std::fmt::Write;

use crate::{
    font::{self, Weight},
    palette::{GRID, INK, PAPER, SOFT},
    svg::{escaped, number},
    text::FONT,
};

/// Positive numbers of several series.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The title, which says what was measured.
    pub title: String,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The series, each with its own mark.
    pub series: Vec<Series>,
}

/// The numbers of one series.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// A number for each row, if there is one.
    pub values: Vec<Option<f64>>,
}

const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const ROW: f64 = 24.0;
const PLOT: f64 = 640.0;
const LEGEND_LINE: f64 = 20.0;
const MARK: f64 = 4.5;
/// The space above the marks for the title and the labels of the scale.
const HEAD: f64 = 60.0;

/// The palette of M. Okabe and K. Ito, which readers with colour blindness can distinguish; their
/// yellow is too pale on white. Series that share a colour have different shapes, and neighbours in
/// the legend differ in both.
pub(crate) const COLORS: [&str; 7] = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"];

/// The corners of each shape relative to its centre; without corners it is a circle.
const SHAPES: [&[(f64, f64)]; 5] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
];

/// Renders the chart.
pub(crate) fn write(chart: &Chart) -> String {
    let names = |names: &mut dyn Iterator<Item = &String>| {
        names.map(|n| font::width(n, FONT, Weight::Regular)).fold(0.0, f64::max)
    };
    let left = MARGIN + names(&mut chart.rows.iter()) + 10.0;
    let right = left + PLOT;
    let legend = right + 2.0 * MARGIN;
    let w = (legend + 2.0 * MARGIN + names(&mut chart.series.iter().map(|s| &s.name))).ceil();
    let rows = HEAD + ROW * chart.rows.len() as f64;
    let h = (rows.max(HEAD + LEGEND_LINE * chart.series.len() as f64) + MARGIN).ceil();
    let scale = Scale::around(chart, left);
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<text x=\"{}\" y=\"{}\" font-size=\"{TITLE}\" font-weight=\"bold\" fill=\"{INK}\">{}</text>",
        number(MARGIN),
        number(MARGIN + TITLE / 2.0),
        escaped(&chart.title)
    );
    for power in scale.first..=scale.last {
        let x = number(scale.at(10_f64.powi(power)));
        let _ = writeln!(body, "<path d=\"M{x} {HEAD}L{x} {rows}\" stroke=\"{GRID}\"/>");
        let _ = writeln!(
            body,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"{SOFT}\">{}</text>",
            number(HEAD - 6.0),
            power_of_ten(power)
        );
    }
    for (row, name) in chart.rows.iter().enumerate() {
        let y = HEAD + ROW * (row as f64 + 0.5);
        if row % 2 == 0 {
            let (top, width) = (number(y - ROW / 2.0), right - left);
            let _ = writeln!(
                body,
                "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{ROW}\" fill=\"{SOFT}\" fill-opacity=\"0.06\"/>",
                number(left),
                number(width)
            );
        }
        let _ = writeln!(
            body,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{INK}\">{}</text>",
            number(left - 8.0),
            number(y + 4.0),
            escaped(name)
        );
        for (kind, series) in chart.series.iter().enumerate() {
            let Some(value) = series.values.get(row).copied().flatten() else { continue };
            // Marks of equal numbers are spread over the height of the row.
            let share = (kind as f64 + 0.5) / chart.series.len() as f64 - 0.5;
            let title = format!("{name}, {}: {value}", series.name);
            mark(&mut body, kind, (scale.at(value), y + share * (ROW - 2.0 * MARK)), &title);
        }
    }
    for (kind, series) in chart.series.iter().enumerate() {
        let y = HEAD + LEGEND_LINE * (kind as f64 + 0.5);
        mark(&mut body, kind, (legend, y), &series.name);
        let (x, y) = (number(legend + 12.0), number(y + 4.0));
        let _ = writeln!(body, "<text x=\"{x}\" y=\"{y}\" fill=\"{INK}\">{}</text>", escaped(&series.name));
    }
    crate::svg::page(w, h, &body)
}

/// Draws a mark with a white outline, so that overlapping marks can be distinguished.
fn mark(out: &mut String, kind: usize, (x, y): (f64, f64), title: &str) {
    let corners = SHAPES[kind % SHAPES.len()];
    let shape = if corners.is_empty() {
        format!("circle cx=\"{}\" cy=\"{}\" r=\"{MARK}\"", number(x), number(y))
    } else {
        let corners = corners.iter().map(|(dx, dy)| format!("{} {}", number(x + MARK * dx), number(y + MARK * dy)));
        format!("path d=\"M{}Z\"", corners.collect::<Vec<_>>().join("L"))
    };
    let color = COLORS[kind % COLORS.len()];
    let _ = writeln!(out, "<g fill=\"{color}\" stroke=\"{PAPER}\"><title>{}</title><{shape}/></g>", escaped(title));
}

/// The horizontal scale.
struct Scale {
    left: f64,
    /// Powers of ten.
    first: i32,
    last: i32,
}

impl Scale {
    /// Creates a scale from the power of ten below the least number to the one above the greatest.
    fn around(chart: &Chart, left: f64) -> Scale {
        let values = || chart.series.iter().flat_map(|s| s.values.iter().flatten()).map(|v| v.max(1.0).log10());
        let first = values().fold(f64::INFINITY, f64::min);
        let last = values().fold(f64::NEG_INFINITY, f64::max);
        let first = if first.is_finite() { first.floor() as i32 } else { 0 };
        let last = if last.is_finite() { last.ceil() as i32 } else { 1 };
        Scale { left, first, last: last.max(first + 1) }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.max(1.0).log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.left + share * PLOT
    }
}

/// Renders `10` with its exponent; small numbers are written out.
fn power_of_ten(power: i32) -> String {
    if power < 4 {
        format!("{}", 10_f64.powi(power))
    } else {
        format!("10<tspan dy=\"-5\" font-size=\"9\">{power}</tspan>")
    }
}
