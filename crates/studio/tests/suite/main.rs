//! The server without a browser: requests in process.

mod documents;
mod drawings;
mod queries;
mod security;
mod simulators;
mod support;
