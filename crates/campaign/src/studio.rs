//! The campaign `studio`: pages that step through a model while others search, as a load on the
//! server. It prints the times of the responses, and how the memory of the process grows over many
//! requests.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ::studio::{Config, Server};
use serde_json::{Value, json};

/// A model that can be simulated for ever, and whose search does not end within the campaign.
const MODEL: &str = "int[0,250] n, m, o, p; clock x; process P() { state a { x <= 9 }; init a; \
    trans a -> a { guard n < 250 && x > 1; assign n++, x = 0; }, a -> a { guard m < 250; assign m++; }, \
    a -> a { guard o < 250; assign o++; }, a -> a { guard p < 250; assign p++; }, \
    a -> a { guard x > 2; assign n = 0, m = 0, o = 0, p = 0, x = 0; }; } system P;";

/// The most that memory may grow over all requests after the first tenth, in bytes.
const MAX_GROWTH: i64 = 8 << 20;

/// Options of the campaign.
#[derive(Debug, clap::Args)]
pub struct StudioArgs {
    /// The number of pages with a simulator
    #[arg(long, default_value_t = 50)]
    simulators: usize,
    /// The number of searches beside them
    #[arg(long, default_value_t = 4)]
    searches: usize,
    /// The number of requests under load, over all pages
    #[arg(long, default_value_t = 5000)]
    requests: usize,
    /// The number of requests over which memory is measured, without searches
    #[arg(long, default_value_t = 10_000)]
    memory_requests: usize,
    /// The time between two requests of a page, in milliseconds
    #[arg(long, default_value_t = 250)]
    pause: u64,
    /// The median that is allowed, in milliseconds
    #[arg(long, default_value_t = 50)]
    median: u64,
}

/// Runs the campaign.
pub fn run(args: &StudioArgs) -> ExitCode {
    match campaign(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all figures are within their limits.
fn campaign(args: &StudioArgs) -> io::Result<bool> {
    let folder = Folder::new()?;
    let config = Config { max_searches: args.searches.max(1), ..Config::default() };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(&folder.0, Some(address), false, config).map_err(io::Error::other)?;
    let (address, stops) = (server.address(), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&stops);
    let thread = thread::spawn(move || server.run(|| flag.load(Ordering::Relaxed)));
    let measured = measure(args, address);
    stops.store(true, Ordering::Relaxed);
    thread.join().map_err(|_| io::Error::other("the server panicked"))?;
    measured
}

fn measure(args: &StudioArgs, address: SocketAddr) -> io::Result<bool> {
    let mut searcher = Client::open(address)?;
    for _ in 0..args.searches {
        searcher.post("/queries", &json!({ "text": "A[] n >= 0" }))?;
    }
    let pause = Duration::from_millis(args.pause);
    let mut times = load(args.simulators, args.requests, address, pause)?;
    let running = searcher.get("/answers")?["running"].as_array().map_or(0, Vec::len);
    for search in searcher.get("/answers")?["running"].as_array().into_iter().flatten() {
        searcher.post(&format!("/searches/{search}/stop"), &Value::Null)?;
    }
    times.sort_unstable();
    let at = |part: usize| {
        times.get((times.len() * part / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{} simulators, {running} searches still running at the end", args.simulators)?;
    let (median, most) = (at(50), times.last().copied().unwrap_or_default());
    writeln!(
        out,
        "{} responses: median {median:.1?}, 90% {:.1?}, 99% {:.1?}, slowest {most:.1?}",
        times.len(),
        at(90),
        at(99)
    )?;
    drop(searcher);

    // What searches have stored is given back at any time after them, so they are not measured.
    let tenth = args.memory_requests / 10;
    load(args.simulators, tenth, address, Duration::ZERO)?;
    let before = resident();
    load(args.simulators, args.memory_requests - tenth, address, Duration::ZERO)?;
    let growth = resident() - before;
    let count = args.memory_requests - tenth;
    writeln!(out, "memory: {} kB, and {} kB more after {count} requests", before / 1024, growth / 1024)?;
    Ok(median <= Duration::from_millis(args.median) && growth <= MAX_GROWTH && running == args.searches)
}

fn resident() -> i64 {
    merkhet::memory::read().map_or(0, |memory| memory.resident as i64 * 1024)
}

/// Steps through the model on many pages at once. Returns the times of the responses.
fn load(pages: usize, requests: usize, address: SocketAddr, pause: Duration) -> io::Result<Vec<Duration>> {
    let left = AtomicUsize::new(requests);
    thread::scope(|scope| {
        let page = |number: usize| {
            let left = &left;
            scope.spawn(move || {
                // Users do not click at the same moment.
                thread::sleep(pause.mul_f64(number as f64 / pages.max(1) as f64));
                simulate(address, left, pause)
            })
        };
        let threads: Vec<_> = (0..pages).map(page).collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().map_err(|_| io::Error::other("a page panicked"))??);
        }
        Ok(all)
    })
}

fn simulate(address: SocketAddr, left: &AtomicUsize, pause: Duration) -> io::Result<Vec<Duration>> {
    let mut client = Client::open(address)?;
    let started = client.post("/simulators", &Value::Null)?;
    let path = format!("/simulators/{}", started["about"]["id"]);
    let mut times = Vec::new();
    let mut moves = 0;
    while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
        moves += 1;
        // A page shows the last moves; users begin again now and then.
        let action = if moves % 50 == 0 { "reset" } else { "random" };
        let body = json!({ "do": action, "steps": 1, "seed": null, "symbolic": moves % 5 == 0 });
        let start = Instant::now();
        client.post(&path, &body)?;
        times.push(start.elapsed());
        thread::sleep(pause.saturating_sub(start.elapsed()));
    }
    client.request("DELETE", "", &Value::Null)?;
    Ok(times)
}

/// A folder with the model, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        let folder = Folder(std::env::temp_dir().join(format!("merkhet-load-{}", std::process::id())));
        fs::create_dir_all(&folder.0)?;
        fs::write(folder.0.join("m.xta"), MODEL)?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A page, with one connection and one session.
struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    session: String,
}

impl Client {
    fn open(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut client = Client { stream: BufReader::new(stream), address, session: "/api/sessions".to_owned() };
        let begun = client.post("", &json!({ "file": "m.xta" }))?;
        client.session = format!("/api/sessions/{}", begun["session"].as_str().unwrap_or_default());
        Ok(client)
    }

    fn get(&mut self, path: &str) -> io::Result<Value> {
        self.request("GET", path, &Value::Null)
    }

    fn post(&mut self, path: &str, body: &Value) -> io::Result<Value> {
        self.request("POST", path, body)
    }

    fn request(&mut self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let request = format!(
            "{method} {}{path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.session,
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        if !status.contains(" 200 ") {
            return Err(io::Error::other(format!("{} {}", status.trim(), String::from_utf8_lossy(&answer))));
        }
        serde_json::from_slice(&answer).map_err(io::Error::other)
    }
}
