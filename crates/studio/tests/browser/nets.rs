//! The editor of nets: by pointer and by keys.

use serde_json::json;

use crate::driver::{Page, keys};

/// A net that an editor wrote: with positions, a comment, and an element that is not known here.
const NET: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\r\n\
    \u{20}<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\r\n  <!-- kept -->\r\n  <page id=\"g\">\r\n\
    \u{20}  <place id=\"free\"><name><text>free</text></name><graphics><position x=\"80\" y=\"60\"/></graphics><initialMarking><text>2</text></initialMarking></place>\r\n\
    \u{20}  <place id=\"busy\"><name><text>busy</text></name><graphics><position x=\"400\" y=\"60\"/></graphics></place>\r\n\
    \u{20}  <transition id=\"take\"><name><text>take</text></name><graphics><position x=\"240\" y=\"60\"/></graphics><other tool=\"x\"/></transition>\r\n\
    \u{20}  <transition id=\"give\"><name><text>give</text></name><graphics><position x=\"240\" y=\"200\"/></graphics>\
    <delay><interval xmlns=\"http://www.w3.org/1998/Math/MathML\" closure=\"closed\"><cn>1</cn><cn>3</cn></interval></delay></transition>\r\n\
    \u{20}  <arc id=\"a1\" source=\"free\" target=\"take\"/>\r\n   <arc id=\"a2\" source=\"take\" target=\"busy\"/>\r\n\
    \u{20}  <arc id=\"a3\" source=\"busy\" target=\"give\"><inscription><text>2</text></inscription></arc>\r\n   <arc id=\"a4\" source=\"give\" target=\"free\"/>\r\n\
    \u{20} </page>\r\n </net>\r\n</pnml>\r\n";
const QUERIES: &str = "E<> busy == 2\nA[] free + busy <= 2\n";

fn saved(page: &Page, name: &str) -> String {
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    page.file(name)
}

/// Undoes everything, and compares the files.
fn undo_all(page: &Page, name: &str, text: &str) {
    page.wait("document.getElementById('undo').disabled || document.getElementById('undo').click()");
    page.wait("document.getElementById('undo').disabled");
    assert_eq!(saved(page, name), text);
}

#[test]
fn a_net_is_drawn_by_the_pointer() {
    let Some(page) = Page::open(&[("n.pnml", NET), ("n.q", QUERIES)]) else { return };
    page.wait(
        "document.querySelectorAll('.place').length === 2 && document.querySelectorAll('.transition').length === 2",
    );
    page.screenshot("net-editor");
    // A place is moved; its arcs follow.
    let (x, y) = page.middle("[data-key='place:1'] .disc");
    page.drag(&[(x, y), (x + 10.0, y + 10.0), (x + 40.0, y + 60.0)]);
    page.wait("!document.getElementById('save').disabled");
    let text = saved(&page, "n.pnml");
    let moved: Vec<(&str, &str)> = text.lines().zip(NET.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!((moved.len(), text.lines().count()), (1, NET.lines().count()), "only the place moves: {moved:?}");
    // A place and a transition, and arcs between them.
    page.press("Place");
    let at = |key: &str| page.middle(&format!("[data-key='{key}'] .disc"));
    let (left, low) = (at("place:0").0, at("transition:1").1);
    page.drag(&[(left, low), (left, low)]);
    page.find("#inline-field");
    page.keys(&format!("spare{}", keys::ENTER));
    page.wait_text("[data-key='label:place:2:name']", "spare");
    page.press("Transition");
    page.drag(&[(left + 60.0, low + 60.0), (left + 60.0, low + 60.0)]);
    page.find("#inline-field");
    page.keys(&format!("add{}", keys::ENTER));
    page.wait_text("[data-key='label:transition:2:name']", "add");
    page.press("Arc");
    let (from, to) = (at("place:2"), at("transition:2"));
    page.drag(&[from, (from.0 + 20.0, from.1 + 20.0), to]);
    page.wait("document.querySelector('[data-key=\"edge:4\"].selected')");
    // Its kind, and its weight.
    page.script("const list = document.getElementById('set-kind'); list.value = 'inhibitor'; list.dispatchEvent(new Event('change'))", json!([]));
    page.wait("document.querySelector('[data-key=\"edge:4\"].inhibitor')");
    page.click("#set-weight");
    page.keys(&format!("3{}", keys::ENTER));
    page.wait_text("[data-key='label:edge:4:weight']", "3");
    page.screenshot("net-edited");
    page.emulate("prefers-color-scheme", "dark");
    page.screenshot("net-dark");
    let text = saved(&page, "n.pnml");
    assert!(text.contains("<!-- kept -->") && text.contains("<other tool=\"x\"/>") && text.contains(">spare<"));
    // The model that is edited is the one that is simulated.
    page.chord(&[keys::ALT], "4");
    page.wait_text("#view-simulator", "take");
    page.chord(&[keys::ALT], "1");
    page.press("Undo");
    undo_all(&page, "n.pnml", NET);
}

#[test]
fn a_net_is_edited_by_keys_and_its_queries_follow() {
    let Some(page) = Page::open(&[("n.pnml", NET), ("n.q", QUERIES)]) else { return };
    page.wait("document.querySelectorAll('.place').length === 2");
    page.script("document.querySelector('.canvas').focus()", json!([]));
    let focused = |key: &str| page.wait(&format!("document.activeElement.getAttribute('data-key') === '{key}'"));
    page.keys(keys::TAB);
    focused("place:0");
    let label = page.value("document.activeElement.getAttribute('aria-label')");
    assert_eq!(label, "Place free, Tokens 2");
    // Rename: also in the queries beside.
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("idle{}", keys::ENTER));
    page.wait_text("[data-key='label:place:0:name']", "idle");
    focused("place:0");
    // Tokens.
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("{}4{}", keys::TAB, keys::ENTER));
    page.wait("document.querySelectorAll('[data-key=\"place:0\"] .token').length === 4");
    // What makes no sense is refused, and says why.
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("{}many", keys::TAB));
    page.wait_text("#inline-problems", "natural number");
    page.keys(keys::ESCAPE);
    // A new transition, and an arc to it.
    page.keys("tt");
    page.find("#inline-field");
    page.keys(&format!("drop{}", keys::ENTER));
    page.wait_text("[data-key='label:transition:2:name']", "drop");
    focused("transition:2");
    page.keys(&keys::UP.repeat(3));
    page.script("document.querySelector('[data-key=\"place:1\"]').focus()", json!([]));
    page.keys("e");
    for _ in 0..3 {
        page.keys(keys::TAB);
    }
    focused("transition:2");
    page.keys(keys::ENTER);
    page.wait("document.activeElement.getAttribute('aria-label').startsWith('Arc from busy to drop')");
    // An interval.
    page.script("document.querySelector('[data-key=\"transition:0\"]').focus()", json!([]));
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("{}[2,5]{}", keys::TAB, keys::ENTER));
    page.wait_text("[data-key='label:transition:0:interval']", "[2,5]");
    page.wait_text("#verdict", "no errors");
    let text = saved(&page, "n.pnml");
    for part in [">idle<", "<text>4</text>", ">drop<", "<cn>2</cn><cn>5</cn>", "source=\"busy\" target=\"t0\""] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(page.file("n.q"), QUERIES.replace("free", "idle"));
    page.press("Undo");
    undo_all(&page, "n.pnml", NET);
    assert_eq!(page.file("n.q"), QUERIES);
}

#[test]
fn names_of_nets_never_become_markup() {
    const EVIL: &str = "<img src=x onerror=hacked()>";
    let net = NET
        .replace(">free<", &format!(">{}<", EVIL.replace('<', "&lt;")))
        .replace(">take<", "><![CDATA[<b onclick=hacked()>]]><");
    let Some(page) = Page::open(&[("n.pnml", &net), ("n.q", "E<> busy == 2 // <b onclick=hacked()>\n")]) else {
        return;
    };
    page.script("window.hacked = () => { window.isHacked = true; };", json!([]));
    page.wait_text("[data-key='label:place:0:name']", EVIL);
    for key in ["place:0", "transition:0", "edge:0"] {
        page.script("document.querySelector(`[data-key='${arguments[0]}']`).focus()", json!([key]));
        page.wait("document.querySelector('.panel h2')");
    }
    for number in 1..=6 {
        page.chord(&[keys::ALT], &number.to_string());
        page.wait("true");
    }
    page.wait_text("#view-simulator", "onclick");
    let injected = "[...document.querySelectorAll('img:not([src=\"/icon.svg\"]), [onerror], [onclick], b')].length";
    assert_eq!((page.value("window.isHacked ?? false"), page.value(injected)), (json!(false), json!(0)));
}

#[test]
fn a_net_without_positions_is_laid_out_and_edited() {
    const TEXT: &str = "# a line of comment\nnet n\npl p (1)\ntr t p -> q*2\n";
    let Some(page) = Page::open(&[("n.net", TEXT)]) else { return };
    page.wait("document.querySelectorAll('.place').length === 2");
    page.wait_text(".panel", "no positions");
    page.script("document.querySelector('[data-key=\"place:1\"]').focus()", json!([]));
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("goal{}", keys::ENTER));
    page.wait_text("[data-key='label:place:1:name']", "goal");
    page.keys(keys::RIGHT);
    page.wait_text("#notice", "no positions");
    page.screenshot("net-text");
    assert_eq!(saved(&page, "n.net"), TEXT.replace("q*2", "goal*2"));
    page.press("Undo");
    undo_all(&page, "n.net", TEXT);
}
