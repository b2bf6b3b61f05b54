//! Connections: how many there may be, and how long a request may take to arrive.

use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1::Builder;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

/// How many connections are told at a time that there are too many.
const MAX_REFUSALS: usize = 64;
/// How long one that is told so may take to listen.
const LISTENS: Duration = Duration::from_secs(1);

/// Serves connections. At most `limit` are open; a request has to arrive within `patience`, and a
/// connection may not be idle for longer.
pub async fn serve(listener: TcpListener, app: Router, limit: usize, patience: Duration) {
    let (permits, refusals) = (Arc::new(Semaphore::new(limit)), Arc::new(Semaphore::new(MAX_REFUSALS)));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // The other end has gone, or the system has no more files; the next one may be better.
            Err(e) if matches!(e.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => continue,
            Err(_) => {
                sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                tokio::spawn(async move {
                    let _ = timeout(LISTENS, refuse(stream, limit)).await;
                    drop(permit);
                });
            }
            continue;
        };
        let service = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let mut http = Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(patience);
            // What goes wrong concerns this connection alone.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(permit);
        });
    }
}

/// Says that there are too many connections, and waits until the other end has read it.
async fn refuse(stream: TcpStream, limit: usize) -> io::Result<()> {
    let body = format!("{{\"error\":\"the server has {limit} connections already; close some pages\"}}");
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {}\r\nRetry-After: 1\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    stream.writable().await?;
    stream.try_write(answer.as_bytes())?;
    // Closing at once would discard the answer if something of the request is not read yet.
    let mut rest = [0; 1024];
    loop {
        stream.readable().await?;
        match stream.try_read(&mut rest) {
            Ok(0) => return Ok(()),
            Err(e) if e.kind() != io::ErrorKind::WouldBlock => return Err(e),
            _ => {}
        }
    }
}
