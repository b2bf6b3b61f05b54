//! The page in Chromium. These tests run if `MERKHET_CHROMEDRIVER` names its driver, as in
//! `.ci/run`, and are skipped otherwise.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start programs")]

mod driver;
mod editor;
mod manners;
mod nets;
mod queries;
mod scenario;
mod shell;
mod simulation;
mod text;
