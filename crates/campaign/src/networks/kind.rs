//! Kinds of random networks.

use oracle::{
    LoadError, Loaded,
    random::{self, Rng},
    random_nets,
};
use syntax::net::{Timing, tina};

/// The kind of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkKind {
    /// All features of timed automata.
    Automata,
    /// The same without code that can fail: only there are dead ends pruned.
    Sound,
    /// Updates may leave the ranges of variables.
    Failing,
    /// The same, where priorities block some of them.
    FailingPriorities,
    /// The same with liveness queries.
    Liveness,
    /// Clocks that are stopped.
    Stopwatches,
    /// Members of scalar sets.
    Scalars,
    /// The same without code that can fail.
    SoundScalars,
    /// Synchronisation vectors.
    Vectors,
    /// A Petri net with intervals on transitions, as automata.
    Net,
    /// A Petri net with intervals on places, as automata.
    PlaceNet,
    /// Lattice variables.
    Lattices,
    /// The same without code that can fail.
    SoundLattices,
}

impl NetworkKind {
    /// All kinds with their names and probabilities in percent.
    pub const ALL: [(NetworkKind, &'static str, usize); 13] = [
        (NetworkKind::Automata, "automata", 8),
        (NetworkKind::Sound, "automata, code can't fail", 15),
        (NetworkKind::Failing, "automata with run-time errors", 4),
        (NetworkKind::FailingPriorities, "the same, with priorities", 4),
        (NetworkKind::Liveness, "automata, with liveness queries", 5),
        (NetworkKind::Stopwatches, "automata with stopwatches", 5),
        (NetworkKind::Scalars, "scalar sets", 10),
        (NetworkKind::SoundScalars, "scalar sets, code can't fail", 17),
        (NetworkKind::Vectors, "vectors of events", 5),
        (NetworkKind::Net, "Petri nets, intervals on transitions", 4),
        (NetworkKind::PlaceNet, "Petri nets, intervals on places", 3),
        (NetworkKind::Lattices, "lattices", 10),
        (NetworkKind::SoundLattices, "lattices, code can't fail", 10),
    ];

    /// Draws a kind.
    pub fn draw(rng: &mut Rng) -> usize {
        let mut left = rng.below(100);
        for (number, (.., percent)) in NetworkKind::ALL.iter().enumerate() {
            if left < *percent {
                return number;
            }
            left -= percent;
        }
        0
    }
}

/// A network as text.
pub struct NetworkText {
    /// The model.
    pub text: String,
    /// The extension of its file.
    pub suffix: &'static str,
    /// The queries.
    pub queries: Vec<String>,
}

/// Draws the features of automata of a kind.
fn features(kind: NetworkKind, rng: &mut Rng) -> random::NetworkFeatures {
    let all = random::NetworkFeatures::all();
    let some = match kind {
        NetworkKind::Failing => random::NetworkFeatures {
            faults: true,
            channel_priorities: false,
            process_priorities: false,
            ..all.some(rng)
        },
        NetworkKind::FailingPriorities => {
            let channels = rng.chance(50);
            random::NetworkFeatures {
                faults: true,
                binary: true,
                deadlocks: false,
                channel_priorities: channels,
                process_priorities: !channels || rng.chance(50),
                ..all.some(rng)
            }
        }
        NetworkKind::Liveness => random::NetworkFeatures { liveness: true, ..all.some(rng) },
        NetworkKind::Sound => random::NetworkFeatures { sound: true, ..all.some(rng) },
        NetworkKind::Stopwatches => random::NetworkFeatures { stopwatches: true, ..all.some(rng) },
        _ => all.some(rng),
    };
    // Small networks are explored completely.
    random::NetworkFeatures { processes: 1 + rng.below(3), ..some }
}

impl NetworkText {
    /// Generates the network of a seed.
    pub fn new(kind: NetworkKind, seed: u64, rng: &mut Rng) -> NetworkText {
        match kind {
            NetworkKind::Automata
            | NetworkKind::Sound
            | NetworkKind::Failing
            | NetworkKind::FailingPriorities
            | NetworkKind::Liveness
            | NetworkKind::Stopwatches => {
                let net = random::network(seed, &features(kind, rng));
                NetworkText { text: net.text(), suffix: "xta", queries: net.queries() }
            }
            NetworkKind::Scalars | NetworkKind::SoundScalars => {
                let random::RandomModel { text, mut queries } =
                    if kind == NetworkKind::Scalars { random::scalars(seed) } else { random::sound_scalars(seed) };
                queries.push("sup: v, g".to_owned());
                NetworkText { text, suffix: "xta", queries }
            }
            NetworkKind::Vectors => {
                let random::RandomModel { text, queries } = random::vectors(seed);
                NetworkText { text, suffix: "tck", queries }
            }
            NetworkKind::Lattices | NetworkKind::SoundLattices => {
                let random::RandomModel { text, queries } =
                    if kind == NetworkKind::Lattices { random::lattices(seed) } else { random::sound_lattices(seed) };
                NetworkText { text, suffix: "xta", queries }
            }
            NetworkKind::Net => net(seed, rng, Timing::Transitions),
            NetworkKind::PlaceNet => net(seed, rng, Timing::Places),
        }
    }

    /// Loads the network.
    pub fn load(&self) -> Result<Loaded, LoadError> {
        match self.suffix {
            "tck" => oracle::load_tck(&self.text, &self.queries),
            "net" => oracle::load_net(&self.text, &self.queries),
            _ => oracle::load(&self.text, &self.queries),
        }
    }
}

/// Generates a net with queries for deadlocks and markings.
fn net(seed: u64, rng: &mut Rng, timing: Timing) -> NetworkText {
    let tokens = (timing == Timing::Transitions).then_some(2);
    let options = random_nets::NetFeatures { tokens, ..random_nets::NetFeatures::new(timing) };
    let net = random_nets::random_net(seed, &options);
    let mut queries = vec!["E<> deadlock".to_owned()];
    for before in ["E<>", "E<>", "A[] not"] {
        let mut marked: Vec<String> = Vec::new();
        for place in &net.places {
            if rng.chance(40) {
                marked.push(format!("{} {} 1", place.name, rng.pick(&["==", ">=", "<"])));
            }
        }
        if !marked.is_empty() {
            queries.push(format!("{before} ({})", marked.join(" && ")));
        }
    }
    NetworkText { text: tina::text(&net), suffix: "net", queries }
}
