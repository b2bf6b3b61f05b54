//! The files of the page, which are in the binary.

use std::sync::LazyLock;

use axum::{Router, http::header, response::IntoResponse, routing::get};

/// The scripts and style sheets, each with its type.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../assets/index.html")),
    ("/app.js", SCRIPT, include_str!("../assets/app.js")),
    ("/api.js", SCRIPT, include_str!("../assets/api.js")),
    ("/completion.js", SCRIPT, include_str!("../assets/completion.js")),
    ("/options.js", SCRIPT, include_str!("../assets/options.js")),
    ("/plot.js", SCRIPT, include_str!("../assets/plot.js")),
    ("/query-dialog.js", SCRIPT, include_str!("../assets/query-dialog.js")),
    ("/dialogs.js", SCRIPT, include_str!("../assets/dialogs.js")),
    ("/dom.js", SCRIPT, include_str!("../assets/dom.js")),
    ("/text.js", SCRIPT, include_str!("../assets/text.js")),
    ("/queries.js", SCRIPT, include_str!("../assets/queries.js")),
    ("/editor.js", SCRIPT, include_str!("../assets/editor.js")),
    ("/editor/canvas.js", SCRIPT, include_str!("../assets/editor/canvas.js")),
    ("/editor/geometry.js", SCRIPT, include_str!("../assets/editor/geometry.js")),
    ("/editor/inline.js", SCRIPT, include_str!("../assets/editor/inline.js")),
    ("/editor/keys.js", SCRIPT, include_str!("../assets/editor/keys.js")),
    ("/editor/model.js", SCRIPT, include_str!("../assets/editor/model.js")),
    ("/editor/panel.js", SCRIPT, include_str!("../assets/editor/panel.js")),
    ("/editor/scene.js", SCRIPT, include_str!("../assets/editor/scene.js")),
    ("/editor/templates.js", SCRIPT, include_str!("../assets/editor/templates.js")),
    ("/editor.css", STYLE, include_str!("../assets/editor.css")),
    ("/simulator.js", SCRIPT, include_str!("../assets/simulator.js")),
    ("/traces.js", SCRIPT, include_str!("../assets/traces.js")),
    ("/states.js", SCRIPT, include_str!("../assets/states.js")),
    ("/drawings.js", SCRIPT, include_str!("../assets/drawings.js")),
    ("/export.js", SCRIPT, include_str!("../assets/export.js")),
    ("/fraction.js", SCRIPT, include_str!("../assets/fraction.js")),
    ("/moves.js", SCRIPT, include_str!("../assets/moves.js")),
    ("/state-canvas.js", SCRIPT, include_str!("../assets/state-canvas.js")),
    ("/state-table.js", SCRIPT, include_str!("../assets/state-table.js")),
    ("/player.js", SCRIPT, report::PLAYER),
    ("/style.css", STYLE, include_str!("../assets/style.css")),
    ("/simulator.css", STYLE, include_str!("../assets/simulator.css")),
    ("/icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Returns the routes to the files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let serve = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text).into_response() })
    };
    let served = FILES.iter().zip(TEXTS.iter());
    let files = served.fold(Router::new(), |router, (&(path, kind, _), text)| router.route(path, serve(kind, text)));
    files.route("/draw.css", serve(STYLE, &COLORS))
}

/// The files as they are served: comments are for those who read the sources.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let served = |&(_, kind, text): &(&str, &str, &str)| {
        if matches!(kind, SCRIPT | STYLE) { without_comments(text) } else { text.to_owned() }
    };
    FILES.iter().map(served).collect()
});

/// Leaves out the lines that are comments.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_comment = false;
    for line in text.lines() {
        let trimmed = line.trim();
        is_comment |= trimmed.starts_with("/*");
        let ends = is_comment && trimmed.contains("*/");
        // A comment at the start of a line of code stays.
        let is_code = !is_comment || (ends && !trimmed.ends_with("*/"));
        if is_code && !trimmed.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
        is_comment &= !ends;
    }
    out
}

/// The colours of all pictures and of the page. The reader's choice takes precedence over the
/// system's.
static COLORS: LazyLock<String> = LazyLock::new(|| {
    let (light, dark) = (draw::properties(false), draw::properties(true));
    format!(
        "{}:root{{{light}}}\n@media(prefers-color-scheme:dark){{:root{{{dark}}}}}\n\
         :root[data-theme=light],:root[data-theme=light] .merkhet{{{light}color-scheme:light}}\n\
         :root[data-theme=dark],:root[data-theme=dark] .merkhet{{{dark}color-scheme:dark}}\n",
        draw::style()
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_comments_are_left_out() {
        let text =
            "// a\n/**\n * b\n */\nlet c = 1; // d\n  /** @type {e} */\n  /** f */ (g);\n/* h */\n.i { j: k; }\n";
        assert_eq!(without_comments(text), "let c = 1; // d\n  /** f */ (g);\n.i { j: k; }\n");
        let size: usize = TEXTS.iter().map(String::len).sum();
        assert!(size + COLORS.len() < 300_000, "{size}");
    }
}
