//! A browser that tests control, by the W3C's WebDriver protocol, and a server for it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use studio::{Config, Server};

/// The longest wait for the page. A busy machine takes long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keys that have no character.
pub mod keys {
    pub const CONTROL: &str = "\u{e009}";
    pub const ALT: &str = "\u{e00a}";
    pub const SHIFT: &str = "\u{e008}";
    pub const ENTER: &str = "\u{e007}";
    pub const TAB: &str = "\u{e004}";
    pub const ESCAPE: &str = "\u{e00c}";
    pub const DELETE: &str = "\u{e017}";
    pub const HOME: &str = "\u{e011}";
    pub const UP: &str = "\u{e013}";
    pub const RIGHT: &str = "\u{e014}";
    pub const DOWN: &str = "\u{e015}";
    pub const F2: &str = "\u{e032}";
    pub const F12: &str = "\u{e03c}";
}

/// A folder that is served, and a browser that shows the page.
pub struct Page {
    pub link: String,
    /// How long it took until the server could be reached.
    pub bound: Duration,
    browser: Browser,
    stops: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
    /// Removed last, since the browser writes into it.
    folder: Folder,
}

/// A folder that is removed with all that is in it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = call(self.address, "DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop_server();
    }
}

/// Sends a request, and returns the value of the answer.
fn call(address: SocketAddr, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = if method == "POST" { body.to_string() } else { String::new() };
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
    // The driver keeps the connection open, whatever is asked.
    stream.set_read_timeout(Some(2 * PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut status, mut length) = (String::new(), 0);
    reader.read_line(&mut status).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().to_ascii_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let value = serde_json::from_slice::<Value>(&body).unwrap_or_default()["value"].take();
    if status.contains(" 200 ") { Ok(value) } else { Err(value) }
}

impl Browser {
    fn start(driver: &Path, profile: &Path) -> Browser {
        let mut driver =
            Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(rest) = line.split("started successfully on port ").nth(1) {
                break rest.trim_end_matches('.').parse().unwrap();
            }
        };
        // What it prints later is not read, and must not block it.
        thread::spawn(move || lines.for_each(drop));
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let profile = format!("--user-data-dir={}", profile.display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,720",
            &profile,
        ];
        let options = json!({ "args": arguments });
        let capabilities = json!({ "goog:chromeOptions": options, "unhandledPromptBehavior": "accept" });
        let wanted = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let session = call(address, "POST", "/session", &wanted).unwrap();
        Browser { driver, address, session: session["sessionId"].as_str().unwrap().to_owned() }
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, Value> {
        call(self.address, "POST", &format!("/session/{}/{path}", self.session), body)
    }
}

impl Page {
    /// Opens the page of a folder with these files; the first one is shown. `None` without a
    /// driver; then the test is skipped.
    #[track_caller]
    pub fn open(files: &[(&str, &str)]) -> Option<Page> {
        let Some(driver) = std::env::var_os("MERKHET_CHROMEDRIVER") else {
            oracle::skip("MERKHET_CHROMEDRIVER does not name the driver of Chromium");
            return None;
        };
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Folder(std::env::temp_dir().join(format!("merkhet-browser-{}-{next}", std::process::id())));
        let _ = fs::remove_dir_all(&folder.0);
        fs::create_dir_all(folder.0.join("served")).unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.0.join("served").join(name), text).unwrap());
        let browser = Browser::start(Path::new(&driver), &folder.0.join("profile"));
        let model = files.first().map(|(name, _)| (*name).to_owned());
        let (stops, link) = (Arc::new(AtomicBool::new(false)), String::new());
        let mut page = Page { link, bound: Duration::ZERO, browser, stops, server: None, folder };
        page.start_server(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), model);
        page.resize(1280, 720);
        page.go(&page.link);
        page.wait("document.documentElement.dataset.ready || document.querySelector('dialog[open]')");
        Some(page)
    }

    /// Starts the server at an address.
    pub fn start_server(&mut self, address: SocketAddr, model: Option<String>) {
        let config = Config { model, grace: Duration::from_secs(1), ..Config::default() };
        let start = Instant::now();
        let server = Server::bind(&self.folder.0.join("served"), Some(address), false, config).unwrap();
        self.link = server.link();
        self.bound = start.elapsed();
        self.stops = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&self.stops);
        self.server = Some(thread::spawn(move || server.run(|| stops.load(Ordering::Relaxed))));
    }

    /// Stops the server.
    pub fn stop_server(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        self.server.take().into_iter().for_each(|thread| thread.join().unwrap());
    }

    /// Goes to an address.
    pub fn go(&self, link: &str) {
        self.browser.post("url", &json!({ "url": link })).unwrap();
    }

    /// Runs a script, which returns a value.
    #[track_caller]
    pub fn script(&self, script: &str, arguments: Value) -> Value {
        let body = json!({ "script": script, "args": arguments });
        self.browser.post("execute/sync", &body).unwrap_or_else(|e| panic!("{script}: {e}"))
    }

    /// Runs a script that ends by calling its last argument.
    #[track_caller]
    pub fn script_later(&self, script: &str, arguments: Value) -> Value {
        let body = json!({ "script": script, "args": arguments });
        self.browser.post("execute/async", &body).unwrap_or_else(|e| panic!("{script}: {e}"))
    }

    /// Returns the value of an expression.
    #[track_caller]
    pub fn value(&self, expression: &str) -> Value {
        self.script(&format!("return {expression};"), json!([]))
    }

    /// Waits until an expression is true, and returns its value.
    #[track_caller]
    pub fn wait(&self, expression: &str) -> Value {
        let start = Instant::now();
        loop {
            let value = self.script(&format!("return ({expression}) || null;"), json!([]));
            if !value.is_null() && value != false {
                return value;
            }
            if start.elapsed() > PATIENCE {
                let body = self.value("document.body.innerText");
                panic!("never true: {expression}\n{body}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the text of the elements with a selector contains something.
    #[track_caller]
    pub fn wait_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait(&format!("[...document.querySelectorAll({selector})].some((e) => e.textContent.includes({text}))"));
    }

    /// Waits for an element that is visible, and returns its reference.
    #[track_caller]
    pub fn find(&self, selector: &str) -> Value {
        let quoted = json!(selector);
        self.wait(&format!("[...document.querySelectorAll({quoted})].find((e) => e.checkVisibility())"))
    }

    /// Clicks an element.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let element = self.find(selector);
        let id = element.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
        let click = || self.browser.post(&format!("element/{id}/click"), &json!({}));
        click().unwrap_or_else(|e| panic!("click on {selector}: {e}"));
    }

    /// Clicks the visible button with this text or label.
    #[track_caller]
    pub fn press(&self, label: &str) {
        let wanted = json!(label);
        let script = format!(
            "[...document.querySelectorAll('button,[role=button],a')].find((e) => e.checkVisibility() && !e.disabled && \
             (e.textContent.trim() === {wanted} || e.getAttribute('aria-label') === {wanted}))"
        );
        let element = self.wait(&script);
        let id = element.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
        self.browser
            .post(&format!("element/{id}/click"), &json!({}))
            .unwrap_or_else(|e| panic!("click on {label}: {e}"));
    }

    /// Types text into what has the focus.
    pub fn keys(&self, text: &str) {
        let mut actions = Vec::new();
        for c in text.chars() {
            actions.push(json!({ "type": "keyDown", "value": c.to_string() }));
            actions.push(json!({ "type": "keyUp", "value": c.to_string() }));
        }
        self.actions(&json!([{ "type": "key", "id": "keyboard", "actions": actions }]));
    }

    /// Presses a key while others are held.
    pub fn chord(&self, held: &[&str], key: &str) {
        let step = |kind: &str, key: &str| json!({ "type": kind, "value": key });
        let down = held.iter().map(|key| step("keyDown", key));
        let up = held.iter().rev().map(|key| step("keyUp", key));
        let actions: Vec<Value> = down.chain([step("keyDown", key), step("keyUp", key)]).chain(up).collect();
        self.actions(&json!([{ "type": "key", "id": "keyboard", "actions": actions }]));
    }

    /// Presses the mouse at a point of the window, moves it by others, and releases it.
    pub fn drag(&self, points: &[(f64, f64)]) {
        let to = |(x, y): &(f64, f64)| json!({ "type": "pointerMove", "x": x.round(), "y": y.round(), "duration": 20 });
        let mut actions: Vec<Value> = points.iter().map(to).collect();
        actions.insert(1, json!({ "type": "pointerDown", "button": 0 }));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let parameters = json!({ "pointerType": "mouse" });
        self.actions(&json!([{ "type": "pointer", "id": "mouse", "parameters": parameters, "actions": actions }]));
    }

    fn actions(&self, actions: &Value) {
        self.browser.post("actions", &json!({ "actions": actions })).unwrap();
    }

    /// Returns the middle of the first element with a selector, in the window.
    #[track_caller]
    pub fn middle(&self, selector: &str) -> (f64, f64) {
        self.find(selector);
        let quoted = json!(selector);
        let script = format!(
            "const b = [...document.querySelectorAll({quoted})].find((e) => e.checkVisibility()).getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2];"
        );
        let at = self.script(&script, json!([]));
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    }

    /// Sets a feature of the system that the page may ask for, such as `prefers-color-scheme`.
    pub fn emulate(&self, name: &str, value: &str) {
        let parameters = json!({ "features": [{ "name": name, "value": value }] });
        let body = json!({ "cmd": "Emulation.setEmulatedMedia", "params": parameters });
        self.browser.post("goog/cdp/execute", &body).unwrap();
    }

    /// Sets the size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        let body = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params":
            { "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false } });
        self.browser.post("goog/cdp/execute", &body).unwrap();
    }

    /// Writes a picture of the window into the folder that `MERKHET_SCREENSHOTS` names, if it does.
    pub fn screenshot(&self, name: &str) {
        let Some(folder) = std::env::var_os("MERKHET_SCREENSHOTS") else { return };
        let shot =
            call(self.browser.address, "GET", &format!("/session/{}/screenshot", self.browser.session), &Value::Null);
        let bytes = decode_base64(shot.unwrap().as_str().unwrap());
        fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
    }

    /// Reads a file of the served folder.
    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.0.join("served").join(name)).unwrap()
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        (bits, count) = (bits << 6 | u32::from(value(byte)), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
