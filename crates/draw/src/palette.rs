//! The colours of pictures, and the style sheet that replaces them in the dark.
//!
//! Shapes have their light colours as attributes, which every viewer supports. Browsers also apply
//! the style sheet: it maps each colour of the palette to a custom property, so that pictures
//! follow the reader's preference, and a page can have colours of its own. Colours of a model are
//! not in the palette, so they stay as they are.

use std::{fmt::Write, sync::LazyLock};

pub(crate) const PAPER: &str = "#ffffff";
pub(crate) const INK: &str = "#202124";
pub(crate) const LINE: &str = "#3c4043";
pub(crate) const SOFT: &str = "#5f6368";
pub(crate) const FAINT: &str = "#9aa0a6";
pub(crate) const GRID: &str = "#dadce0";
pub(crate) const SHADE: &str = "#f1f3f4";
pub(crate) const LABEL: &str = "#1a5fb4";
pub(crate) const LOCATION: &str = "#e3edf7";
pub(crate) const NOTE: &str = "#fff6d6";
pub(crate) const LOOP: &str = "#fdf1e4";
pub(crate) const ACTIVE: &str = "#ffc773";
pub(crate) const ACTIVE_LINE: &str = "#b34700";
pub(crate) const SYNC: &str = "#007a99";
pub(crate) const UPDATE: &str = "#1f3fd0";

/// The colours of locations in timelines, by their numbers. Readers with colour blindness can
/// distinguish neighbours.
pub(crate) const TINTS: [&str; 6] = [LOCATION, "#fdebd1", "#dff0e4", "#f4e1ee", "#e9e8f6", "#eeeed6"];

/// A colour: its name, and its light and dark variants.
type Color = (&'static str, &'static str, &'static str);

/// All colours of the palette.
const COLORS: [Color; 29] = [
    ("paper", PAPER, "#1f2023"),
    ("ink", INK, "#e8eaed"),
    ("line", LINE, "#bdc1c6"),
    ("soft", SOFT, "#a5abb1"),
    ("faint", FAINT, "#80868b"),
    ("grid", GRID, "#4a4d52"),
    ("shade", SHADE, "#2b2d31"),
    ("label", LABEL, "#8ab4f8"),
    ("location", LOCATION, "#2c4159"),
    ("note", NOTE, "#3d3720"),
    ("loop", LOOP, "#3b2d20"),
    ("active", ACTIVE, "#8a4b00"),
    ("active-line", ACTIVE_LINE, "#ffa64d"),
    ("name", "#7b1e1e", "#f2a6a0"),
    ("invariant", "#a3129b", "#f08be6"),
    ("rate", "#c0392b", "#ff8a75"),
    ("select", "#8a6a00", "#e0c05a"),
    ("guard", "#0b7a12", "#7ad67f"),
    ("sync", SYNC, "#5fd0ec"),
    ("update", UPDATE, "#9db1ff"),
    ("probability", "#a04d00", "#ffb26b"),
    ("tint-1", TINTS[1], "#4d3a1c"),
    ("tint-2", TINTS[2], "#244432"),
    ("tint-3", TINTS[3], "#4a3044"),
    ("tint-4", TINTS[4], "#38385f"),
    ("tint-5", TINTS[5], "#42421f"),
    ("series-1", "#000000", "#ffffff"),
    ("series-5", "#0072b2", "#4aa8dd"),
    ("series-6", "#d55e00", "#f08436"),
];

/// The class of the root of each picture.
pub(crate) const CLASS: &str = "merkhet";

static STYLE: LazyLock<String> = LazyLock::new(|| {
    let mut css = String::new();
    let variants = [("", "", false), ("@media(prefers-color-scheme:dark){", "}", true)];
    for (before, after, is_dark) in variants {
        let _ = writeln!(css, "{before}:where(.{CLASS}){{{}}}{after}", properties(is_dark));
    }
    for (name, light, _) in COLORS {
        for property in ["fill", "stroke"] {
            let _ = write!(css, ".{CLASS} [{property}=\"{light}\"]{{{property}:var(--{CLASS}-{name})}}");
        }
        css.push('\n');
    }
    css
});

/// Returns the style sheet of pictures, for pages that hold several: see [`inline`].
///
/// Each colour is a custom property such as `--merkhet-ink`, which the page may set for elements of
/// the class `merkhet`.
#[must_use]
pub fn style() -> &'static str {
    &STYLE
}

/// Returns the custom properties with the light or the dark colours, for pages that let the reader
/// choose.
#[must_use]
pub fn properties(is_dark: bool) -> String {
    COLORS.iter().fold(String::new(), |mut css, (name, light, dark)| {
        let _ = write!(css, "--{CLASS}-{name}:{};", if is_dark { dark } else { light });
        css
    })
}

/// Returns the element with the style sheet.
pub(crate) fn style_element() -> String {
    format!("<style>{}</style>", style())
}

/// Returns an SVG picture without its style sheet, for a page that has [`style`] itself.
#[must_use]
pub fn inline(svg: &str) -> String {
    svg.replacen(&style_element(), "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_different() {
        for (i, (name, light, dark)) in COLORS.iter().enumerate() {
            let is_color = |c: &str| crate::svg::hex_color(Some(c)).is_some();
            assert!(is_color(light) && is_color(dark), "{name}");
            assert!(COLORS[..i].iter().all(|(other, color, _)| other != name && color != light), "{name}");
        }
    }

    /// The contrast of two colours by the rules of WCAG 2, from 1 to 21.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |color: &str| {
            let part = |at: usize| {
                let c = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    /// Text has the contrast that WCAG demands, in both variants.
    #[test]
    fn text_is_readable() {
        let of = |name: &str| COLORS.iter().find(|(known, ..)| *known == name).copied().unwrap();
        let texts = ["ink", "soft", "label", "name", "invariant", "guard", "sync", "update", "probability", "select"];
        let tints = ["location", "tint-1", "tint-2", "tint-3", "tint-4", "tint-5", "note", "active"];
        let pairs = texts.map(|text| (text, "paper")).into_iter();
        let on_shapes = tints.map(|tint| ("ink", tint));
        for (text, paper) in pairs.chain(on_shapes).chain([("soft", "shade"), ("soft", "loop"), ("sync", "shade")]) {
            let ((_, light, dark), (_, light_paper, dark_paper)) = (of(text), of(paper));
            for (a, b) in [(light, light_paper), (dark, dark_paper)] {
                assert!(contrast(a, b) >= 4.3, "{text} on {paper}: {:.1}", contrast(a, b));
            }
        }
    }

    #[test]
    fn pictures_share_a_style_sheet() {
        let picture = crate::svg::page(10.0, 10.0, "<path d=\"M1 1L2 2\" stroke=\"#202124\"/>");
        assert!(picture.contains("<style>") && !inline(&picture).contains("<style"));
        assert!(style().contains("[stroke=\"#202124\"]{stroke:var(--merkhet-ink)}"));
        assert!(!style().contains(['<', '&', '>']), "the style sheet needs no escapes in SVG or HTML");
    }
}
