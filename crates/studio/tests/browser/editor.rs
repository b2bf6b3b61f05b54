//! The editor of drawings: by pointer and by keys.

use serde_json::json;

use crate::driver::{Page, keys};

const MODEL: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<nta>\r\n\t<!-- kept -->\r\n\t<declaration>clock x; int n;</declaration>\r\n\
    \t<template>\r\n\t\t<name>Lamp</name>\r\n\t\t<location id=\"id0\" x=\"0\" y=\"0\">\r\n\t\t\t<name x=\"-10\" y=\"-34\">Off</name>\r\n\t\t</location>\r\n\
    \t\t<location id=\"id1\" x=\"204\" y=\"0\" color=\"#ffd0a0\">\r\n\t\t\t<name x=\"194\" y=\"-34\">On</name>\r\n\
    \t\t\t<label kind=\"invariant\" x=\"194\" y=\"17\">x &lt;= 5</label>\r\n\t\t\t<urgent/>\r\n\t\t</location>\r\n\t\t<init ref=\"id0\"/>\r\n\
    \t\t<transition>\r\n\t\t\t<source ref=\"id0\"/>\r\n\t\t\t<target ref=\"id1\"/>\r\n\t\t\t<label kind=\"guard\" x=\"68\" y=\"-25\">x &gt;= 2</label>\r\n\
    \t\t\t<label kind=\"assignment\" x=\"68\" y=\"8\">x = 0</label>\r\n\t\t</transition>\r\n\
    \t\t<transition>\r\n\t\t\t<source ref=\"id1\"/>\r\n\t\t\t<target ref=\"id0\"/>\r\n\t\t\t<nail x=\"102\" y=\"85\"/>\r\n\t\t</transition>\r\n\
    \t</template>\r\n\t<system>system Lamp;</system>\r\n\t<queries>\r\n\t\t<query><formula>E&lt;&gt; Lamp.On</formula><comment/></query>\r\n\t</queries>\r\n</nta>\r\n";

/// Opens a model in the editor.
fn open(text: &str) -> Option<Page> {
    let page = Page::open(&[("lamp.xml", text)])?;
    page.wait("document.querySelector('[data-key=\"location:0\"]')");
    Some(page)
}

/// Saves, and returns the file.
fn saved(page: &Page) -> String {
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    page.file("lamp.xml")
}

/// Undoes everything, and compares the file.
fn undo_all(page: &Page) {
    page.wait("document.getElementById('undo').disabled || document.getElementById('undo').click()");
    page.wait("document.getElementById('undo').disabled");
    assert_eq!(saved(page), MODEL);
}

#[test]
fn a_location_is_dragged() {
    let Some(page) = open(MODEL) else { return };
    let (x, y) = page.middle("[data-key='location:1'] .disc");
    page.drag(&[(x, y), (x + 20.0, y + 10.0), (x + 50.0, y + 40.0)]);
    page.wait("!document.getElementById('save').disabled");
    page.screenshot("editor-dragged");
    let text = saved(&page);
    let without = |text: &str| -> Vec<String> {
        let moves = ["id=\"id1\"", ">On<", "x &lt;= 5", "x &gt;= 2", "x = 0"];
        text.lines().filter(|line| !moves.iter().any(|part| line.contains(part))).map(str::to_owned).collect()
    };
    assert_eq!(without(&text), without(MODEL), "only the location moves, its labels, and those of edges at it");
    assert!(!text.contains("x=\"204\" y=\"0\"") && text.contains("color=\"#ffd0a0\""));
    page.press("Undo");
    page.wait("!document.getElementById('save').disabled");
    undo_all(&page);
}

#[test]
fn a_guard_is_edited_and_mended() {
    let Some(page) = open(MODEL) else { return };
    let at = page.middle("[data-key='label:edge:0:guard']");
    page.drag(&[at, at]);
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys("x >= nowhere && x < 7");
    page.wait_text("#inline-problems", "nowhere");
    page.screenshot("editor-inline");
    page.keys(keys::ENTER);
    page.wait("document.querySelector('[data-key=\"label:edge:0:guard\"].wrong')");
    page.wait("document.querySelector('#verdict.bad')");
    page.screenshot("editor-wrong");
    // The same mistake is in the text.
    assert!(page.value("document.getElementById('verdict').textContent").as_str().unwrap().starts_with("1 error"));
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("x >= 3{}", keys::ENTER));
    page.wait("!document.querySelector('.wrong') && !document.querySelector('#verdict.bad')");
    let text = saved(&page);
    assert_eq!(text, MODEL.replace(">x &gt;= 2<", ">x &gt;= 3<"));
    // What is being typed is saved as well.
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys("x >= 4");
    page.chord(&[keys::CONTROL], "s");
    page.wait_text("[data-key='label:edge:0:guard']", "x >= 4");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("lamp.xml"), MODEL.replace(">x &gt;= 2<", ">x &gt;= 4<"));
    page.press("Undo");
    undo_all(&page);
}

#[test]
fn everything_works_by_keys() {
    let Some(page) = open(MODEL) else { return };
    page.script("document.querySelector('.canvas').focus()", json!([]));
    let focused = |key: &str| page.wait(&format!("document.activeElement.getAttribute('data-key') === '{key}'"));
    page.keys(keys::TAB);
    focused("location:0");
    assert!(
        page.value("document.activeElement.getAttribute('aria-label')")
            .as_str()
            .unwrap()
            .starts_with("Location Off, initial")
    );
    page.keys(keys::TAB);
    focused("edge:0");
    page.keys(keys::TAB);
    focused("location:1");
    // Move, committed, rename.
    page.keys(&format!("{}{}", keys::RIGHT, keys::DOWN));
    page.keys("c");
    page.wait("document.querySelector('[data-key=\"location:1\"] .mark').textContent === 'C'");
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("Burning{}", keys::ENTER));
    page.wait_text("[data-key='label:location:1:name']", "Burning");
    focused("location:1");
    // A location, and an edge to it.
    page.keys("ll");
    page.find("#inline-field");
    page.keys(&format!("Broken{}", keys::ENTER));
    page.wait_text("[data-key='label:location:2:name']", "Broken");
    focused("location:2");
    page.chord(&[keys::SHIFT], keys::TAB);
    page.wait("/^(location|edge):/.test(document.activeElement.getAttribute('data-key'))");
    page.chord(&[keys::SHIFT], keys::TAB);
    focused("location:1");
    page.keys("e");
    page.keys(keys::TAB);
    focused("location:2");
    page.keys(keys::ENTER);
    focused("edge:2");
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("x == 5{}n++{}", keys::TAB.repeat(2), keys::ENTER));
    page.wait_text("[data-key='label:edge:2:assignment']", "n++");
    page.keys("n");
    page.wait("document.querySelector('.nail.selected')");
    page.keys(keys::UP);
    page.keys("?");
    page.find("#editor-help");
    page.screenshot("editor-keys");
    page.keys(keys::ESCAPE);
    page.wait("!document.querySelector('#verdict.bad')");
    page.screenshot("editor-edited");
    page.emulate("prefers-color-scheme", "dark");
    page.screenshot("editor-dark");
    let text = saved(&page);
    for part in [
        "x=\"221\" y=\"17\" color=\"#ffd0a0\"",
        ">Burning<",
        "</label>\r\n\t\t\t<committed/>\r\n\t\t</location>",
        ">Broken<",
        "E&lt;&gt; Lamp.Burning",
        "<label kind=\"guard\">x == 5</label>\r\n\t\t\t<label kind=\"assignment\">n++</label>\r\n\t\t\t<nail x=",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    page.press("Undo");
    undo_all(&page);
}

#[test]
fn elements_are_drawn_bent_and_aligned() {
    let Some(page) = open(MODEL) else { return };
    let at = |key: &str| page.middle(&format!("[data-key='{key}'] .disc"));
    let (off, on) = (at("location:0"), at("location:1"));
    // An edge, with the button held down.
    page.press("Edge");
    page.drag(&[on, (on.0 - 30.0, on.1 + 60.0), off]);
    page.wait("document.querySelector('[data-key=\"edge:2\"].selected')");
    // A line that is dragged bends there.
    page.press("Undo");
    page.wait("!document.querySelector('[data-key=\"edge:2\"]')");
    let middle = ((off.0 + on.0) / 2.0 + 20.0, off.1);
    page.drag(&[(middle.0, middle.1), (middle.0, middle.1 - 20.0), (middle.0, middle.1 - 70.0)]);
    page.wait("document.querySelector('.nail')");
    page.wait("!document.getElementById('save').disabled");
    // Another location, then a box around all, and a row.
    page.press("Location");
    let third = (off.0 + 60.0, off.1 + 200.0);
    page.drag(&[third, third]);
    page.find("#inline-field");
    page.keys(keys::ENTER);
    page.press("Select");
    let corner = (off.0 - 90.0, off.1 - 160.0);
    page.drag(&[corner, (corner.0 + 50.0, corner.1 + 50.0), (on.0 + 90.0, third.1 + 60.0)]);
    page.wait("document.querySelectorAll('.location.selected').length === 3");
    page.screenshot("editor-selected");
    page.press("Align top");
    let tops = "new Set([...document.querySelectorAll('.location')].map((e) => e.getAttribute('transform').split(' ')[1])).size === 1";
    page.wait(tops);
    undo_all(&page);
}

const TEXT: &str = "clock x;\nprocess P() {\n    state A { x <= 3 }, B; // two\n    init A;\n    trans A -> B { guard x >= 1; };\n}\nsystem P;\n";

#[test]
fn models_in_text_are_edited_in_place() {
    let Some(page) = Page::open(&[("p.xta", TEXT)]) else { return };
    page.wait_text("[data-key='label:edge:0:guard']", "x >= 1");
    page.wait_text("[data-key='label:location:0:invariant']", "x <= 3");
    page.script("document.querySelector('[data-key=\"edge:0\"]').focus()", json!([]));
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("x == 2{}", keys::ENTER));
    page.wait_text("[data-key='label:edge:0:guard']", "x == 2");
    // There are no positions to be changed.
    page.keys(keys::RIGHT);
    page.wait_text("#notice", "no positions");
    page.screenshot("editor-text");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("p.xta"), TEXT.replace("x >= 1", "x == 2"));
}

/// A drawing of 300 locations and 600 edges.
fn large() -> String {
    let mut text = "<nta><declaration>clock x;</declaration><template><name>P</name>".to_owned();
    let at = |i: usize| (i % 20 * 150, i / 20 * 120);
    for i in 0..300 {
        let (x, y) = at(i);
        text += &format!(
            "<location id=\"id{i}\" x=\"{x}\" y=\"{y}\"><name x=\"{x}\" y=\"{}\">L{i}</name></location>",
            y as i32 - 30
        );
    }
    text += "<init ref=\"id0\"/>";
    for i in 0..600 {
        let (from, to) = (i % 300, (i % 300 + if i < 300 { 1 } else { 20 }) % 300);
        let (x, y) = at(from);
        text += &format!(
            "<transition><source ref=\"id{from}\"/><target ref=\"id{to}\"/><label kind=\"guard\" x=\"{}\" y=\"{}\">x &gt;= {i}</label></transition>",
            x + 20,
            y + 10
        );
    }
    text + "</template><system>system P;</system></nta>"
}

/// Measures how long the frames of a pan take, and the work of scripts within them.
#[test]
fn a_large_drawing_is_panned() {
    let Some(page) = open(&large()) else { return };
    let script = "const done = arguments[0]; const surface = document.querySelector('.canvas'); \
        const times = []; let work = 0; let left = 120; let before = performance.now(); \
        const step = (now) => { times.push(now - before); before = now; const start = performance.now(); \
          surface.dispatchEvent(new WheelEvent('wheel', { deltaX: left % 40 < 20 ? 9 : -9, cancelable: true })); \
          work += performance.now() - start; if (--left) requestAnimationFrame(step); \
          else { times.sort((a, b) => a - b); done({ median: times[60], ninth: times[108], work: work / 120, count: surface.querySelectorAll('[data-key]').length }); } }; \
        requestAnimationFrame(step);";
    let measured = page.script_later(script, json!([]));
    println!("frames while panning: {measured}");
    assert!(measured["count"].as_u64().unwrap() >= 300 + 600 + 900, "{measured}");
    page.screenshot("editor-large");
    // The machine may be busy: what scripts do for a frame is far below its time.
    assert!(measured["work"].as_f64().unwrap() < 4.0, "{measured}");
}
