//! Names of models are text, whatever they contain.

use crate::pages::{elements, sample};

/// Names that would be markup, end an attribute, a script, a comment or a style sheet, or change
/// the direction of text.
const NAMES: [&str; 7] = [
    "<img src=x onerror=alert(1)>",
    "\"><script>alert(1)</script>",
    "' onclick='alert(1)",
    "</script><script>alert(1)</script><!--",
    "</style></title></pre></svg><b>bold</b>",
    "&lt;b&gt; ]]> --> <![CDATA[",
    "a\u{202e}b\u{0}c\u{1b}[31m",
];

#[test]
fn names_never_become_markup() {
    let (plain, _) = elements(&sample("name").html());
    let names = |elements: &[(String, Vec<(String, String)>)]| -> Vec<(String, Vec<String>)> {
        let keys = |attributes: &[(String, String)]| attributes.iter().map(|(key, _)| key.clone()).collect();
        // Long names have several lines in pictures.
        let kept = elements.iter().filter(|(name, _)| name != "tspan");
        kept.map(|(name, attributes)| (name.clone(), keys(attributes))).collect()
    };
    for name in NAMES {
        let html = sample(name).html();
        let (found, text) = elements(&html);
        assert_eq!(names(&found), names(&plain), "{name}");
        assert!(html.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{name}");
        assert!(!html.contains('\u{202e}'), "{name}");
        assert!(!text.contains('<') && !text.contains('>'), "{name}");
        assert_eq!(html.matches("</script>").count(), 3, "{name}");
        for data in html.split("<script type=\"application/json\">").skip(1) {
            let data: serde_json::Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
            let process = &data["processes"][0]["name"];
            let place = &data["places"][0];
            let kept = name.replace('\u{202e}', "\u{fffd}");
            assert!(*process == kept || *place == kept, "{name} is kept: {data}");
        }
    }
}
