//! The page in Chromium. These tests run if `MERKHET_CHROMEDRIVER` names its driver, as in
//! `.ci/run`, and are skipped otherwise.

mod driver;
mod queries;
mod shell;
mod simulation;
mod text;
