//! The binary `merkhet`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(merkhet_cli::main(std::env::args_os(), None))
}
