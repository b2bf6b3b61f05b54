//! Long campaigns outside of the tests: fuzzing of the binary, and random networks under sampled
//! options, compared with an oracle.

mod fuzz;
mod networks;
mod options;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Attacks merkhet and prints a table of the runs and findings.
#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    campaign: CampaignCommand,
}

#[derive(Debug, Subcommand)]
enum CampaignCommand {
    /// Runs the binary on fuzzed files of every format with every command, under limits.
    Fuzz(fuzz::FuzzArgs),
    /// Compares answers about random networks under sampled options with an oracle.
    Networks(networks::NetworksArgs),
}

fn main() -> ExitCode {
    match Args::parse().campaign {
        CampaignCommand::Fuzz(args) => fuzz::run(&args),
        CampaignCommand::Networks(args) => networks::run(&args),
    }
}
