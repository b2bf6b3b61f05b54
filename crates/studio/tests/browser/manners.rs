//! Manners: rules about pages that everybody can use, names that look like markup, sizes of
//! windows.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{Page, keys};

const TRAIN: &str = include_str!("../../../../models/train_gate.xta");
const QUERIES: &str = include_str!("../../../../models/train_gate.q");

const RELAY: &str = include_str!("../../../../models/nets/relay.tapn");

/// Returns the serious violations that axe-core finds on the page.
fn violations(page: &Page, rules: &str) -> Vec<Value> {
    page.script(rules, json!([]));
    let run = "const done = arguments[arguments.length - 1]; \
        axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations \
        .filter((v) => v.impact === 'serious' || v.impact === 'critical') \
        .map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 4).join(' | ')}`)));";
    page.script_later(run, json!([])).as_array().unwrap().clone()
}

#[test]
fn axe_finds_no_serious_violation_in_any_view_light_or_dark() {
    let Some(rules) = std::env::var_os("MERKHET_AXE") else {
        return oracle::skip("MERKHET_AXE does not name the script of axe-core");
    };
    let rules = fs::read_to_string(rules).unwrap();
    let Some(page) = Page::open(&[("train_gate.xta", TRAIN), ("train_gate.q", QUERIES)]) else { return };
    page.chord(&[keys::ALT], "3");
    page.press("Run all");
    page.wait("document.querySelectorAll('.query.satisfied, .query.not-satisfied').length >= 2");
    let mut found = Vec::new();
    for theme in ["light", "dark"] {
        page.emulate("prefers-color-scheme", theme);
        for number in 1..=6 {
            page.chord(&[keys::ALT], &number.to_string());
            page.wait("!document.querySelector('[aria-busy=true]')");
            let title = page.value("document.querySelector('#tabs [aria-selected=true]').textContent");
            found.extend(violations(&page, &rules).into_iter().map(|v| format!("{theme} {title}: {v}")));
        }
        page.chord(&[keys::CONTROL], "o");
        page.wait("document.querySelector('dialog[open]')");
        found.extend(violations(&page, &rules).into_iter().map(|v| format!("{theme} dialog: {v}")));
        page.keys(keys::ESCAPE);
        page.wait("!document.querySelector('dialog[open]')");
    }
    // The editor of nets, with something selected.
    let Some(page) = Page::open(&[("relay.tapn", RELAY)]) else { return };
    for key in ["place:0", "transition:4", "edge:0"] {
        page.wait("document.querySelector('.transition')");
        page.script("document.querySelector(`[data-key='${arguments[0]}']`).focus()", json!([key]));
        page.wait("document.querySelector('.panel .set, .panel .checks')");
        found.extend(violations(&page, &rules).into_iter().map(|v| format!("{key}: {v}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn nothing_in_a_model_becomes_markup() {
    const EVIL: &str = "<img src=x onerror=hacked()>";
    let escaped = EVIL.replace('<', "&lt;");
    let model = format!(
        "<nta><declaration>// {escaped}\nint n;</declaration><template><name>P</name><parameter></parameter>\
         <declaration>/* {escaped} */</declaration><location id=\"a\"><name>a</name><label kind=\"comments\">{escaped}</label></location>\
         <location id=\"b\"><name>b</name></location><init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"b\"/>\
         <label kind=\"guard\">n == 0 // {escaped}</label><label kind=\"comments\">{escaped}</label></transition></template>\
         <template><name>{escaped}</name><location id=\"c\"/><init ref=\"c\"/></template>\
         <system>// {escaped}\nsystem P;</system><queries><query><formula>E&lt;&gt; P.b // {escaped}</formula>\
         <comment>{escaped}</comment></query><query><formula>{escaped}</formula><comment/></query></queries></nta>"
    );
    let valid = model.replacen(&format!("<name>{escaped}</name>"), "<name>Q</name>", 1);
    for (name, text) in [("<img src=x onerror=hacked()>.xml", &valid), ("b.xml", &model)] {
        let Some(page) = Page::open(&[(name, text), ("<b onclick=hacked()>.xta", "system P;")]) else { return };
        page.script("window.hacked = () => { window.isHacked = true; };", json!([]));
        for number in 1..=6 {
            page.chord(&[keys::ALT], &number.to_string());
            page.wait("true");
            if number == 3 && name != "b.xml" {
                page.press("Run query 1");
                page.wait("document.querySelector('.query.satisfied')");
                page.press("Replay");
                page.wait_text(".said", "Replayed");
            }
        }
        page.chord(&[keys::CONTROL], "o");
        page.wait_text("dialog", "<b onclick");
        let injected = "[...document.querySelectorAll('img:not([src=\"/icon.svg\"]), script:not([src]), [onerror], [onclick], b')].length";
        assert_eq!((page.value("window.isHacked ?? false"), page.value(injected)), (json!(false), json!(0)), "{name}");
    }
}

#[test]
fn the_page_is_small_soon_there_and_fits_small_windows() {
    let Some(page) = Page::open(&[("train_gate.xta", TRAIN), ("train_gate.q", QUERIES)]) else { return };
    let bytes = page.value(
        "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')) \
         .filter((e) => !e.name.includes('/api/')).reduce((sum, e) => sum + e.decodedBodySize, 0)",
    );
    assert!(bytes.as_f64().unwrap() < 300_000.0, "{bytes}");
    let ready = page.value("document.documentElement.dataset.ready");
    println!(
        "page: {bytes} bytes, interactive {ready} ms after its address was opened; the server was there after {:?}",
        page.bound
    );
    for (width, height) in [(1280, 720), (820, 1180)] {
        page.resize(width, height);
        for number in 1..=6 {
            page.chord(&[keys::ALT], &number.to_string());
            page.wait("true");
            let wide = page.value(
                "document.documentElement.scrollWidth > innerWidth || document.body.scrollHeight > innerHeight + 1",
            );
            assert_eq!(wide, false, "view {number} at {width}x{height}");
        }
    }
}
