//! Sequence charts: a lifeline for each process or place, and steps from top to bottom.

use super::{
    DrawnTrace, TraceEnding,
    lanes::Lanes,
    messages::{Message, MessageKind, boxes, message},
    pen::{Anchor, NAME, area, centered, frame, line_of_text, polyline, short, target, wide},
};
use crate::{
    font::Weight,
    geometry::{Pt, Rect, Size, pt},
    palette::{INK, LINE as LINE_COLOR, LOOP, NOTE, PAPER, SHADE, SOFT, SYNC, TINTS, UPDATE},
    svg::{MARGIN, Sheet, number, page},
    text::{self, Breaks, LINE},
};

/// The height of a box on a lifeline.
const BOX: f64 = 22.0;
/// The distance between the text of a box and its frame.
const PAD: f64 = 9.0;
/// The distance between boxes of neighbouring lifelines.
const APART: f64 = 18.0;
/// The distance between a label and the lifelines beside it.
const BESIDE: f64 = 9.0;
/// The distance between steps.
const GAP: f64 = 12.0;
/// The height of a delay.
const DELAY: f64 = 21.0;
/// The width of the bracket beside steps that are repeated.
const BRACKET: f64 = 24.0;
/// The length of an arrow that nobody receives.
const STUB: f64 = 28.0;

const NOTE_BREAKS: Breaks = Breaks { keep: false, limit: 44 };
const TITLE_BREAKS: Breaks = Breaks { keep: false, limit: 110 };

/// The layers of a chart, the lowest first.
#[derive(Default)]
struct ChartLayers {
    /// The background of repeated steps.
    under: String,
    /// The backgrounds of delays.
    bands: String,
    /// Lifelines, which belong to no step: they are as long as a process stays where it is.
    lines: String,
    out: String,
}

/// The horizontal positions of a chart.
struct SequenceChart<'t> {
    trace: &'t DrawnTrace,
    lanes: Lanes,
    messages: Vec<Option<Message>>,
    /// The left end, and the right end of the column for numbers.
    left: f64,
    number: f64,
    /// The lifelines, and the area that they are in.
    x: Vec<f64>,
    start: f64,
    end: f64,
    /// The notes.
    notes: f64,
    right: f64,
}

pub(super) fn write(trace: &DrawnTrace) -> String {
    let chart = SequenceChart::new(trace);
    let mut layers = ChartLayers::default();
    let (height, width) = chart.draw(&mut layers);
    let ChartLayers { under, bands, lines, out } = layers;
    page(
        (width + MARGIN).ceil(),
        (height + MARGIN).ceil(),
        &format!("{under}{bands}<g fill=\"none\">\n{lines}{out}</g>\n"),
    )
}

impl<'t> SequenceChart<'t> {
    fn new(trace: &'t DrawnTrace) -> SequenceChart<'t> {
        let lanes = Lanes::new(trace);
        let messages: Vec<Option<Message>> = (1..=trace.steps.len()).map(|step| message(trace, &lanes, step)).collect();
        let mut half: Vec<f64> = lanes.first.iter().map(|n| wide(&name(trace, *n), Weight::Bold)).collect();
        for step in 0..trace.states.len() {
            for (lane, text, _) in boxes(trace, &lanes, step) {
                half[lane] = half[lane].max(wide(&text, Weight::Regular));
            }
        }
        half.iter_mut().for_each(|w| *w = *w / 2.0 + PAD);
        // The space after each lifeline for labels.
        let mut room = vec![0.0_f64; lanes.first.len()];
        for message in messages.iter().flatten() {
            let (lane, is_right) = message.label_at();
            let least = message.width().max(if message.to.is_empty() { STUB } else { 0.0 }) + 2.0 * BESIDE;
            let at = if is_right { lane } else { lane - 1 };
            room[at] = room[at].max(least);
        }
        let left = MARGIN + if trace.cycle().is_some() { BRACKET } else { 0.0 };
        let of_times = trace.states.iter().filter_map(|state| state.stay.as_ref());
        let times = of_times.flat_map(|stay| [short(&stay.from.text, NAME), delay(&stay.delay.text)]);
        let time = times.map(|text| wide(&text, Weight::Regular)).fold(wide("time", Weight::Regular), f64::max);
        let number = left + wide(&trace.steps.len().to_string(), Weight::Bold).max(wide("step", Weight::Regular));
        let time = number + 12.0 + time;
        let start = time + 14.0;
        let mut x = Vec::new();
        let mut end = start;
        for (lane, half) in half.iter().enumerate() {
            let at = match lane.checked_sub(1) {
                None => start + half,
                Some(before) => (end + APART + half).max(x[before] + room[before]),
            };
            x.push(at);
            end = at + half;
        }
        let end = end.max(x.last().zip(room.last()).map_or(0.0, |(x, room)| x + room)) + 4.0;
        let notes = (1..trace.states.len()).map(|step| text::extent(&note(trace, step), Weight::Regular).w);
        let notes = notes.fold(0.0, f64::max);
        let right = if notes > 0.0 { end + 14.0 + notes + 2.0 * PAD } else { end };
        SequenceChart { trace, messages, left, number, x, start, end, notes: end + 14.0, right, lanes }
    }

    /// Draws everything. Returns the height and width.
    fn draw(&self, layers: &mut ChartLayers) -> (f64, f64) {
        let trace = self.trace;
        let (mut y, mut width) = (MARGIN, self.right);
        for line in text::lines(&trace.title, TITLE_BREAKS) {
            line_of_text(&mut layers.out, pt(MARGIN, y), &line, Anchor::Left, INK, Weight::Bold);
            width = width.max(MARGIN + wide(&line, Weight::Bold));
            y += LINE;
        }
        if y > MARGIN {
            y += GAP;
        }
        self.heads(y, &mut layers.out);
        // The ends of the lifelines so far.
        let mut ends = vec![y + BOX; self.x.len()];
        y += BOX + GAP;
        let mut from_cycle = None;
        for step in 0..trace.states.len() {
            if trace.is_over() {
                break;
            }
            if step > 0 && step.checked_sub(1) == trace.cycle() {
                from_cycle = Some(y - GAP / 2.0);
            }
            y = self.step(step, y, &mut ends, layers);
        }
        if let Some(stay) = trace.states.last().and_then(|state| state.stay.as_ref()).filter(|stay| stay.takes_time()) {
            y = self.delay(&stay.delay.text, y, &mut layers.bands, &mut layers.out);
        }
        for (&end, &x) in ends.iter().zip(&self.x) {
            polyline(&mut layers.lines, &[pt(x, end), pt(x, y)], LINE_COLOR, "stroke-width=\"1\"");
            if trace.omitted == 0 && trace.ending == Some(TraceEnding::Stops) {
                polyline(&mut layers.lines, &[pt(x - 8.0, y), pt(x + 8.0, y)], LINE_COLOR, "stroke-width=\"2.6\"");
            }
        }
        if let Some(top) = from_cycle {
            self.repeated(top, y, layers);
        }
        y += GAP;
        for line in trace.remarks().iter().chain(&self.lanes.remarks) {
            line_of_text(&mut layers.out, pt(self.left, y), line, Anchor::Left, SOFT, Weight::Regular);
            width = width.max(self.left + wide(line, Weight::Regular));
            y += LINE;
        }
        (y, width)
    }

    /// Draws the names of columns and lifelines.
    fn heads(&self, y: f64, out: &mut String) {
        let trace = self.trace;
        if !trace.steps.is_empty() {
            line_of_text(out, pt(self.number, y + 3.5), "step", Anchor::Right, SOFT, Weight::Regular);
        }
        if trace.states.iter().any(|state| state.stay.is_some()) {
            line_of_text(out, pt(self.number + 12.0, y + 3.5), "time", Anchor::Left, SOFT, Weight::Regular);
        }
        for (&n, &x) in self.lanes.first.iter().zip(&self.x) {
            let name = name(trace, n);
            let size = Size { w: wide(&name, Weight::Bold) + 2.0 * PAD, h: BOX };
            let style = format!("fill=\"{PAPER}\" stroke=\"{LINE_COLOR}\" stroke-width=\"1.3\"");
            frame(out, centered(pt(x, y + BOX / 2.0), size), &style);
            line_of_text(out, pt(x, y + 3.5), &name, Anchor::Middle, INK, Weight::Bold);
        }
    }

    /// Draws a step and the state after it. Returns the position of the next one.
    fn step(&self, step: usize, top: f64, ends: &mut [f64], layers: &mut ChartLayers) -> f64 {
        let (trace, mut y) = (self.trace, top);
        let mut inner = String::new();
        let before = step.checked_sub(1).and_then(|i| trace.states[i].stay.as_ref());
        if let Some(stay) = before.filter(|stay| stay.takes_time()) {
            y = self.delay(&stay.delay.text, y, &mut layers.bands, &mut inner);
        }
        let start = y;
        let message = step.checked_sub(1).and_then(|i| self.messages[i].as_ref());
        if let Some(message) = message {
            y = self.message(message, y, &mut inner);
        }
        if step > 0 {
            line_of_text(&mut inner, pt(self.number, y + 3.5), &step.to_string(), Anchor::Right, INK, Weight::Bold);
        }
        if let Some(stay) = &trace.states[step].stay {
            let at = short(&stay.from.text, NAME);
            line_of_text(&mut inner, pt(self.number + 12.0, y + 3.5), &at, Anchor::Left, SOFT, Weight::Regular);
        }
        for (lane, text, tint) in boxes(trace, &self.lanes, step) {
            let x = self.x[lane];
            polyline(&mut layers.lines, &[pt(x, ends[lane]), pt(x, y)], LINE_COLOR, "stroke-width=\"1\"");
            let size = Size { w: wide(&text, Weight::Regular) + 2.0 * PAD - 4.0, h: BOX };
            let style = format!("fill=\"{}\" stroke=\"{LINE_COLOR}\"", TINTS[tint % TINTS.len()]);
            frame(&mut inner, centered(pt(x, y + BOX / 2.0), size), &style);
            line_of_text(&mut inner, pt(x, y + 3.5), &text, Anchor::Middle, INK, Weight::Regular);
            ends[lane] = y + BOX;
        }
        y += BOX;
        let note = note(trace, step);
        if !note.is_empty() {
            let size = text::extent(&note, Weight::Regular);
            let at = Rect::at(pt(self.notes, start), Size { w: size.w + 2.0 * PAD, h: size.h + 7.0 });
            frame(&mut inner, at, &format!("fill=\"{NOTE}\" stroke=\"{SOFT}\" stroke-width=\"0.7\""));
            let mut sheet = Sheet { out: &mut inner, offset: Pt::default() };
            sheet.text(pt(self.notes + PAD, start + 3.5), &note, UPDATE, "");
            y = y.max(at.max.y);
        }
        let all = Rect { min: pt(self.left - 4.0, top - 3.0), max: pt(self.right, y + 3.0) };
        layers.out.push_str(&format!("<g data-step=\"{step}\">"));
        target(&mut layers.out, all, &trace.describe(step));
        layers.out.push_str(&inner);
        layers.out.push_str("</g>\n");
        y + GAP
    }

    /// Draws a delay. Returns the position after it.
    fn delay(&self, text: &str, y: f64, bands: &mut String, out: &mut String) -> f64 {
        area(bands, Rect { min: pt(self.start - 4.0, y), max: pt(self.end, y + DELAY) }, SHADE);
        line_of_text(out, pt(self.number + 12.0, y + 3.0), &delay(text), Anchor::Left, SOFT, Weight::Regular);
        y + DELAY + GAP
    }

    /// Draws what connects lifelines. Returns the position after it.
    fn message(&self, message: &Message, top: f64, out: &mut String) -> f64 {
        let size = text::extent(&message.label, Weight::Regular);
        let y = top + size.h + 6.0;
        let (lane, is_right) = message.label_at();
        let corner = pt(self.x[lane] + if is_right { BESIDE } else { -BESIDE - size.w }, top);
        let from = self.x[message.from];
        let mut sheet = Sheet { out, offset: Pt::default() };
        sheet.text(corner, &message.label, SYNC, "");
        let others = message.to.iter().map(|to| self.x[*to]);
        let (low, high) = others.clone().fold((from, from), |(low, high), x| (low.min(x), high.max(x)));
        match (message.kind, &message.to[..]) {
            (MessageKind::Bar, _) => {
                let bar = Rect { min: pt(low - 14.0, y - 3.0), max: pt(high + 14.0, y + 3.0) };
                frame(sheet.out, bar, &format!("fill=\"{LINE_COLOR}\""));
            }
            (MessageKind::Arrow, []) => {
                sheet.arrow(vec![pt(from, y), pt(from + STUB - 5.0, y)], SYNC, "stroke-width=\"1.3\"");
                sheet.circle(pt(from + STUB - 2.0, y), 3.0, &format!("fill=\"{SYNC}\""));
            }
            (MessageKind::Arrow, [to]) => {
                sheet.arrow(vec![pt(from, y), pt(self.x[*to], y)], SYNC, "stroke-width=\"1.3\"");
            }
            (kind, _) => {
                sheet.line(&[pt(low, y), pt(high, y)], SYNC, "stroke-width=\"1.3\"");
                sheet.circle(pt(from, y), 3.0, &format!("fill=\"{SYNC}\""));
                for x in others {
                    match kind {
                        MessageKind::Line => sheet.circle(pt(x, y), 3.0, &format!("fill=\"{SYNC}\"")),
                        _ => head(sheet.out, pt(x, y), if x > from { 1.0 } else { -1.0 }),
                    }
                }
            }
        }
        sheet.out.push('\n');
        y + 8.0
    }

    /// Marks the steps that are repeated.
    fn repeated(&self, top: f64, bottom: f64, layers: &mut ChartLayers) {
        area(&mut layers.under, Rect { min: pt(self.left - 4.0, top), max: pt(self.right, bottom) }, LOOP);
        let (near, far) = (self.left - 6.0, self.left - BRACKET + 2.0);
        let path = vec![pt(near, bottom - 4.0), pt(far, bottom - 4.0), pt(far, top + 6.0), pt(near, top + 6.0)];
        Sheet { out: &mut layers.out, offset: Pt::default() }.arrow(path, LINE_COLOR, "stroke-width=\"1.3\"");
        layers.out.push('\n');
    }
}

/// Draws an arrow head to the right or to the left.
fn head(out: &mut String, tip: Pt, direction: f64) {
    let point = |dx: f64, dy: f64| format!("{} {}", number(tip.x - direction * dx), number(tip.y + dy));
    let (a, b, c, d) = (point(0.0, 0.0), point(9.0, 3.6), point(7.0, 0.0), point(9.0, -3.6));
    out.push_str(&format!("<path d=\"M{a}L{b}L{c}L{d}Z\" fill=\"{SYNC}\"/>"));
}

/// Returns the text of a delay.
fn delay(text: &str) -> String {
    format!("+{}", short(text, NAME))
}

/// Returns the name of a process or place.
fn name(trace: &DrawnTrace, number: usize) -> String {
    let name = if trace.is_of_net() { &trace.places[number] } else { &trace.processes[number].name };
    short(name, NAME)
}

/// Returns the changes of variables in a step, as lines.
fn note(trace: &DrawnTrace, step: usize) -> Vec<String> {
    trace.changes(step).iter().flat_map(|change| text::lines(change, NOTE_BREAKS)).collect()
}
