//! Measures what is hard to read in pictures, from the pictures themselves: text that lines cross
//! or that other text covers, and lines that end where others do.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::{
    font::{self, Weight},
    geometry::{Pt, Rect, Size, pt},
    text::{ASCENT, FONT, LINE},
};

/// Ends of lines that are closer than this can't be told apart.
const APART: f64 = 4.0;

/// The flaws of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flaws {
    /// Lines of text, and how many of them lines or arrow heads cross.
    pub texts: usize,
    pub crossed: usize,
    /// Pairs of texts that cover each other, and texts that cover the border of a node.
    pub covered: usize,
    /// Lines, and pairs of them of which one starts where the other ends.
    pub lines: usize,
    pub met: usize,
    /// Pairs of lines that start at the same point, or end at the same point.
    pub joined: usize,
}

impl Flaws {
    pub(crate) fn add(&mut self, other: Flaws) {
        self.texts += other.texts;
        self.crossed += other.crossed;
        self.covered += other.covered;
        self.lines += other.lines;
        self.met += other.met;
        self.joined += other.joined;
    }

    pub(crate) fn total(self) -> usize {
        self.crossed + self.covered + self.met + self.joined
    }
}

/// A line with its first and its last point.
struct Drawn {
    points: Vec<Pt>,
    /// Whether its last point is that of an arrow head.
    arrow: bool,
}

/// The shapes of a picture.
#[derive(Default)]
struct Shapes {
    texts: Vec<Rect>,
    lines: Vec<Drawn>,
    /// Frames and circles.
    boxes: Vec<Rect>,
    circles: Vec<(Pt, f64)>,
}

/// Finds the flaws of a picture.
pub(crate) fn flaws(svg: &str) -> Flaws {
    let shapes = read(svg);
    let mut found = Flaws { texts: shapes.texts.len(), lines: shapes.lines.len(), ..Flaws::default() };
    for (i, text) in shapes.texts.iter().enumerate() {
        // Positions are rounded, and letters do not fill their line.
        let inner = Rect { min: text.min + pt(1.0, 2.5), max: text.max - pt(1.0, 2.5) };
        let crosses = |line: &&Drawn| line.points.windows(2).any(|w| inner.length_inside(w[0], w[1]) > 0.5);
        found.crossed += shapes.lines.iter().filter(crosses).count();
        found.covered += shapes.texts[..i].iter().filter(|other| inner.overlap(other) > 2.0).count();
        let inside = |frame: &Rect| frame.overlap(text) >= text.width() * text.height() - 0.5;
        let cut = |frame: &&Rect| inner.overlap(frame) > 2.0 && !inside(frame);
        found.covered += shapes.boxes.iter().filter(cut).count();
        let center = (inner.min + inner.max) * 0.5;
        let far =
            |p: Pt| pt((p.x - center.x).abs() - inner.width() / 2.0, (p.y - center.y).abs() - inner.height() / 2.0);
        let touches = |(at, r): &&(Pt, f64)| {
            let d = far(*at);
            pt(d.x.max(0.0), d.y.max(0.0)).length() < r - 1.0 && !inside(&Rect::around(*at, *r))
        };
        found.covered += shapes.circles.iter().filter(touches).count();
    }
    for (i, a) in shapes.lines.iter().enumerate() {
        let (Some(&start), Some(&end)) = (a.points.first(), a.points.last()) else { continue };
        found.met += usize::from((start - end).length() < APART);
        for b in &shapes.lines[..i] {
            let (Some(&from), Some(&to)) = (b.points.first(), b.points.last()) else { continue };
            let near = |p: Pt, q: Pt| usize::from((p - q).length() < APART);
            found.met += near(start, to) + near(end, from);
            found.joined += near(start, from) + near(end, to);
        }
    }
    found
}

/// Returns how many texts, points of lines and boxes are not within a picture.
pub(crate) fn outside(svg: &str) -> usize {
    let size = svg.split_once("viewBox=\"0 0 ").expect("a view box").1.split('"').next().unwrap_or_default();
    let (w, h) = size.split_once(' ').expect("width and height");
    let page = Rect::at(Pt::default(), Size { w: w.parse().unwrap(), h: h.parse().unwrap() });
    let shapes = read(svg);
    let is_inside = |at: &Rect| at.min.x >= 0.0 && at.min.y >= 0.0 && at.max.x <= page.max.x && at.max.y <= page.max.y;
    let points = shapes.lines.iter().flat_map(|line| &line.points).map(|p| Rect { min: *p, max: *p });
    let boxes = shapes.texts.iter().chain(&shapes.boxes).copied();
    boxes.chain(points).filter(|at| !is_inside(at)).count()
}

fn read(svg: &str) -> Shapes {
    let mut shapes = Shapes::default();
    let mut reader = Reader::from_str(svg);
    let (mut weight, mut size, mut line) = (Weight::Regular, FONT, None);
    // The share of its width that a text is to the left of its position.
    let mut anchor = 0.0;
    let mut content = String::new();
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => return shapes,
            Event::Start(e) if e.name().as_ref() == "text" => {
                weight = if attribute(&e, "font-weight").is_some() { Weight::Bold } else { Weight::Regular };
                size = attribute(&e, "font-size").map_or(FONT, |size| size.parse().unwrap());
                anchor = match attribute(&e, "text-anchor").as_deref() {
                    Some("middle") => 0.5,
                    Some("end") => 1.0,
                    _ => 0.0,
                };
                line = corner(&e);
                content.clear();
            }
            Event::Start(e) if e.name().as_ref() == "tspan" => {
                line = corner(&e);
                content.clear();
            }
            Event::Text(t) => content.push_str(&t),
            Event::GeneralRef(_) => content.push('<'),
            Event::End(e) if ["text", "tspan"].contains(&e.name().as_ref()) => {
                if let Some(at) = line.take() {
                    let size = Size { w: font::width(&content, size, weight), h: LINE };
                    let at = at - pt(size.w * anchor, 0.0);
                    shapes.texts.push(Rect::at(at, size));
                }
            }
            Event::Start(e) | Event::Empty(e) => shapes.shape(&e),
            _ => {}
        }
    }
}

impl Shapes {
    fn shape(&mut self, e: &BytesStart<'_>) {
        let number = |key: &str| attribute(e, key).map_or(0.0, |v| v.parse::<f64>().unwrap());
        match e.name().as_ref() {
            "path" if attribute(e, "stroke-opacity").is_some() => {}
            "path" => {
                let points = points(&attribute(e, "d").unwrap());
                match self.lines.last_mut() {
                    // The head of the arrow before it.
                    Some(line) if attribute(e, "fill").is_some() && !line.arrow => {
                        line.points.push(points[0]);
                        line.arrow = true;
                    }
                    _ => self.lines.push(Drawn { points, arrow: false }),
                }
            }
            "circle" => {
                let (at, r) = (pt(number("cx"), number("cy")), number("r"));
                match self.lines.last_mut() {
                    // The end of an inhibitor arc.
                    Some(line) if !line.arrow && r < 5.0 && touches(line, at, r) => {
                        line.points.push(at);
                        line.arrow = true;
                    }
                    _ => self.circles.push((at, r)),
                }
            }
            // Text and lines may cross an area, such as the background of a delay.
            "rect" if attribute(e, "x").is_some() && attribute(e, "class").is_none() => {
                let size = Size { w: number("width"), h: number("height") };
                self.boxes.push(Rect::at(pt(number("x"), number("y")), size));
            }
            _ => {}
        }
    }
}

fn touches(line: &Drawn, at: Pt, r: f64) -> bool {
    line.points.last().is_some_and(|end| ((*end - at).length() - r).abs() < 0.5)
}

fn attribute(e: &BytesStart<'_>, key: &str) -> Option<String> {
    let found = e.attributes().flatten().find(|a| a.key.as_ref() == key)?;
    Some(found.value.to_string())
}

/// Returns the upper left corner of a line of text, from its baseline.
fn corner(e: &BytesStart<'_>) -> Option<Pt> {
    let number = |key: &str| attribute(e, key)?.parse::<f64>().ok();
    Some(pt(number("x")?, number("y")? - ASCENT))
}

/// Returns the points of a path; curves become short segments.
fn points(data: &str) -> Vec<Pt> {
    let mut out: Vec<Pt> = Vec::new();
    let commands: Vec<usize> = data.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(i, _)| i).collect();
    for (k, &at) in commands.iter().enumerate() {
        let end = commands.get(k + 1).copied().unwrap_or(data.len());
        let numbers: Vec<f64> = data[at + 1..end].split_whitespace().map(|n| n.parse().unwrap()).collect();
        match &data[at..=at] {
            "M" | "L" => out.push(pt(numbers[0], numbers[1])),
            "Q" => {
                let (a, b, c) = (*out.last().unwrap(), pt(numbers[0], numbers[1]), pt(numbers[2], numbers[3]));
                for i in 1..=4 {
                    let t = f64::from(i) / 4.0;
                    out.push(a * ((1.0 - t) * (1.0 - t)) + b * (2.0 * t * (1.0 - t)) + c * (t * t));
                }
            }
            _ => {}
        }
    }
    out
}

#[allow(clippy::disallowed_methods, reason = "tests read models")]
#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use syntax::{Format, Signal, Sources, Tree};

    use super::*;
    use crate::{ArcKind, StateArc, StateGraph, StateNode, StateStyle};

    fn load(path: &Path) -> Option<(Sources, Tree)> {
        let text = syntax::source::decode(&std::fs::read(path).unwrap()).ok()?;
        let mut sources = Sources::new();
        let name = path.display().to_string();
        let format = Format::guess(&name, &text);
        let file = sources.add_file(&name, text);
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
        (!diagnostics.iter().any(syntax::Diagnostic::is_error)).then_some((sources, tree))
    }

    fn draw(path: &Path) -> Option<String> {
        let (sources, tree) = load(path)?;
        Some(match &tree.net {
            Some(net) => crate::net_svg(net, Signal::default()),
            None => crate::svg(&tree, &sources, &[]).ok()?,
        })
    }

    /// Draws models, and prints those with flaws.
    fn measure(files: &[PathBuf]) -> Flaws {
        let mut sum = Flaws::default();
        for path in files {
            let Some(svg) = draw(path) else { continue };
            let found = flaws(&svg);
            if found.total() > 0 {
                println!("{}: {found:?}", path.display());
            }
            sum.add(found);
        }
        println!("{sum:?}");
        sum
    }

    const ENDINGS: [&str; 8] = ["xml", "xta", "ta", "tck", "net", "ndr", "pnml", "tapn"];

    #[test]
    fn the_models_of_the_project_are_drawn_without_flaws() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        assert_eq!(measure(&oracle::files(&folder, &ENDINGS)).total(), 0);
    }

    #[test]
    fn public_models_have_few_flaws() {
        let files: Vec<PathBuf> = oracle::corpora("").iter().flat_map(|corpus| corpus.files(&ENDINGS)).collect();
        let found = measure(&files);
        // Almost all are in generated models that pile locations and labels upon each other, and at
        // locations with more lines than their border has room for.
        assert!(found.crossed * 8 < found.texts && found.covered * 8 < found.texts, "{found:?}");
        assert!(found.met * 4 < found.lines && found.joined * 6 < found.lines, "{found:?}");
    }

    /// State spaces of random graphs.
    #[test]
    fn state_spaces_are_drawn_without_flaws() {
        let mut next = crate::layout::tests::numbers(7);
        let mut sum = Flaws::default();
        for size in 1..30 {
            let text = |i: usize| format!("Robot.Moving, Other.l{i}\nposition = (low = {i}, high = {size})");
            let style = StateStyle::Plain;
            let nodes = (0..size).map(|i| StateNode { text: text(i), is_initial: i == 0, style }).collect();
            let arc = |from, to| StateArc { from, to, label: format!("go{to}"), kind: ArcKind::Step };
            let tree = (1..size).map(|i| arc((i - 1) / 2, i));
            let more: Vec<(usize, usize)> = (0..size / 3).map(|_| (next(size), next(size))).collect();
            let arcs = tree.chain(more.into_iter().map(|(a, b)| arc(a, b))).collect();
            sum.add(flaws(&StateGraph { nodes, arcs, ..StateGraph::default() }.svg()));
        }
        println!("{sum:?}");
        assert_eq!(sum.total(), 0, "{sum:?}");
    }

    fn picture(body: &str) -> Flaws {
        flaws(&format!("<svg viewBox=\"0 0 300 300\">{body}</svg>"))
    }

    #[test]
    fn flaws_are_found() {
        let text = |x: i32, y: i32| format!("<text><tspan x=\"{x}\" y=\"{y}\">label</tspan></text>");
        let line = |d: &str| format!("<path d=\"{d}\" stroke=\"#000\"/>");
        assert_eq!(picture(&text(10, 50)).total(), 0);
        assert_eq!(picture(&(text(10, 50) + &text(20, 52))).covered, 1);
        assert_eq!(picture(&(text(10, 50) + &text(10, 65))).covered, 0);
        assert_eq!(picture(&(text(10, 50) + &line("M0 0L30 90"))).crossed, 1);
        assert_eq!(picture(&(text(10, 50) + &line("M0 0L0 90"))).crossed, 0);
        assert_eq!(picture(&(text(10, 50) + "<circle cx=\"15\" cy=\"40\" r=\"12\"/>")).covered, 1);
        assert_eq!(picture(&(text(10, 50) + "<rect x=\"0\" y=\"30\" width=\"90\" height=\"40\"/>")).covered, 0);
        assert_eq!(picture(&(text(10, 50) + "<rect x=\"0\" y=\"30\" width=\"20\" height=\"40\"/>")).covered, 1);
        let head = "<path d=\"M100 90L90 80L95 80Z\" fill=\"#000\"/>";
        let arrow = line("M100 20L100 83") + head;
        assert_eq!(picture(&(arrow.clone() + &line("M101 91L200 200"))).met, 1);
        assert_eq!(picture(&(arrow.clone() + &line("M120 91L200 200"))).total(), 0);
        assert_eq!(picture(&(arrow + &line("M101 21L200 200"))).joined, 1);
    }
}
