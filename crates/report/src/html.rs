//! HTML from text.

/// Escapes text, for content and for attributes in double quotes. Characters that HTML forbids are
/// replaced, and so are those that change the direction of text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_misleading(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns whether a character is not in HTML, or changes the direction of text.
pub(crate) fn is_misleading(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// Writes an element with text, unless the text is empty. `start` is its name and attributes, which
/// are not escaped.
pub(crate) fn element(out: &mut String, start: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let name = start.split(' ').next().unwrap_or(start);
    out.push_str(&format!("<{start}>{}</{name}>\n", escaped(text)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        assert_eq!(
            escaped("<a b=\"c\" d='e'>&\u{1}\u{202e}"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\u{fffd}\u{fffd}"
        );
        let mut out = String::new();
        element(&mut out, "p class=\"reason\"", "x < 3");
        element(&mut out, "p", "");
        assert_eq!(out, "<p class=\"reason\">x &lt; 3</p>\n");
    }
}
