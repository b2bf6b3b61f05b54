//! Queries: run, stop, answers and their evidence, options.

use serde_json::json;

use crate::driver::{Page, keys};

const LAMP: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n<declaration>clock x;</declaration>\n<template><name>Lamp</name>\
    <location id=\"a\"><name>off</name></location><location id=\"b\"><name>on</name><label kind=\"invariant\">x &lt;= 5</label></location>\
    <init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"assignment\">x = 0</label></transition>\
    <transition><source ref=\"b\"/><target ref=\"a\"/><label kind=\"guard\">x &gt;= 2</label></transition></template>\n\
    <system>system Lamp;</system>\n<queries><query><formula>E&lt;&gt; Lamp.on and x &gt; 4</formula><comment>Burns long</comment></query>\
    <query><formula>A[] Lamp.on imply x &lt;= 5</formula><comment/></query></queries>\n</nta>\n";

const SLOW: &str = "int[0,30] n, m, o, p; process P() { state a; init a; trans a -> a { guard n < 30; assign n++; }, \
    a -> a { guard m < 30; assign m++; }, a -> a { guard o < 30; assign o++; }, a -> a { guard p < 30; assign p++; }, \
    a -> a { assign n = 0; }; } system P;";

#[test]
fn answers_are_shown_with_their_evidence() {
    let Some(page) = Page::open(&[("lamp.xml", LAMP)]) else { return };
    page.chord(&[keys::ALT], "3");
    page.wait_text(".queries", "Burns long");
    page.press("Run all");
    page.wait("document.querySelectorAll('.query.satisfied').length === 2");
    page.press("Trace with 1 step");
    page.wait("!document.getElementById('view-trace').hidden");
    page.chord(&[keys::ALT], "3");
    page.press("Replay");
    page.wait_text(".said", "Replayed with exact arithmetic");
    // The second has no trace, but a proof.
    page.click(".options summary");
    page.script("document.querySelector('#option-certificate').click();", json!([]));
    page.wait_text(".command", "--certificate=lamp.certificate");
    page.click("[data-query='1']");
    page.press("Run query 2");
    page.press("Certify");
    page.wait_text(".said", "Proved by the independent checker");
    page.wait_text(".command", "-q 'A[] Lamp.on imply x <= 5' lamp.xml");
    page.click(".options summary");
    page.screenshot("queries");
}

#[test]
fn queries_are_added_and_changed_in_the_file() {
    let Some(page) = Page::open(&[("lamp.xml", LAMP)]) else { return };
    page.chord(&[keys::ALT], "3");
    page.press("Add query…");
    page.wait("document.activeElement.id === 'query-text'");
    page.keys("A[] not deadlock");
    page.keys(keys::TAB);
    page.keys("It goes on");
    page.keys(keys::TAB);
    page.keys(keys::ENTER);
    page.wait_text(".queries", "It goes on");
    page.press("Run query 3");
    page.wait("document.querySelector('.query:nth-child(3).satisfied')");
    page.press("Remove query 1");
    page.wait("document.querySelectorAll('.query').length === 2");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    let saved = page.file("lamp.xml");
    assert!(saved.contains("<formula>A[] not deadlock</formula>") && !saved.contains("Burns long"), "{saved}");
    for _ in 0..2 {
        page.chord(&[keys::CONTROL], "z");
        page.wait("true");
    }
    page.wait("document.getElementById('undo').disabled");
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("lamp.xml"), LAMP);
}

#[test]
fn a_search_shows_its_progress_and_is_stopped() {
    let Some(page) = Page::open(&[("slow.xta", SLOW), ("slow.q", "A[] n >= 0\n")]) else { return };
    page.chord(&[keys::ALT], "3");
    page.press("Run all");
    page.wait("document.querySelector('.search .plot polyline')?.points.length > 5");
    page.wait_text(".numbers-line", "per second");
    page.screenshot("query-run");
    page.press("Stop");
    page.wait("document.querySelector('.query.unknown') && !document.querySelector('.search')");
    page.wait_text(".answer-details", "interrupted");
}
