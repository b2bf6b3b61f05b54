//! The page as a whole: tabs, keys, files, the end of the server.

use crate::driver::{Page, keys};

const MODEL: &str = "process P() { state a; init a; } system P;";

#[test]
fn the_page_opens_the_model_and_its_tabs_work_by_keyboard() {
    let Some(page) = Page::open(&[("m.xta", MODEL)]) else { return };
    page.wait_text("#file", "m.xta");
    page.wait_text("#verdict", "no errors");
    page.chord(&[keys::ALT], "3");
    assert_eq!(page.wait("document.querySelector('[role=tab][aria-selected=true]').textContent"), "Queries");
    page.keys(keys::RIGHT);
    page.wait("document.activeElement.id === 'tab-simulator' && !document.getElementById('view-simulator').hidden");
    page.keys(keys::HOME);
    page.wait("!document.getElementById('view-editor').hidden");
    page.screenshot("shell");
}
