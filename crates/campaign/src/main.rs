//! Long campaigns outside of the tests: fuzzing of the binary, random networks under sampled
//! options, compared with an oracle, and many pages of Studio at once.

mod fuzz;
mod networks;
mod options;
mod studio;

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
    /// Measures the server of Studio under many simulators and some searches.
    Studio(studio::StudioArgs),
}

fn main() -> ExitCode {
    match Args::parse().campaign {
        CampaignCommand::Fuzz(args) => fuzz::run(&args),
        CampaignCommand::Networks(args) => networks::run(&args),
        CampaignCommand::Studio(args) => studio::run(&args),
    }
}
