//! The widths of characters.
//!
//! Pictures name fonts of which a viewer has some: Helvetica, Arial and Liberation Sans have the
//! same widths, and DejaVu Sans, which stands in for all of them on many systems, is wider. Boxes
//! are sized for the widest, so that no text leaves its box.

/// The fonts that pictures name, the best first.
pub(crate) const FAMILIES: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// The weight of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// The greatest advance widths of the printable ASCII characters in these fonts, in thousandths of
/// the font size.
#[rustfmt::skip]
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
    637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557,
    1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 500, 667, 558, 863, 749, 788,
    667, 788, 723, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 557,
    500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
    635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];

/// The same for bold letters.
#[rustfmt::skip]
const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366,
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
    1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 557, 775, 638, 996, 837, 851,
    733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 557,
    500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
    716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// Returns the width of a character relative to the font size.
fn advance(c: char, weight: Weight) -> f64 {
    let table = match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    };
    let known = (c as usize).checked_sub(' ' as usize).and_then(|i| table.get(i));
    let other = match (c as u32, weight) {
        // Letters of other alphabets, of which few are wider.
        (..0x1100, Weight::Regular) => 0.9,
        (..0x1100, Weight::Bold) => 1.05,
        // Square characters and symbols.
        _ => 1.05,
    };
    known.map_or(other, |width| f64::from(*width) / 1000.0)
}

/// Returns the width of a line. Viewers that place characters at whole pixels may need slightly
/// more than the sum of the widths.
pub(crate) fn width(line: &str, size: f64, weight: Weight) -> f64 {
    let em: f64 = line.chars().map(|c| advance(c, weight)).sum();
    em * size * 1.02
}

#[allow(clippy::disallowed_methods, reason = "tests read fonts")]
#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a big-endian number of two bytes.
    fn short(bytes: &[u8], at: usize) -> usize {
        usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]))
    }

    /// Returns the widths of the printable ASCII characters in a TrueType font, relative to the
    /// font size.
    fn widths(font: &[u8]) -> Vec<f64> {
        let long = |at: usize| short(font, at) << 16 | short(font, at + 2);
        let table = |name: &[u8]| {
            let records = (0..short(font, 4)).map(|i| 12 + 16 * i);
            long(records.clone().find(|at| &font[*at..at + 4] == name).unwrap() + 8)
        };
        let (head, hhea, hmtx, cmap) = (table(b"head"), table(b"hhea"), table(b"hmtx"), table(b"cmap"));
        let (units, metrics) = (short(font, head + 18), short(font, hhea + 34));
        let maps = (0..short(font, cmap + 2)).map(|i| cmap + long(cmap + 4 + 8 * i + 4));
        let map = maps.into_iter().find(|at| short(font, *at) == 4).expect("a map of segments");
        let segments = short(font, map + 6) / 2;
        let glyph = |c: usize| {
            let (ends, starts) = (map + 14, map + 16 + 2 * segments);
            let s = (0..segments).find(|s| short(font, ends + 2 * s) >= c).unwrap();
            let (start, delta) = (short(font, starts + 2 * s), short(font, starts + 2 * (segments + s)));
            let at = starts + 2 * (2 * segments + s);
            match short(font, at) {
                0 => (c + delta) & 0xffff,
                offset => (short(font, at + offset + 2 * (c - start)) + delta) & 0xffff,
            }
        };
        let width = |c: usize| short(font, hmtx + 4 * glyph(c).min(metrics - 1)) as f64 / units as f64;
        (0x20..0x7f).map(width).collect()
    }

    /// The tables are not below what the fonts of this machine have.
    #[test]
    fn no_character_is_wider_than_assumed() {
        let folders = ["/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/liberation"];
        let files = [
            ("DejaVuSans.ttf", Weight::Regular),
            ("DejaVuSans-Bold.ttf", Weight::Bold),
            ("LiberationSans-Regular.ttf", Weight::Regular),
            ("LiberationSans-Bold.ttf", Weight::Bold),
        ];
        let mut found = 0;
        for (file, weight) in files {
            let Some(font) = folders.iter().find_map(|folder| std::fs::read(format!("{folder}/{file}")).ok()) else {
                continue;
            };
            found += 1;
            for (c, width) in (' '..='~').zip(widths(&font)) {
                let assumed = advance(c, weight);
                assert!(width <= assumed + 0.001, "{file}: {c:?} has {width}, not {assumed}");
            }
        }
        if found == 0 {
            oracle::skip("none of the fonts is installed");
        }
    }

    #[test]
    fn wide_characters_and_bold_ones_take_more_room() {
        let of = |text: &str, weight| width(text, 10.0, weight);
        assert!(of("iii", Weight::Regular) < of("www", Weight::Regular));
        assert!(of("name", Weight::Regular) < of("name", Weight::Bold));
        assert!(of("\u{4e2d}", Weight::Regular) >= 10.0 && of("\u{416}", Weight::Regular) > 8.0);
    }
}
