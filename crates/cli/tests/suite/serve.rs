//! `merkhet serve`: its link, its refusals, its end, and the commands that it shows.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use crate::common::{command, run_in, scratch};

/// A server that is killed at the end.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a request to the address of a link, and returns the answer.
fn ask(link: &str, method: &str, path: &str, body: &str) -> String {
    let address = link.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Starts a server, and returns its link and the rest of its output.
fn serve(folder: &std::path::Path, words: &[&str]) -> (Serving, String, impl BufRead) {
    let words = ["serve", "--listen", "localhost:0"].iter().chain(words);
    let mut child = command(folder).args(words).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let link = line.trim().strip_prefix("Studio is at ").unwrap().to_owned();
    (Serving(child), link, lines)
}

#[test]
fn the_page_is_there_and_ctrl_c_ends_it() {
    let folder = scratch("serve");
    fs::write(folder.join("m.xta"), "process P() { state a; init a; } system P;").unwrap();
    let (mut serving, link, mut rest) = serve(&folder, &["m.xta"]);
    assert!(ask(&link, "GET", "/", "").contains("<title>Merkhet Studio</title>"));
    assert!(ask(&link, "GET", "/api/start", "").contains("\"model\":\"m.xta\""));
    let killed = Command::new("kill").args(["-INT", &serving.0.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut end = String::new();
    rest.read_to_string(&mut end).unwrap();
    assert_eq!((end.as_str(), serving.0.wait().unwrap().code()), ("Studio has ended.\n", Some(0)));
}

#[test]
fn other_machines_need_a_link_with_a_token() {
    let folder = scratch("serve-token");
    run_in(&folder, &["serve", "--listen", "0.0.0.0:0"]).refuses("add `--token`");
    run_in(&folder, &["serve", "missing.xta"]).refuses("there is no file or folder `missing.xta`");
    run_in(&folder, &["serve", "--listen", "nowhere"]).refuses("invalid");
    let (_serving, link, _) = serve(&folder, &["--token"]);
    let token = link.split("?token=").nth(1).unwrap();
    assert_eq!(token.len(), 32);
    assert!(ask(&link, "GET", "/", "").starts_with("HTTP/1.1 401"));
    assert!(ask(&link, "GET", &format!("/?token={token}"), "").starts_with("HTTP/1.1 303"));
}

#[test]
fn the_command_that_the_page_shows_gives_the_same_answer() {
    let folder = scratch("serve-command");
    let model = "clock x; int n; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x > 2; assign n = 1; }; } system P;";
    fs::write(folder.join("my model.xta"), model).unwrap();
    let (_serving, link, _) = serve(&folder, &["my model.xta"]);
    let begun = ask(&link, "POST", "/api/sessions", "{\"file\":\"my model.xta\"}");
    let session = begun.split("\"session\":\"").nth(1).unwrap().split('"').next().unwrap();
    let chosen = "[{\"name\":\"order\",\"value\":\"dfs\"},{\"name\":\"trace\",\"value\":\"shortest\"},{\"name\":\"helpful\",\"value\":\"\"},\
        {\"name\":\"certificate\",\"value\":\"\"},{\"name\":\"time-limit\",\"value\":\"1m\"}]";
    let body = format!("{{\"text\":\"E<> P.b and n != 0 // isn't it?\",\"options\":{chosen}}}");
    let answer = ask(&link, "POST", &format!("/api/sessions/{session}/command"), &body);
    let shown =
        answer.split("{\"command\":\"").nth(1).unwrap().trim_end().trim_end_matches("\"}").replace("\\\\", "\\");
    let program = command(&folder).get_program().to_str().unwrap().to_owned();
    let line = shown.replacen("merkhet", &program, 1);
    let run = Command::new("sh").current_dir(&folder).args(["-c", &line]).output().unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && out.contains("satisfied") && out.contains("trace with 1 transition"),
        "{line}: {run:?}"
    );
}
