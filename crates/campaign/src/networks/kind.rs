//! Kinds of random networks, and how a seed becomes one.

use oracle::{
    Loaded,
    random::{self, Rng},
    random_nets,
};
use syntax::net::{Timing, tina};

/// What a network is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything that timed automata have.
    Automata,
    /// The same without code that can fail: only there states are dropped from which no path leads
    /// to the goal.
    Sound,
    /// Updates may leave the ranges of variables.
    Failing,
    /// The same, where priorities keep some of them from being taken.
    FailingPriorities,
    /// Runs that never end, too.
    Liveness,
    /// Clocks that stand still.
    Stopwatches,
    /// Members of scalar sets.
    Scalars,
    /// The same without code that can fail.
    SoundScalars,
    /// Processes that take events together.
    Vectors,
    /// A Petri net with intervals on transitions, as automata.
    Net,
    /// A Petri net with intervals on places, as automata.
    PlaceNet,
    /// Elements of lattices.
    Lattices,
    /// The same without code that can fail.
    SoundLattices,
}

impl Kind {
    /// All of them, with their names and how often of 100 times they come.
    pub const ALL: [(Kind, &'static str, usize); 13] = [
        (Kind::Automata, "automata", 8),
        (Kind::Sound, "automata, code can't fail", 15),
        (Kind::Failing, "automata with run-time errors", 4),
        (Kind::FailingPriorities, "the same, with priorities", 4),
        (Kind::Liveness, "automata, with liveness queries", 5),
        (Kind::Stopwatches, "automata with stopwatches", 5),
        (Kind::Scalars, "scalar sets", 10),
        (Kind::SoundScalars, "scalar sets, code can't fail", 17),
        (Kind::Vectors, "vectors of events", 5),
        (Kind::Net, "Petri nets, intervals on transitions", 4),
        (Kind::PlaceNet, "Petri nets, intervals on places", 3),
        (Kind::Lattices, "lattices", 10),
        (Kind::SoundLattices, "lattices, code can't fail", 10),
    ];

    /// That of a network.
    pub fn draw(rng: &mut Rng) -> usize {
        let mut left = rng.below(100);
        for (number, (.., percent)) in Kind::ALL.iter().enumerate() {
            if left < *percent {
                return number;
            }
            left -= percent;
        }
        0
    }
}

/// A network as text.
pub struct Source {
    /// The model.
    pub text: String,
    /// The end of the name of a file that it is in.
    pub suffix: &'static str,
    /// What is asked.
    pub queries: Vec<String>,
}

/// What automata of a kind may have.
fn features(kind: Kind, rng: &mut Rng) -> random::NetworkFeatures {
    let all = random::NetworkFeatures::all();
    let some = match kind {
        Kind::Failing => random::NetworkFeatures {
            faults: true,
            channel_priorities: false,
            process_priorities: false,
            ..all.some(rng)
        },
        Kind::FailingPriorities => {
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
        Kind::Liveness => random::NetworkFeatures { liveness: true, ..all.some(rng) },
        Kind::Sound => random::NetworkFeatures { sound: true, ..all.some(rng) },
        Kind::Stopwatches => random::NetworkFeatures { stopwatches: true, ..all.some(rng) },
        _ => all.some(rng),
    };
    // What is small has many answers, and is explored as a whole.
    random::NetworkFeatures { processes: 1 + rng.below(3), ..some }
}

impl Source {
    /// The network of a seed.
    pub fn new(kind: Kind, seed: u64, rng: &mut Rng) -> Source {
        match kind {
            Kind::Automata
            | Kind::Sound
            | Kind::Failing
            | Kind::FailingPriorities
            | Kind::Liveness
            | Kind::Stopwatches => {
                let net = random::network(seed, &features(kind, rng));
                Source { text: net.text(), suffix: "xta", queries: net.queries() }
            }
            Kind::Scalars | Kind::SoundScalars => {
                let random::RandomModel { text, mut queries } =
                    if kind == Kind::Scalars { random::scalars(seed) } else { random::sound_scalars(seed) };
                queries.push("sup: v, g".to_owned());
                Source { text, suffix: "xta", queries }
            }
            Kind::Vectors => {
                let random::RandomModel { text, queries } = random::vectors(seed);
                Source { text, suffix: "tck", queries }
            }
            Kind::Lattices | Kind::SoundLattices => {
                let random::RandomModel { text, queries } =
                    if kind == Kind::Lattices { random::lattices(seed) } else { random::sound_lattices(seed) };
                Source { text, suffix: "xta", queries }
            }
            Kind::Net => net(seed, rng, Timing::Transitions),
            Kind::PlaceNet => net(seed, rng, Timing::Places),
        }
    }

    /// Reads it.
    pub fn load(&self) -> Result<Loaded, String> {
        match self.suffix {
            "tck" => oracle::load_tck(&self.text, &self.queries),
            "net" => oracle::load_net(&self.text, &self.queries),
            _ => oracle::load(&self.text, &self.queries),
        }
    }
}

/// A net, and whether it deadlocks or some places are marked.
fn net(seed: u64, rng: &mut Rng, timing: Timing) -> Source {
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
    Source { text: tina::text(&net), suffix: "net", queries }
}
