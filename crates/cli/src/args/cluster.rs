//! The options of clusters.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand};

use super::{VerifyArgs, duration};

/// Several processes that answer together.
#[derive(Args, Clone, Debug)]
pub struct ClusterArgs {
    /// Answer together with processes on other machines, whose addresses are in FILE
    ///
    /// Each line is `HOST:PORT`, where a process listens; the first one is that of process 0, which
    /// reads the model and prints the answers. Start one process on each machine with --process, or
    /// all of them with `merkhet cluster run`. All have the same version of merkhet, and the same
    /// addresses. Each uses --threads threads, or all cores. Breadth-first, depth-first and waiting
    /// orders and statistical queries run on a cluster; directed orders, formulas, and queries
    /// about maximal runs do not.
    #[arg(long, value_name = "FILE", help_heading = "Cluster")]
    pub hosts: Option<PathBuf>,
    /// The number of this process; those after process 0 need no model
    #[arg(long, value_name = "N", requires = "hosts", help_heading = "Cluster")]
    pub process: Option<usize>,
    /// Answer by N processes on this machine, each with one thread unless --threads says more
    #[arg(long, value_name = "N", conflicts_with_all = ["hosts", "process"], value_parser = clap::value_parser!(u16).range(2..=64), help_heading = "Cluster")]
    pub local_processes: Option<u16>,
    /// The secret by which all processes authenticate each other
    ///
    /// Its bytes are never sent. Without it, all hosts must be loopback addresses. What processes
    /// send each other is protected from changes, not from being read.
    #[arg(long, value_name = "FILE", requires = "hosts", help_heading = "Cluster")]
    pub cluster_key: Option<PathBuf>,
    /// How long a process waits for the others
    ///
    /// If one does not come, the answers are unknown.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s", help_heading = "Cluster")]
    pub cluster_wait: Duration,
}

impl ClusterArgs {
    /// Whether several processes answer together.
    pub fn is_wanted(&self) -> bool {
        self.hosts.is_some() || self.local_processes.is_some()
    }
}

/// The commands of `merkhet cluster`.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Start the processes of --hosts over ssh, and answer queries as `merkhet verify` does
    ///
    /// This machine is process 0. The others need no model and no files.
    Run(Box<ClusterRunArgs>),
    /// Take part; started by `cluster run` and --local-processes
    #[command(hide = true)]
    Join,
}

/// `merkhet cluster run`
#[derive(Args, Debug)]
pub struct ClusterRunArgs {
    /// What is to be answered.
    #[command(flatten)]
    pub verify: VerifyArgs,
    /// The program that runs a command on another machine: `PROGRAM HOST COMMAND...`
    #[arg(long, value_name = "PROGRAM", default_value = "ssh", help_heading = "Cluster")]
    pub ssh: String,
    /// The command that is merkhet on the other machines
    #[arg(long, value_name = "COMMAND", default_value = "merkhet", help_heading = "Cluster")]
    pub remote: String,
}
