//! Shapes of charts and timelines, with the palette's colours.

use std::fmt::Write;

use crate::{
    font::{self, Weight},
    geometry::{Pt, Rect, Size},
    palette::PAPER,
    svg::{escaped, number},
    text::{ASCENT, FONT, printable},
};

/// The greatest number of characters of a name; tooltips have the rest.
pub(super) const NAME: usize = 32;

/// Returns a text on one line, shortened to a number of characters.
pub(super) fn short(text: &str, limit: usize) -> String {
    let clean: String = text.chars().map(printable).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        None => line,
        Some(_) => line.chars().take(limit - 1).chain(['\u{2026}']).collect(),
    }
}

/// Returns the width of a line of text.
pub(super) fn wide(line: &str, weight: Weight) -> f64 {
    font::width(line, FONT, weight)
}

/// Where text is relative to its position.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// Writes a line of text, whose top is at `at`.
pub(super) fn line_of_text(out: &mut String, at: Pt, line: &str, anchor: Anchor, color: &str, weight: Weight) {
    if line.is_empty() {
        return;
    }
    let anchor = match anchor {
        Anchor::Left => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::Right => " text-anchor=\"end\"",
    };
    let weight = if weight == Weight::Bold { " font-weight=\"bold\"" } else { "" };
    let (x, y) = (number(at.x), number(at.y + ASCENT));
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\"{anchor}{weight} fill=\"{color}\">{}</text>", escaped(line));
}

/// Writes a box with a frame.
pub(super) fn frame(out: &mut String, at: Rect, style: &str) {
    rectangle(out, at, &format!("rx=\"4\" {style}"));
}

/// Writes an area without a frame, which text and lines may cross.
pub(super) fn area(out: &mut String, at: Rect, color: &str) {
    rectangle(out, at, &format!("class=\"area\" fill=\"{color}\""));
}

/// Writes an invisible area that reacts to the mouse, with a tooltip.
pub(super) fn target(out: &mut String, at: Rect, tooltip: &str) {
    let _ = write!(out, "<title>{}</title>", escaped(tooltip));
    // What has no fill at all does not react.
    rectangle(out, at, &format!("class=\"area\" fill=\"{PAPER}\" fill-opacity=\"0\""));
}

fn rectangle(out: &mut String, at: Rect, style: &str) {
    let (x, y, w, h) = (number(at.min.x), number(at.min.y), number(at.width()), number(at.height()));
    let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {style}/>");
}

/// Writes a line with sharp corners.
pub(super) fn polyline(out: &mut String, points: &[Pt], color: &str, style: &str) {
    let point = |p: &Pt| format!("{} {}", number(p.x), number(p.y));
    let data: Vec<String> = points.iter().map(point).collect();
    let space = if style.is_empty() { "" } else { " " };
    let _ = writeln!(out, "<path d=\"M{}\" stroke=\"{color}\"{space}{style}/>", data.join("L"));
}

/// Returns a box around a centre.
pub(super) fn centered(at: Pt, size: Size) -> Rect {
    let half = Pt { x: size.w / 2.0, y: size.h / 2.0 };
    Rect { min: at - half, max: at + half }
}
