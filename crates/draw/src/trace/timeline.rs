//! Timelines: a lane for each process, place, clock and variable, with time from left to right.

use super::{
    DrawnTrace, TraceEvent, TraceStay,
    columns::{Columns, Need},
    lanes::Lanes,
    pen::{Anchor, NAME, area, frame, line_of_text, polyline, short, target, wide},
    spans::{Lane, LaneKind, Span, lanes},
};
use crate::{
    font::Weight,
    geometry::{Rect, pt},
    palette::{ACTIVE_LINE, GRID, INK, LABEL, LINE as LINE_COLOR, LOOP, SHADE, SOFT, SYNC, TINTS},
    svg::{MARGIN, number, page},
    text::{self, Breaks, LINE},
};

/// The height of the lane of a process, and of an element.
const LANE: f64 = 24.0;
/// The distance between lanes.
const GAP: f64 = 11.0;
/// The height of the lane of a clock.
const CLOCK: f64 = 40.0;
/// The height of the steps of a variable; the text above them needs one line more.
const STEPS: f64 = 16.0;
/// The distance between the start of a column and the text in it.
const PAD: f64 = 5.0;
const TITLE_BREAKS: Breaks = Breaks { keep: false, limit: 110 };

/// Returns the height of a lane.
fn height(lane: &Lane) -> f64 {
    match lane.kind {
        LaneKind::Boxes(..) => LANE,
        LaneKind::Steps(..) => LINE + STEPS + 3.0,
        LaneKind::Clock(_) => CLOCK,
    }
}

/// The positions of a timeline.
struct Timeline<'t> {
    trace: &'t DrawnTrace,
    lanes: Vec<Lane>,
    columns: Columns,
    /// The texts above each column.
    events: Vec<String>,
    remarks: Vec<String>,
    /// The top of each lane, and the end of the last one.
    tops: Vec<f64>,
}

pub(super) fn write(trace: &DrawnTrace) -> String {
    let timeline = Timeline::new(trace);
    let (mut under, mut out) = (String::new(), String::new());
    let (width, height) = timeline.draw(&mut under, &mut out);
    page((width + MARGIN).ceil(), (height + MARGIN).ceil(), &format!("{under}<g fill=\"none\">\n{out}</g>\n"))
}

impl<'t> Timeline<'t> {
    fn new(trace: &'t DrawnTrace) -> Timeline<'t> {
        let drawn = Lanes::new(trace);
        let lanes = lanes(trace, &drawn);
        let events: Vec<String> = (0..trace.states.len()).map(|step| event(trace, step)).collect();
        let mut needs: Vec<Need> = Vec::new();
        for (first, event) in events.iter().enumerate() {
            let step = wide(&step_name(first), Weight::Bold);
            needs.push(Need { first, end: first + 1, width: step.max(wide(event, Weight::Regular)) + 2.0 * PAD });
        }
        for span in lanes.iter().flat_map(Lane::spans) {
            let width = wide(&span.text, Weight::Regular) + 2.0 * PAD + 2.0;
            needs.push(Need { first: span.first, end: span.end, width });
        }
        let ticks = ticks(trace);
        for (i, (first, text)) in ticks.iter().enumerate() {
            let end = ticks.get(i + 1).map_or(trace.states.len(), |(next, _)| *next);
            needs.push(Need { first: *first, end, width: wide(text, Weight::Regular) + 2.0 * PAD });
        }
        let delays: Vec<f64> =
            trace.states.iter().map(|state| state.stay.as_ref().map_or(0.0, |s| s.delay.at)).collect();
        let names =
            lanes.iter().flat_map(|lane| [wide(&lane.name, Weight::Bold), wide(&range(trace, lane), Weight::Regular)]);
        let left = MARGIN + names.fold(wide("time", Weight::Regular), f64::max) + 12.0;
        let columns = Columns::new(left, &delays, needs);
        let mut remarks = drawn.remarks;
        if trace.states.iter().any(|state| state.stay.as_ref().is_some_and(|stay| !stay.takes_time())) {
            remarks.push("In grey columns no time passes.".to_owned());
        }
        if columns.to_scale.iter().zip(&delays).any(|(to_scale, delay)| !to_scale && *delay > 0.0) {
            remarks.push("Where the axis is dashed, time is not to scale.".to_owned());
        }
        if trace.cycle().is_some() {
            remarks.push("The coloured part is repeated.".to_owned());
        }
        Timeline { trace, lanes, columns, events, remarks, tops: Vec::new() }
    }

    /// Draws everything. Returns the width and height.
    fn draw(mut self, under: &mut String, out: &mut String) -> (f64, f64) {
        let (left, right) = (self.columns.x[0], self.columns.end());
        let (mut y, mut width) = (MARGIN, right + 8.0);
        for line in text::lines(&self.trace.title, TITLE_BREAKS) {
            line_of_text(out, pt(MARGIN, y), &line, Anchor::Left, INK, Weight::Bold);
            width = width.max(MARGIN + wide(&line, Weight::Bold));
            y += LINE;
        }
        let top = if y > MARGIN { y + GAP } else { y };
        let axis = top + 2.0 * LINE + 5.0;
        y = axis + LINE + GAP;
        for lane in &self.lanes {
            if lane.is_first {
                y += GAP;
            }
            self.tops.push(y);
            y += height(lane) + GAP;
        }
        let bottom = y - GAP / 2.0;
        self.shade(under, top, bottom);
        self.axis(out, top, axis);
        for (i, lane) in self.lanes.iter().enumerate() {
            if self.trace.is_over() {
                break;
            }
            self.lane(lane, self.tops[i], out);
        }
        if !self.trace.is_of_net() {
            (1..self.trace.states.len()).for_each(|step| self.connect(step, out));
        }
        for step in 0..self.trace.states.len() {
            if self.trace.is_over() {
                break;
            }
            out.push_str(&format!("<g data-step=\"{step}\">"));
            let at = Rect { min: pt(self.columns.x[step], top), max: pt(self.columns.x[step + 1], bottom) };
            target(out, at, &self.tooltip(step));
            out.push_str("</g>\n");
        }
        y = bottom + GAP;
        for line in self.trace.remarks().iter().chain(&self.remarks) {
            line_of_text(out, pt(left, y), line, Anchor::Left, SOFT, Weight::Regular);
            width = width.max(left + wide(line, Weight::Regular));
            y += LINE;
        }
        (width, y)
    }

    /// Draws the background of columns without time, and of the repeated part.
    fn shade(&self, under: &mut String, top: f64, bottom: f64) {
        if let Some(after) = self.trace.cycle() {
            let (from, to) = (self.columns.x[after], self.columns.x[self.trace.steps.len()]);
            area(under, Rect { min: pt(from, top - 4.0), max: pt(to, bottom) }, LOOP);
        }
        for (i, state) in self.trace.states.iter().enumerate() {
            if state.stay.as_ref().is_some_and(|stay| !stay.takes_time()) {
                let inset = if self.trace.cycle().is_some_and(|after| i >= after) { 4.0 } else { 0.0 };
                let (min, max) = (pt(self.columns.x[i], top + inset), pt(self.columns.x[i + 1], bottom - inset));
                area(under, Rect { min, max }, SHADE);
            }
        }
    }

    /// Draws the names of the steps, and the axis with its times.
    fn axis(&self, out: &mut String, top: f64, y: f64) {
        let x = &self.columns.x;
        for (step, event) in self.events.iter().enumerate() {
            if step > 0 || !self.trace.steps.is_empty() {
                line_of_text(out, pt(x[step] + PAD, top), &step_name(step), Anchor::Left, INK, Weight::Bold);
            }
            line_of_text(out, pt(x[step] + PAD, top + LINE), event, Anchor::Left, SYNC, Weight::Regular);
        }
        let ticks = ticks(self.trace);
        if !ticks.is_empty() {
            line_of_text(out, pt(MARGIN, y + 3.0), "time", Anchor::Left, SOFT, Weight::Regular);
        }
        for (i, state) in self.trace.states.iter().enumerate() {
            if state.stay.as_ref().is_some_and(TraceStay::takes_time) {
                let style = if self.columns.to_scale[i] { "" } else { "stroke-dasharray=\"3 4\"" };
                polyline(out, &[pt(x[i], y), pt(x[i + 1], y)], LINE_COLOR, style);
            }
        }
        for (at, text) in &ticks {
            polyline(out, &[pt(x[*at], y - 3.0), pt(x[*at], y + 5.0)], LINE_COLOR, "");
            line_of_text(out, pt(x[*at] + PAD, y + 3.0), text, Anchor::Left, SOFT, Weight::Regular);
        }
    }

    fn lane(&self, lane: &Lane, top: f64, out: &mut String) {
        let weight = if matches!(lane.kind, LaneKind::Boxes(_, Some(_))) { Weight::Bold } else { Weight::Regular };
        let range = range(self.trace, lane);
        let middle = top + height(lane) / 2.0;
        if range.is_empty() {
            line_of_text(out, pt(MARGIN, middle - LINE / 2.0), &lane.name, Anchor::Left, INK, weight);
        } else {
            line_of_text(out, pt(MARGIN, middle - LINE), &lane.name, Anchor::Left, INK, weight);
            line_of_text(out, pt(MARGIN, middle), &range, Anchor::Left, SOFT, Weight::Regular);
        }
        match &lane.kind {
            LaneKind::Boxes(spans, _) => spans.iter().for_each(|span| self.block(span, top, out)),
            LaneKind::Steps(spans, levels) => self.stairs(spans, *levels, top, out),
            LaneKind::Clock(clock) => self.saw(*clock, top, out),
        }
    }

    fn block(&self, span: &Span, top: f64, out: &mut String) {
        let (from, to) = (self.columns.x[span.first], self.columns.x[span.end]);
        let style =
            format!("fill=\"{}\" stroke=\"{LINE_COLOR}\" stroke-width=\"0.8\"", TINTS[span.level % TINTS.len()]);
        frame(out, Rect { min: pt(from + 0.5, top), max: pt(to - 0.5, top + LANE) }, &style);
        line_of_text(out, pt(from + PAD, top + 4.5), &span.text, Anchor::Left, INK, Weight::Regular);
    }

    /// Draws the steps of a variable, with each value above its line.
    fn stairs(&self, spans: &[Span], levels: usize, top: f64, out: &mut String) {
        let base = top + LINE + STEPS;
        let level = |span: &Span| base - STEPS * span.level as f64 / (levels.max(2) - 1) as f64;
        let mut points = Vec::new();
        for span in spans {
            let (from, to, y) = (self.columns.x[span.first], self.columns.x[span.end], level(span));
            points.extend([pt(from, y), pt(to, y)]);
            line_of_text(out, pt(from + PAD, y - LINE), &span.text, Anchor::Left, INK, Weight::Regular);
        }
        polyline(out, &points, LABEL, "stroke-width=\"1.4\"");
    }

    /// Draws the values of a clock. A part in which time passes and the clock is stopped is dashed.
    fn saw(&self, clock: usize, top: f64, out: &mut String) {
        let base = top + CLOCK;
        let greatest = greatest(self.trace, clock);
        let height = |value: f64| if greatest > 0.0 { base - value / greatest * (CLOCK - 2.0) } else { base };
        polyline(out, &[pt(self.columns.x[0], base), pt(self.columns.end(), base)], GRID, "stroke-width=\"0.8\"");
        let mut points = Vec::new();
        let mut flush = |points: &mut Vec<_>| {
            if points.len() > 1 {
                polyline(out, points, ACTIVE_LINE, "stroke-width=\"1.4\"");
            }
            points.clear();
        };
        let mut stopped = Vec::new();
        for (i, state) in self.trace.states.iter().enumerate() {
            let stay = state.stay.as_ref();
            let Some((entered, left)) = stay.and_then(|stay| stay.clocks.get(clock)).and_then(Option::as_ref) else {
                flush(&mut points);
                continue;
            };
            let (from, to) = (pt(self.columns.x[i], height(entered.at)), pt(self.columns.x[i + 1], height(left.at)));
            points.push(from);
            if stay.is_some_and(TraceStay::takes_time) && entered.text == left.text {
                flush(&mut points);
                stopped.push([from, to]);
            }
            points.push(to);
        }
        flush(&mut points);
        for part in stopped {
            polyline(out, &part, ACTIVE_LINE, "stroke-width=\"1.4\" stroke-dasharray=\"5 4\"");
        }
    }

    /// Connects the lanes of the processes that take a step together.
    fn connect(&self, step: usize, out: &mut String) {
        let taken = &self.trace.steps[step - 1];
        let lane = |process: usize| {
            let is_this = |lane: &Lane| matches!(lane.kind, LaneKind::Boxes(_, Some(n)) if n == process);
            self.lanes.iter().position(is_this)
        };
        let at: Vec<usize> = taken.edges.iter().filter_map(|edge| lane(edge.process)).collect();
        let (Some(&first), Some(&low), Some(&high)) = (at.first(), at.iter().min(), at.iter().max()) else { return };
        let sends = matches!(taken.event, TraceEvent::Send { .. });
        let x = self.columns.x[step];
        // Lines are interrupted by the lanes between.
        for upper in low..high {
            let (top, bottom) = (self.tops[upper] + LANE, self.tops[upper + 1]);
            polyline(out, &[pt(x, top), pt(x, bottom)], SYNC, "stroke-width=\"1.4\"");
            for (receiver, tip, back) in [(upper + 1, bottom, -6.0), (upper, top, 6.0)] {
                // An arrow comes from the side of the sender.
                let comes = if back < 0.0 { first < receiver } else { first > receiver };
                if sends && at[1..].contains(&receiver) && comes {
                    let point = |dx: f64, dy: f64| format!("{} {}", number(x + dx), number(tip + dy));
                    let (a, b, c) = (point(0.0, 0.0), point(3.4, back), point(-3.4, back));
                    out.push_str(&format!("<path d=\"M{a}L{b}L{c}Z\" fill=\"{SYNC}\"/>\n"));
                }
            }
        }
    }

    fn tooltip(&self, step: usize) -> String {
        let mut text = self.trace.describe(step);
        let state = &self.trace.states[step];
        for (process, location) in self.trace.processes.iter().zip(&state.locations).take(NAME) {
            let location = process.locations.get(*location).map_or("", |name| name);
            text.push_str(&format!("\n{}: {}", short(&process.name, NAME), short(location, NAME)));
        }
        let Some(stay) = &state.stay else { return text };
        text.push_str(&format!("\ntime: {}, then a delay of {}", stay.from.text, stay.delay.text));
        for (clock, values) in self.trace.clocks.iter().zip(&stay.clocks).take(NAME) {
            if let Some((entered, left)) = values {
                text.push_str(&format!("\n{}: {} \u{2192} {}", short(clock, NAME), entered.text, left.text));
            }
        }
        text
    }
}

/// Returns the name of a column.
fn step_name(step: usize) -> String {
    if step == 0 { "start".to_owned() } else { step.to_string() }
}

/// Returns what happens in a step.
fn event(trace: &DrawnTrace, step: usize) -> String {
    let Some(taken) = step.checked_sub(1).map(|i| &trace.steps[i]) else { return String::new() };
    let text = match &taken.event {
        TraceEvent::Internal => return String::new(),
        TraceEvent::Send { channel } => channel,
        TraceEvent::Together { names } => names,
        TraceEvent::Fires { transition, .. } => transition,
        TraceEvent::Available { .. } => "available",
    };
    short(text, NAME)
}

/// Returns the columns at which a time is written, and the times.
fn ticks(trace: &DrawnTrace) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut is_new = true;
    for (i, state) in trace.states.iter().enumerate() {
        let Some(stay) = &state.stay else { continue };
        if is_new {
            out.push((i, short(&stay.from.text, NAME)));
        }
        is_new = stay.takes_time();
    }
    out
}

/// Returns the greatest value of a clock.
fn greatest(trace: &DrawnTrace, clock: usize) -> f64 {
    let stays = trace.states.iter().filter_map(|state| state.stay.as_ref());
    let values = stays.filter_map(|stay| stay.clocks.get(clock)?.as_ref());
    values.map(|(entered, left)| entered.at.max(left.at)).filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// Returns the values that a lane shows, if it has an axis.
fn range(trace: &DrawnTrace, lane: &Lane) -> String {
    let LaneKind::Clock(clock) = lane.kind else { return String::new() };
    let stays = trace.states.iter().filter_map(|state| state.stay.as_ref());
    let values = stays.filter_map(|stay| stay.clocks.get(clock)?.as_ref()).flat_map(|(entered, left)| [entered, left]);
    let most = values.max_by(|a, b| a.at.total_cmp(&b.at)).map_or("0", |most| &most.text);
    if most == "0" { most.to_owned() } else { format!("0 \u{2026} {}", short(most, NAME)) }
}
