//! The text editor.

use serde_json::json;

use crate::driver::{Page, keys};

const MODEL: &str =
    "clock x;\nint n;\nprocess P() {\n  state a, b;\n  init a;\n  trans a -> b { guard x > 2; };\n}\nsystem P;\n";

/// The text in the editor.
fn text(page: &Page) -> String {
    page.value("document.querySelector('.code').firstChild.data").as_str().unwrap().to_owned()
}

fn open(files: &[(&str, &str)]) -> Option<Page> {
    let page = Page::open(files)?;
    page.chord(&[keys::ALT], "2");
    page.wait("document.querySelector('.code').textContent.includes('system')");
    Some(page)
}

/// Puts the caret before the first occurrence of a word.
fn caret(page: &Page, word: &str) {
    let script = "const c = document.querySelector('.code'); c.focus(); \
        getSelection().collapse(c.firstChild, c.firstChild.data.indexOf(arguments[0]));";
    page.script(script, json!([word]));
}

#[test]
fn mistakes_are_shown_where_they_are_and_saved_text_is_that_of_the_editor() {
    let Some(page) = open(&[("m.xta", MODEL)]) else { return };
    page.wait("CSS.highlights.get('token-clock')?.size === 2 && CSS.highlights.get('token-keyword')?.size > 6");
    caret(&page, "x > 2");
    page.keys("y + ");
    page.wait_text("#verdict", "1 error");
    page.wait_text(".problems", "unknown name");
    page.wait("CSS.highlights.get('problem-error').size === 1");
    page.screenshot("text-error");
    caret(&page, "y + ");
    (0..4).for_each(|_| page.keys(keys::DELETE));
    page.wait_text("#verdict", "no errors");
    assert_eq!(text(&page), MODEL);
    // A new line is indented as the one before, and one undo takes back what was typed at once.
    caret(&page, "init a");
    page.keys("// one\n// two\n");
    page.wait("!document.getElementById('save').disabled");
    page.chord(&[keys::CONTROL], "s");
    page.wait_text("#notice", "Saved m.xta");
    assert_eq!(page.file("m.xta"), MODEL.replace("init a", "// one\n  // two\n  init a"));
    page.chord(&[keys::CONTROL], "z");
    page.wait("document.querySelector('.code').firstChild.data.indexOf('//') < 0");
    while page.value("!document.getElementById('undo').disabled") == true {
        page.chord(&[keys::CONTROL], "z");
        page.wait("true");
    }
    page.wait("document.getElementById('undo').disabled");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("m.xta"), MODEL);
}

#[test]
fn names_are_completed_and_followed_by_keyboard() {
    let Some(page) = open(&[("m.xta", MODEL)]) else { return };
    caret(&page, "int n");
    page.keys("int total;\n");
    page.wait_text("#verdict", "warning");
    caret(&page, "x > 2");
    page.keys("to");
    page.wait_text(".completion", "total");
    page.screenshot("completion");
    page.keys(keys::ENTER);
    page.keys(" < 3 && ");
    page.wait_text("#verdict", "no errors");
    assert!(text(&page).contains("guard total < 3 && x > 2;"));
    caret(&page, "tal < 3");
    page.keys(keys::F12);
    page.wait("getSelection().toString() === 'total' && getSelection().getRangeAt(0).startOffset < 20");
    page.keys(keys::F12);
    page.wait("getSelection().getRangeAt(0).startOffset > 60");
    // Escape and Tab leave the text.
    page.keys(keys::ESCAPE);
    page.keys(keys::TAB);
    page.wait("!document.querySelector('.code').contains(document.activeElement) && document.activeElement !== document.querySelector('.code')");
}

#[test]
fn what_was_not_saved_is_kept_and_asked_about() {
    let Some(mut page) = open(&[("m.xta", MODEL)]) else { return };
    caret(&page, "int n");
    page.keys("int kept; ");
    page.wait("Object.keys(localStorage).some((key) => key.includes('unsaved') && localStorage[key].includes('kept'))");
    // The session of the tab lives on after a reload.
    page.go(&page.link);
    page.wait("document.documentElement.dataset.ready");
    page.wait_text("#file", "•");
    // The server ends, and is noticed; a new one gets the text.
    let address = page.link.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    page.stop_server();
    page.wait_text("#connection", "does not answer");
    page.start_server(address, Some("m.xta".to_owned()));
    page.wait_text("#notice", "The server is back");
    page.script("document.querySelector('#tab-text').click();", json!([]));
    page.wait("document.querySelector('.code').textContent.includes('int kept;')");
    // Another tab is asked.
    page.script("sessionStorage.clear();", json!([]));
    page.go(&page.link);
    page.wait_text("dialog", "were not saved");
    page.screenshot("unsaved");
    page.press("Restore them");
    page.wait_text("#file", "•");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert!(page.file("m.xta").contains("int kept; int n"));
}

#[test]
fn a_name_is_renamed_from_the_keyboard() {
    let Some(page) = open(&[("m.xta", MODEL), ("m.q", "E<> P.b and x > 4\n")]) else { return };
    page.wait_text("#verdict", "no errors");
    caret(&page, "x > 2");
    page.keys(keys::F2);
    page.find("#dialog-field");
    page.wait_text("#dialog-title", "Rename x (2 uses)");
    page.chord(&[keys::CONTROL], "a");
    page.keys(&format!("age{}", keys::ENTER));
    page.wait("document.querySelector('.code').textContent.includes('clock age;')");
    page.screenshot("text-renamed");
    // A name that is taken is refused, and says why.
    caret(&page, "n;");
    page.keys(keys::F2);
    page.find("#dialog-field");
    page.chord(&[keys::CONTROL], "a");
    page.keys(&format!("age{}", keys::ENTER));
    page.wait_text("#notice", "declared twice");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("m.xta"), MODEL.replace("clock x", "clock age").replace("x > 2", "age > 2"));
    assert_eq!(page.file("m.q"), "E<> P.b and age > 4\n");
}
