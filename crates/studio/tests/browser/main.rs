//! The page in Chromium. These tests run if `MERKHET_CHROMEDRIVER` names its driver, as in
//! `.ci/run`, and are skipped otherwise.

mod driver;
mod editor;
mod manners;
mod queries;
mod scenario;
mod shell;
mod simulation;
mod text;
