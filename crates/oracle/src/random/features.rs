//! Features of random networks.

use super::Rng;

/// Features of random networks. An enabled feature occurs in some networks, not in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFeatures {
    /// The greatest number of processes.
    pub processes: usize,
    /// The greatest number of clocks, global and local ones together.
    pub clocks: usize,
    /// The greatest number of locations of a process.
    pub locations: usize,
    /// The greatest constant that clocks are compared with.
    pub constant: i32,
    /// Constraints with `<` and `>`, in models and queries.
    pub strict: bool,
    /// Constraints on differences of clocks.
    pub diagonals: bool,
    /// Clocks that are set to numbers other than 0, also as initial values.
    pub resets: bool,
    /// Clocks that are set to other clocks.
    pub copies: bool,
    /// Clocks that are compared with variables.
    pub variable_bounds: bool,
    /// Invariants with lower bounds of clocks, and with conditions on integers.
    pub odd_invariants: bool,
    /// Binary channels.
    pub binary: bool,
    /// Broadcast channels.
    pub broadcast: bool,
    /// Urgent channels.
    pub urgent_channels: bool,
    /// Channels in arrays, with indices that are variables or selected.
    pub channel_arrays: bool,
    /// Clock guards on edges that synchronise over urgent channels.
    pub urgent_guards: bool,
    /// Clock guards on edges that receive broadcasts.
    pub broadcast_guards: bool,
    /// Urgent locations.
    pub urgent_locations: bool,
    /// Committed locations.
    pub committed: bool,
    /// Select labels.
    pub selects: bool,
    /// Branchpoints.
    pub branchpoints: bool,
    /// Priorities of channels.
    pub channel_priorities: bool,
    /// Priorities of processes.
    pub process_priorities: bool,
    /// Meta variables, which are written before they are read in each transition.
    pub meta: bool,
    /// `before_update` and `after_update`.
    pub hooks: bool,
    /// Clocks that are stopped in some locations.
    pub stopwatches: bool,
    /// Updates that may leave the range of a variable.
    pub faults: bool,
    /// Only code that can't fail according to the ranges of variables. Engines prune dead ends only
    /// then.
    pub sound: bool,
    /// Queries for deadlocks.
    pub deadlocks: bool,
    /// Queries of the kinds `E[]`, `A<>` and `-->`.
    pub liveness: bool,
}

impl NetworkFeatures {
    /// Networks for which integer ticks are exact: no strict constraints, neither explicit nor
    /// implied.
    #[must_use]
    pub fn closed() -> NetworkFeatures {
        NetworkFeatures {
            strict: false,
            urgent_guards: false,
            broadcast_guards: false,
            channel_priorities: false,
            process_priorities: false,
            deadlocks: false,
            ..NetworkFeatures::all()
        }
    }

    /// All features except those without an exact answer (stopwatches), those that end a
    /// verification (run-time errors), and liveness.
    #[must_use]
    pub fn all() -> NetworkFeatures {
        NetworkFeatures {
            processes: 3,
            clocks: 3,
            locations: 4,
            constant: 4,
            strict: true,
            diagonals: true,
            resets: true,
            copies: true,
            variable_bounds: true,
            odd_invariants: true,
            binary: true,
            broadcast: true,
            urgent_channels: true,
            channel_arrays: true,
            urgent_guards: true,
            broadcast_guards: true,
            urgent_locations: true,
            committed: true,
            selects: true,
            branchpoints: true,
            channel_priorities: true,
            process_priorities: true,
            meta: true,
            hooks: true,
            stopwatches: false,
            faults: false,
            sound: false,
            deadlocks: true,
            liveness: false,
        }
    }

    /// Returns a random subset of these features. Rare features show best in isolation, and some
    /// exclude each other: UPPAAL rejects deadlock queries with priorities or with clock guards on
    /// receivers.
    #[must_use]
    pub fn some(&self, rng: &mut Rng) -> NetworkFeatures {
        let mut some = self.clone();
        for (feature, percent) in [
            (&mut some.strict, 60),
            (&mut some.diagonals, 25),
            (&mut some.resets, 50),
            (&mut some.copies, 25),
            (&mut some.variable_bounds, 40),
            (&mut some.odd_invariants, 40),
            (&mut some.binary, 70),
            (&mut some.broadcast, 50),
            (&mut some.urgent_channels, 35),
            (&mut some.channel_arrays, 35),
            (&mut some.urgent_guards, 30),
            (&mut some.broadcast_guards, 40),
            (&mut some.urgent_locations, 40),
            (&mut some.committed, 40),
            (&mut some.selects, 40),
            (&mut some.branchpoints, 30),
            (&mut some.channel_priorities, 20),
            (&mut some.process_priorities, 20),
            (&mut some.meta, 20),
            (&mut some.hooks, 15),
            (&mut some.stopwatches, 30),
            (&mut some.faults, 30),
            (&mut some.deadlocks, 60),
            (&mut some.liveness, 50),
        ] {
            *feature &= rng.chance(percent);
        }
        let refused = some.channel_priorities || some.process_priorities || some.broadcast && some.broadcast_guards;
        some.deadlocks &= !refused;
        some
    }
}
