//! The HTML of a report.

use draw::DrawnTrace;

use crate::{
    Report, ReportedDrawing, ReportedQuery, ReportedTrace, ReportedVerdict,
    data::trace_data,
    html::{element, escaped},
    policy::policy,
};

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");

/// Renders a report.
pub(crate) fn write(report: &Report) -> String {
    let style = format!("{}{STYLE}", draw::style());
    let script = script();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"generator\" content=\"{}\"/>\n",
        escaped(&policy(&script, &style)),
        escaped(&report.generator)
    );
    element(&mut out, "title", &format!("{} \u{2013} {}", report.model, summary(report)));
    // The style sheet and the script are not escaped: they have no end tags.
    out.push_str(&format!("<style>{style}</style>\n</head>\n<body>\n"));
    out.push_str("<a class=\"skip\" href=\"#queries\">Skip to the queries</a>\n<header>\n");
    element(&mut out, "h1", &report.model);
    element(&mut out, "p", &format!("{}. Made by {}.", summary(report), report.generator));
    report.notes.iter().for_each(|note| element(&mut out, "p class=\"note\"", note));
    overview(report, &mut out);
    out.push_str("</header>\n<main>\n");
    drawings(&report.drawings, &mut out);
    out.push_str("<div id=\"queries\">\n");
    for (number, query) in (1..).zip(&report.queries) {
        write_query(number, query, &mut out);
    }
    out.push_str(&format!("</div>\n</main>\n<script type=\"module\">{script}</script>\n</body>\n</html>\n"));
    out
}

/// Returns the script: the modules in one, without the lines by which they import each other.
fn script() -> String {
    let own = SCRIPT.lines().filter(|line| !line.starts_with("import "));
    let lines: Vec<&str> = crate::PLAYER.lines().chain(own).collect();
    lines.join("\n")
}

/// Returns the number of queries with each answer.
fn summary(report: &Report) -> String {
    let all =
        [ReportedVerdict::Satisfied, ReportedVerdict::NotSatisfied, ReportedVerdict::Unknown, ReportedVerdict::Refused];
    let number = |verdict| report.queries.iter().filter(|query| query.verdict == verdict).count();
    let parts = all.into_iter().map(|verdict| (number(verdict), verdict.word())).filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, word)| format!("{n} {word}")).collect();
    match (report.queries.len(), parts.is_empty()) {
        (_, true) => "no queries".to_owned(),
        (1, _) => format!("1 query: {}", parts.join(", ")),
        (n, _) => format!("{n} queries: {}", parts.join(", ")),
    }
}

impl ReportedVerdict {
    /// Returns the answer in words.
    fn word(self) -> &'static str {
        match self {
            ReportedVerdict::Satisfied => "satisfied",
            ReportedVerdict::NotSatisfied => "not satisfied",
            ReportedVerdict::Unknown => "unknown",
            ReportedVerdict::Refused => "refused",
        }
    }

    fn class(self) -> &'static str {
        match self {
            ReportedVerdict::NotSatisfied => "not-satisfied",
            other => other.word(),
        }
    }

    /// Returns a sign besides the colour, which not everyone sees.
    fn sign(self) -> &'static str {
        match self {
            ReportedVerdict::Satisfied => "\u{2713}",
            ReportedVerdict::NotSatisfied => "\u{2717}",
            ReportedVerdict::Unknown => "?",
            ReportedVerdict::Refused => "!",
        }
    }
}

/// Writes an answer, in an element of this name.
fn answer(verdict: ReportedVerdict, name: &str, out: &mut String) {
    let (class, sign, word) = (verdict.class(), verdict.sign(), verdict.word());
    let sign = format!("<span aria-hidden=\"true\">{sign}</span>");
    out.push_str(&format!("<{name} class=\"answer {class}\">{sign} {word}</{name}>\n"));
}

/// Writes the table of all queries.
fn overview(report: &Report, out: &mut String) {
    if report.queries.is_empty() {
        return;
    }
    out.push_str("<nav aria-label=\"Queries\">\n<table class=\"overview\">\n<thead><tr>");
    out.push_str(
        "<th scope=\"col\">Query</th><th scope=\"col\">Answer</th><th scope=\"col\">Trace</th></tr></thead>\n<tbody>\n",
    );
    for (number, query) in (1..).zip(&report.queries) {
        let name = query.name.as_deref().unwrap_or(&query.text);
        out.push_str("<tr><th scope=\"row\">");
        out.push_str(&format!("<a href=\"#query-{number}\">{}</a></th>\n", escaped(name)));
        answer(query.verdict, "td", out);
        let steps = query.trace.as_ref().map_or(String::new(), |traced| match all_steps(&traced.trace) {
            1 => "1 step".to_owned(),
            n => format!("{n} steps"),
        });
        out.push_str(&format!("<td>{steps}</td></tr>\n"));
    }
    out.push_str("</tbody>\n</table>\n</nav>\n");
}

/// Returns the number of all steps of a trace, those that are not drawn included.
fn all_steps(trace: &DrawnTrace) -> usize {
    trace.steps.len() + trace.omitted
}

/// Writes the drawings of the model.
fn drawings(drawings: &[ReportedDrawing], out: &mut String) {
    if drawings.is_empty() {
        return;
    }
    out.push_str("<section id=\"model\" aria-labelledby=\"model-heading\">\n<h2 id=\"model-heading\">Model</h2>\n");
    out.push_str("<div class=\"drawings\">\n");
    for drawing in drawings {
        let which = drawing.template.map_or("net".to_owned(), |template| template.to_string());
        out.push_str(&format!("<figure data-drawing=\"{which}\">\n"));
        picture(&drawing.svg, &format!("Drawing of {}", drawing.name), out);
        out.push_str("</figure>\n");
    }
    out.push_str("</div>\n</section>\n");
}

/// Writes a picture with a name for those who can't see it.
fn picture(svg: &str, name: &str, out: &mut String) {
    let start = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(name));
    out.push_str(&draw::inline(svg).replacen("<svg ", &start, 1));
}

/// Writes a query with its answer.
fn write_query(number: usize, query: &ReportedQuery, out: &mut String) {
    let heading = query.name.as_deref().unwrap_or(&query.text);
    let labelled = format!("aria-labelledby=\"query-{number}-heading\"");
    out.push_str(&format!("<section class=\"query\" id=\"query-{number}\" {labelled}>\n"));
    element(out, &format!("h2 id=\"query-{number}-heading\""), &format!("{number}. {heading}"));
    if query.comment.trim() != heading {
        element(out, "p class=\"comment\"", query.comment.trim());
    }
    element(out, "pre", &query.text);
    answer(query.verdict, "p", out);
    element(out, "p class=\"reason\"", query.reason.as_deref().unwrap_or_default());
    if !query.facts.is_empty() {
        out.push_str("<ul class=\"facts\">\n");
        query.facts.iter().for_each(|fact| element(out, "li", fact));
        out.push_str("</ul>\n");
    }
    element(out, "pre class=\"diagnostics\"", query.diagnostics.trim_end());
    if !query.charts.is_empty() {
        out.push_str("<div class=\"drawings\">\n");
        for (name, svg) in &query.charts {
            out.push_str("<figure>\n");
            picture(svg, &format!("Chart of {name}"), out);
            out.push_str("</figure>\n");
        }
        out.push_str("</div>\n");
    }
    if let Some(traced) = &query.trace {
        write_trace(traced, out);
    }
    out.push_str("</section>\n");
}

/// Writes a trace: its pictures, its steps, and the data for the player.
fn write_trace(traced: &ReportedTrace, out: &mut String) {
    let ReportedTrace { heading, trace } = traced;
    element(out, "h3", heading);
    out.push_str("<div class=\"trace\">\n");
    // Whoever uses the keyboard can scroll what has a tab stop.
    let pictures = [("chart", "Sequence chart", trace.sequence_chart()), ("timeline", "Timeline", trace.timeline())];
    for (class, name, svg) in pictures {
        out.push_str(&format!("<figure class=\"{class}\" tabindex=\"0\">\n<figcaption>{name}</figcaption>\n"));
        picture(&svg, &format!("{name}; the table of all steps has the same contents"), out);
        out.push_str("</figure>\n");
    }
    steps(trace, out);
    out.push_str(&format!("<script type=\"application/json\">{}</script>\n</div>\n", trace_data(trace)));
}

/// Writes the steps of a trace as a table.
fn steps(trace: &DrawnTrace, out: &mut String) {
    out.push_str("<details>\n<summary>All steps as a table</summary>\n<table class=\"steps\">\n<thead><tr>");
    for name in ["Time", "Step", "Locations or tokens", "Variables"] {
        out.push_str(&format!("<th scope=\"col\">{name}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (step, state) in trace.states.iter().enumerate() {
        let time = state.stay.as_ref().map_or("", |stay| &stay.from.text);
        let cells =
            [escaped(&trace.describe(step)), moved(trace, step).join("<br/>"), changed(trace, step).join("<br/>")];
        out.push_str(&format!("<tr><th scope=\"row\">{}</th>", escaped(time)));
        cells.iter().for_each(|cell| out.push_str(&format!("<td>{cell}</td>")));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</details>\n");
}

/// Returns the locations or tokens that are new in a state, escaped.
fn moved(trace: &DrawnTrace, step: usize) -> Vec<String> {
    let state = &trace.states[step];
    let before = step.checked_sub(1).map(|i| &trace.states[i]);
    let place = |(i, name): (usize, &String)| {
        let now = state.tokens[i];
        let is_new = before.map_or(now != 0, |before| before.tokens[i] != now);
        is_new.then(|| format!("{}: {now}", escaped(name)))
    };
    let moves = |process: &usize| step == 0 || trace.steps[step - 1].edges.iter().any(|edge| edge.process == *process);
    let location = |process: usize| {
        let named = &trace.processes[process];
        let location = named.locations.get(state.locations[process]).map_or("", |name| name);
        format!("{}: {}", escaped(&named.name), escaped(location))
    };
    let locations = (0..trace.processes.len()).filter(moves).map(location);
    trace.places.iter().enumerate().filter_map(place).chain(locations).collect()
}

/// Returns the variables that change in a step, escaped.
fn changed(trace: &DrawnTrace, step: usize) -> Vec<String> {
    trace.changes(step).iter().map(|change| escaped(change)).collect()
}
