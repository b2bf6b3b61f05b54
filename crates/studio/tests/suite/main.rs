//! The server without a browser: requests in process.

mod documents;
mod queries;
mod security;
mod simulators;
mod support;
