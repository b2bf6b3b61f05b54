//! A server on a folder of its own, and requests to it.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    body::{Body, to_bytes},
    http::{Request, Response, StatusCode, header},
};
use serde_json::{Value, json};
use studio::{Config, Studio, app};
use tower::ServiceExt;

/// The port that tests pretend to have.
pub const PORT: u16 = 7355;

/// A server.
pub struct Host {
    pub folder: PathBuf,
    studio: Arc<Studio>,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.folder.parent().unwrap());
    }
}

impl Host {
    /// A server on an empty folder. Beside the folder is a file that it must not touch.
    pub fn new(config: Config) -> Host {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let outer = std::env::temp_dir().join(format!("merkhet-studio-{}-{next}", std::process::id()));
        let _ = fs::remove_dir_all(&outer);
        let folder = outer.join("served");
        fs::create_dir_all(&folder).unwrap();
        fs::write(outer.join("secret.xta"), "secret").unwrap();
        let studio = Studio::new(&folder, PORT, config).unwrap();
        Host { folder, studio }
    }

    /// A server with a file.
    pub fn with(name: &str, text: &str) -> Host {
        let host = Host::new(Config::default());
        fs::write(host.folder.join(name), text).unwrap();
        host
    }

    pub async fn send(&self, request: Request<Body>) -> Response<Body> {
        app(Arc::clone(&self.studio)).oneshot(request).await.unwrap()
    }

    /// Sends a request as the page does. Returns the status and the answer.
    pub async fn ask(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header(header::HOST, format!("127.0.0.1:{PORT}"));
        let request = if method == "POST" { request.header(header::CONTENT_TYPE, "application/json") } else { request };
        let response = self.send(request.body(Body::from(body.to_string())).unwrap()).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask("GET", path, &Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask("POST", path, &body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    /// Opens a file. Returns the path of the session, and the document.
    pub async fn open(&self, file: &str) -> (String, Value) {
        let begun = self.post("/api/sessions", json!({ "file": file })).await;
        (format!("/api/sessions/{}", begun["session"].as_str().unwrap()), begun["document"].clone())
    }
}

/// Runs a test on a runtime like that of the server.
pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test);
}
