//! Simulator, trace player and state space in the browser: every state that is shown is compared
//! with what `merkhet replay` accepts.

use merkhet::{Model, Source};
use serde_json::{Value, json};
use show::{json::verify::NamedState, replay};

use crate::driver::{Page, keys};

/// Two processes, of which one sends within a time that the other allows.
const DOOR: &str = "clock x, y; chan go; int[0,3] n;
    process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x > 2 && n < 3; sync go!; assign x = 0, n = n + 1; },
        b -> a { guard x >= 1; }; }
    process Q() { state c; init c; trans c -> c { sync go?; assign y = 0; }; }
    system P, Q;";

/// Opens the simulator of a model.
fn open(name: &str, text: &str) -> Option<Page> {
    let page = Page::open(&[(name, text)])?;
    page.press("Simulator");
    page.find("#view-simulator .take");
    Some(page)
}

/// The rows of the table of the state: names and values.
fn table(page: &Page, root: &str) -> Vec<(String, String)> {
    let script = format!(
        "[...document.querySelectorAll('{root} .values tr:not(.group)')].map((row) => [row.cells[0].textContent, \
         row.cells[1].firstChild?.textContent ?? ''])"
    );
    let rows = page.value(&script);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(&row[0]), text(&row[1]))).collect()
}

/// The rows that a state should have.
fn rows(state: &NamedState) -> Vec<(String, String)> {
    let locations = state.locations.iter().map(|l| (l.process.clone(), l.location.clone()));
    let variables = state.variables.iter().map(|v| (v.name.clone(), v.value.to_string()));
    let clocks = state.clocks.iter().flatten().map(|c| (c.name.clone(), c.value.clone()));
    locations.chain(variables).chain(clocks).collect()
}

/// Checks that the state that is shown is the end of a run that is replayed.
fn check(page: &Page, text: &str) {
    let script = "const done = arguments[0]; const api = '/api/sessions/' + sessionStorage.getItem('merkhet-session'); \
         fetch(`${api}/simulators/1/file`).then((r) => r.text()).then(done);";
    let file = page.script_later(script, json!([]));
    let file = replay::parse(file.as_str().unwrap()).unwrap_or_else(|e| panic!("{}", e.message));
    let mut model = Model::open(Source::text("m.xta", text)).unwrap();
    let query = model.state_query(&file.traces[0].query, "<query>").unwrap();
    let (system, property) = model.loaded.system.with(&query);
    let result = replay::replayed(&system, &file.traces[0], &property);
    assert!(result.ok, "{:?}", result.reason);
    let shown = table(page, "#view-simulator");
    assert_eq!(shown[0].0, "time");
    assert_eq!(shown[1..], rows(&file.traces[0].trace.end));
}

/// The number of the move that is shown.
fn at(page: &Page, moves: usize) {
    page.wait(&format!(
        "document.querySelector('.history [aria-current]')?.textContent.startsWith({}) ",
        json!(if moves == 0 { "Start".to_owned() } else { format!("{moves}: ") })
    ));
}

#[test]
fn a_run_is_made_with_the_mouse_and_shown_everywhere() {
    let Some(page) = open("door.xta", DOOR) else { return };
    check(&page, DOOR);
    // Hovering shows the edges in both drawings.
    let (x, y) = page.middle("#view-simulator .take");
    page.drag(&[(x, y), (x, y)]);
    at(&page, 1);
    page.wait("document.querySelectorAll('#view-simulator .views .active').length === 2");
    check(&page, DOOR);
    page.wait("document.querySelectorAll('#view-simulator .values .changed').length >= 4");
    page.press("Take back");
    at(&page, 0);
    page.wait("document.querySelector('.history .ahead')");
    // The slider offers the delays of the interval, and no others.
    let greatest = "const s = document.querySelector('#view-simulator input[type=range][aria-label^=Delay]'); s.value = s.max; \
         s.dispatchEvent(new Event('input')); return document.querySelector('#view-simulator .delay input[type=text]').value;";
    assert_eq!(page.script(greatest, json!([])), "5");
    page.click("#view-simulator .take");
    at(&page, 1);
    page.wait_text("#view-simulator .values", "moved");
    assert_eq!(table(&page, "#view-simulator")[0], ("time".to_owned(), "5".to_owned()));
    check(&page, DOOR);
    // The timeline leads back to the start.
    page.wait("document.querySelector('#view-simulator .timeline [data-step=\"1\"]')");
    let click = "document.querySelector('#view-simulator .timeline [data-step=\"0\"] .area').dispatchEvent(new MouseEvent('click', {bubbles: true}))";
    page.script(click, json!([]));
    at(&page, 0);
}

#[test]
fn the_simulator_works_by_keyboard_alone() {
    let Some(page) = open("door.xta", DOOR) else { return };
    page.script("document.querySelector('#view-simulator .take').focus()", json!([]));
    page.keys(keys::ENTER);
    at(&page, 1);
    page.keys(keys::DOWN);
    page.keys(keys::UP);
    page.keys(keys::ENTER);
    at(&page, 2);
    check(&page, DOOR);
    page.keys("\u{e003}");
    at(&page, 1);
    // The exact delay is typed.
    page.script(
        "const i = document.querySelector('#view-simulator .delay input[type=text]'); i.focus(); i.select();",
        json!([]),
    );
    page.keys("7/3");
    page.keys(keys::ENTER);
    at(&page, 2);
    page.wait_text("#view-simulator .values", "7/3");
    check(&page, DOOR);
    // A delay that is not allowed is refused in words.
    page.script(
        "const i = document.querySelector('#view-simulator .delay input[type=text]'); i.focus(); i.value = '99';",
        json!([]),
    );
    page.keys(keys::ENTER);
    page.wait_text("#view-simulator .message", "can't");
    check(&page, DOOR);
}

#[test]
fn walks_breakpoints_and_symbolic_states() {
    let Some(page) = open("door.xta", DOOR) else { return };
    page.script("document.querySelector('.add input').focus()", json!([]));
    page.keys("n == 2");
    page.keys(keys::ENTER);
    page.wait_text(".breaks", "n == 2");
    page.press("Run to breakpoint");
    page.wait_text("#view-simulator .message", "breakpoint: `n == 2` holds");
    page.wait("document.querySelector('.breaks .holds')");
    check(&page, DOOR);
    page.press("Reset");
    at(&page, 0);
    page.press("Symbolic");
    page.wait_text("#view-simulator .zone", "x == y");
    page.click("#view-simulator .successors .take");
    at(&page, 1);
    check(&page, DOOR);
    page.press("Remove the breakpoint n == 2");
    page.press("Random walk");
    page.wait("document.querySelectorAll('.history li').length > 4");
    page.press("Random walk");
    page.wait("document.querySelector('[aria-label=\"Random walk\"]').textContent.includes('Random')");
    check(&page, DOOR);
}

#[test]
fn a_run_is_played_as_a_trace_and_goes_on_in_the_simulator() {
    let Some(page) = open("door.xta", DOOR) else { return };
    for moves in 1..=4 {
        page.press("Random step");
        at(&page, moves);
    }
    page.press("Play as trace");
    page.wait("document.querySelectorAll('#view-trace .timeline [data-step]').length >= 5");
    page.press("Step forward");
    page.press("Step forward");
    page.wait_text("#view-trace .status", "Step 2: ");
    let is_marked = |which: &str| format!("document.querySelector('#view-trace .{which} [data-step=\"2\"].current')");
    page.wait(&is_marked("chart"));
    page.wait(&is_marked("timeline"));
    // A click in one picture moves the other.
    page.script(
        "document.querySelector('#view-trace .chart [data-step=\"3\"] .area').dispatchEvent(new MouseEvent('click', {bubbles: true}))",
        json!([]),
    );
    page.wait("document.querySelector('#view-trace .timeline [data-step=\"3\"].current')");
    page.screenshot("trace");
    page.press("Load into simulator");
    at(&page, 3);
    check(&page, DOOR);
}

#[test]
fn states_are_coloured_searched_and_loaded() {
    let Some(page) = open("door.xta", DOOR) else { return };
    page.press("States");
    page.wait_text("#view-states .message", "states");
    page.script("document.querySelector('#view-states form input').focus()", json!([]));
    page.keys("n == 3");
    page.keys(keys::ENTER);
    page.wait_text("#view-states .message", "the condition holds everywhere in");
    page.wait_text("#view-states .legend", "condition holds everywhere");
    page.script("document.querySelector('#view-states canvas').focus()", json!([]));
    page.keys(keys::HOME);
    page.keys(keys::DOWN);
    page.wait_text("#view-states .details h2", "State 1");
    page.keys(keys::ENTER);
    page.find("#view-simulator .take");
    page.wait_text("#view-simulator .message", "state 1, by a run with 1 transition");
    check(&page, DOOR);
    page.press("States");
    page.script("document.querySelector('#view-states input[type=search]').focus()", json!([]));
    page.keys("n = 2");
    page.wait_text("#view-states .message", "contain");
    page.keys(keys::ENTER);
    page.wait_text("#view-states .details", "n");
    page.screenshot("states");
}

/// Names of a model are text, whatever they contain; here in a net, where any name is possible.
#[test]
fn names_never_become_markup() {
    let net = "net {<b id=\"x\">n</b>}\ntr {<img src=x onerror=\"document.title='bad'\">} p -> q\npl p (1)\n";
    let Some(page) = open("evil.net", net) else { return };
    page.wait_text("#view-simulator .take", "<img src=x");
    page.click("#view-simulator .take");
    at(&page, 1);
    page.press("Play as trace");
    page.wait_text("#view-trace .status", "Start");
    page.press("States");
    page.wait_text("#view-states .message", "2 states");
    assert_eq!(page.value("document.querySelectorAll('main img, main b').length"), 0);
    assert_ne!(page.value("document.title"), "bad");
}
