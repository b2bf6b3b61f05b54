//! Long campaigns outside of the tests: fuzzing of the binary, random networks under sampled
//! options, compared with an oracle, and many pages of Studio at once.

mod fuzz;
mod networks;
mod options;
mod studio;

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

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
    let args = Args::parse();
    // A campaign that is stopped prints what it has found so far.
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler the campaign ends at once, and its runs end by their limits.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    match args.campaign {
        CampaignCommand::Fuzz(args) => fuzz::run(&args, stop),
        CampaignCommand::Networks(args) => networks::run(&args, &stop),
        CampaignCommand::Studio(args) => studio::run(&args),
    }
}
