//! The server without a browser: requests in process.

mod documents;
mod security;
mod support;
