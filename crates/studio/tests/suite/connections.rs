//! Connections: too many, and slow ones. Here the server listens.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use studio::{Config, Server};

use crate::support::Host;

/// Runs a test against a server that listens.
fn served(config: Config, test: impl FnOnce(SocketAddr)) {
    let host = Host::with("m.xta", "process P() { state a; init a; } system P;");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(&host.folder, Some(address), false, config).unwrap();
    let (address, stops) = (server.address(), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&stops);
    let thread = thread::spawn(move || server.run(|| flag.load(Ordering::Relaxed)));
    test(address);
    stops.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends a text and reads what comes until the other end closes.
fn rest(mut stream: TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn request(address: SocketAddr) -> String {
    format!("GET /api/files HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
}

#[test]
fn too_many_connections_are_refused_with_a_message() {
    served(Config { max_connections: 3, ..Config::default() }, |address| {
        let open: Vec<TcpStream> = (0..3).map(|_| connect(address)).collect();
        for _ in 0..2 {
            let answer = rest(connect(address), &request(address));
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
            assert!(answer.contains("the server has 3 connections already"), "{answer}");
        }
        // Those that are open are served, and make room.
        for stream in open {
            assert!(rest(stream, &request(address)).starts_with("HTTP/1.1 200 "));
        }
        loop {
            let answer = rest(connect(address), &request(address));
            if answer.starts_with("HTTP/1.1 200 ") {
                break;
            }
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        }
    });
}

#[test]
fn requests_that_do_not_arrive_end_their_connection() {
    served(Config { patience: Duration::from_millis(200), ..Config::default() }, |address| {
        // Nothing at all, and half of the headers.
        for text in ["", "GET / HTTP/1.1\r\nHost: "] {
            let answer = rest(connect(address), text);
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408 "), "{answer}");
        }
        // Half of the body.
        let head = format!(
            "POST /api/sessions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
        );
        let answer = rest(connect(address), &head);
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.contains("the request did not arrive within 0.2 seconds"), "{answer}");
        assert!(rest(connect(address), &request(address)).starts_with("HTTP/1.1 200 "));
    });
}

/// The events of a page come as long as it listens.
#[test]
fn a_page_that_listens_is_not_slow() {
    served(Config { patience: Duration::from_millis(100), ..Config::default() }, |address| {
        let body = "{\"file\":\"m.xta\"}";
        let head = format!(
            "POST /api/sessions HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let begun = rest(connect(address), &head);
        let session = begun.split("\"session\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let mut events = connect(address);
        let listen = format!("GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        events.write_all(listen.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(400));
        // An end would be read as nothing at all.
        events.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut read = [0; 4096];
        let end = loop {
            match events.read(&mut read) {
                Ok(0) => break "closed",
                Ok(_) => {}
                Err(_) => break "open",
            }
        };
        assert_eq!(end, "open");
    });
}
