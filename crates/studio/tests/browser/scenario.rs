//! A whole session by keyboard: open, edit a guard, see the error, mend it, run the query, step
//! through the trace, save, open again, and undo to the beginning.

use merkhet::{Model, Source};
use serde_json::{Value, json};

use crate::driver::{Page, keys};

const MODEL: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<nta>\r\n\t<!-- kept -->\r\n\t<declaration>clock x; int n;</declaration>\r\n\
    \t<template>\r\n\t\t<name>Lamp</name>\r\n\t\t<location id=\"id0\" x=\"0\" y=\"0\">\r\n\t\t\t<name x=\"-10\" y=\"-34\">Off</name>\r\n\t\t</location>\r\n\
    \t\t<location id=\"id1\" x=\"204\" y=\"0\" color=\"#ffd0a0\">\r\n\t\t\t<name x=\"194\" y=\"-34\">On</name>\r\n\
    \t\t\t<label kind=\"invariant\" x=\"194\" y=\"17\">x &lt;= 5</label>\r\n\t\t</location>\r\n\t\t<init ref=\"id0\"/>\r\n\
    \t\t<transition>\r\n\t\t\t<source ref=\"id0\"/>\r\n\t\t\t<target ref=\"id1\"/>\r\n\t\t\t<label kind=\"guard\" x=\"68\" y=\"-25\">x &gt;= 2</label>\r\n\
    \t\t\t<label kind=\"assignment\" x=\"68\" y=\"8\">x = 0, n++</label>\r\n\t\t</transition>\r\n\
    \t\t<transition>\r\n\t\t\t<source ref=\"id1\"/>\r\n\t\t\t<target ref=\"id0\"/>\r\n\t\t\t<nail x=\"102\" y=\"85\"/>\r\n\t\t</transition>\r\n\
    \t</template>\r\n\t<system>system Lamp;</system>\r\n\t<queries>\r\n\t\t<query><formula>E&lt;&gt; n == 3 and Lamp.On and x &gt; 4</formula>\
    <comment>Third time</comment></query>\r\n\t</queries>\r\n</nta>\r\n";

/// Moves the focus by Tab until an expression is true.
#[track_caller]
fn tab_to(page: &Page, expression: &str) {
    for _ in 0..60 {
        if page.value(expression) == true {
            return;
        }
        page.keys(keys::TAB);
    }
    panic!("Tab does not lead to {expression}");
}

/// The visible rows of the table of values.
fn shown(page: &Page) -> Value {
    page.value(
        "Object.fromEntries([...document.querySelectorAll('#view-trace .values tr:not(.group)')] \
         .map((row) => [row.cells[0].textContent, row.cells[1].textContent]))",
    )
}

/// What `merkhet replay` computes for each step of the traces in a file: what the table has to
/// show.
fn replayed(model: &str, traces: &str) -> Vec<Value> {
    let model = Model::open(Source::text("lamp.xml", model)).unwrap();
    let system = &model.loaded.system;
    let file = show::replay::parse(traces).unwrap();
    let (visits, _) = show::replay::checked(system, &file.traces[0].trace).unwrap();
    let mut expected = Vec::new();
    for visit in &visits {
        let (entered, end) = (&visit.state, visit.end());
        let named = show::trace::state(system, &entered.row, Some(&entered.clocks));
        let left = show::trace::clocks(system, &end.clocks);
        let mut values = serde_json::Map::new();
        for at in named.locations {
            values.insert(at.process, json!(at.location));
        }
        for variable in named.variables {
            values.insert(variable.name, json!(variable.value.to_string()));
        }
        for (from, to) in named.clocks.unwrap().into_iter().zip(left) {
            let same = from.value == to.value;
            values.insert(
                from.name,
                json!(if same { from.value } else { format!("{} \u{2192} {}", from.value, to.value) }),
            );
        }
        values.insert("then a delay of".to_owned(), json!(visit.delay.to_string()));
        expected.push(Value::Object(values));
    }
    expected
}

#[test]
fn a_whole_session_by_keyboard() {
    let Some(page) = Page::open(&[("lamp.xml", MODEL), ("other.xta", "process P() { state a; init a; } system P;")])
    else {
        return;
    };
    // Edit a guard in the drawing, see the error, mend it.
    page.wait("document.querySelector('[data-key=\"location:0\"]')");
    tab_to(&page, "document.activeElement.getAttribute('data-key') === 'edge:0'");
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("x >= two{}", keys::ENTER));
    page.wait_text("#verdict", "1 error");
    page.keys(keys::ENTER);
    page.find("#inline-field");
    page.keys(&format!("x >= 3{}", keys::ENTER));
    page.wait_text("#verdict", "no errors");
    // Run the query.
    page.chord(&[keys::ALT], "3");
    page.wait("!document.getElementById('view-queries').hidden");
    tab_to(&page, "document.activeElement.textContent === 'Run all'");
    page.keys(keys::ENTER);
    page.wait("document.querySelector('.query.satisfied')");
    tab_to(&page, "document.activeElement.textContent.startsWith('Trace with')");
    page.keys(keys::ENTER);
    // Step through the trace; every state is the one that the executor of runs computes.
    page.wait("document.querySelector('#view-trace .values td')");
    let fetch = "const done = arguments[arguments.length - 1]; \
        const session = sessionStorage.getItem('merkhet-session'); \
        fetch(`/api/sessions/${session}/answers`).then((r) => r.json()) \
        .then((known) => fetch(`/api/sessions/${session}/answers/${known.answers.at(-1).id}/traces`)) \
        .then((r) => r.text()).then(done);";
    let traces = page.script_later(fetch, json!([]));
    let edited = MODEL.replace(">x &gt;= 2<", ">x &gt;= 3<");
    let expected = replayed(&edited, traces.as_str().unwrap());
    assert!(expected.len() > 4, "{traces}");
    tab_to(&page, "document.activeElement.getAttribute('aria-label') === 'Step forward'");
    for (step, state) in expected.iter().enumerate() {
        let shown = shown(&page);
        for (name, value) in state.as_object().unwrap() {
            assert_eq!(shown.get(name), Some(value), "step {step}, {name}: {shown}");
        }
        page.keys(keys::ENTER);
    }
    page.screenshot("scenario-trace");
    // Save, open another model, and this one again.
    page.chord(&[keys::CONTROL], "s");
    page.wait("document.getElementById('save').disabled");
    assert_eq!(page.file("lamp.xml"), edited);
    for (name, tab) in [("other.xta", 1), ("lamp.xml", 1)] {
        page.chord(&[keys::CONTROL], "o");
        page.wait("document.querySelector('dialog[open]')");
        page.keys(name);
        for _ in 0..tab {
            page.keys(keys::TAB);
        }
        tab_to(&page, &format!("document.activeElement.textContent === '{name}'"));
        page.keys(keys::ENTER);
        page.wait_text("#file", name);
    }
    // Another edit, and back: the file is as it was.
    page.chord(&[keys::ALT], "2");
    page.wait("document.querySelector('.code').textContent.includes('clock x')");
    tab_to(&page, "document.activeElement.className === 'code'");
    page.keys("// by keyboard\n");
    page.wait_text("#file", "\u{2022}");
    page.chord(&[keys::CONTROL], "z");
    page.wait("document.getElementById('undo').disabled && document.getElementById('save').disabled");
    assert_eq!(page.file("lamp.xml"), edited);
}
