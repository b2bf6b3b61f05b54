//! Scalable nets with intervals on places.

/// A place: the least and the greatest delay of its tokens, and whether it is initially marked.
pub struct Place {
    pub least: i64,
    pub most: i64,
    pub marked: bool,
}

/// A transition: the places of its input arcs, output arcs and inhibitor arcs.
pub struct Transition {
    pub takes: Vec<usize>,
    pub puts: Vec<usize>,
    pub inhibited: Vec<usize>,
}

/// A net.
#[derive(Default)]
pub struct Net {
    pub places: Vec<Place>,
    pub transitions: Vec<Transition>,
}

/// SplitMix64, so that nets are the same on every machine.
struct Random(u64);

impl Random {
    /// Returns a number between two, both included.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + ((z ^ z >> 31) % (high - low + 1) as u64) as i64
    }
}

/// A ring of gates with delays: each signal has a place for low and one for high, and depends on
/// two others.
pub fn gates(signals: usize, seed: u64) -> Net {
    let mut r = Random(seed);
    let mut net = Net::default();
    let values: Vec<bool> = (0..signals).map(|_| r.between(0, 1) == 1).collect();
    for value in &values {
        let least = r.between(1, 4);
        let most = least + r.between(0, 3);
        net.places.extend([!value, *value].map(|marked| Place { least, most, marked }));
    }
    let place = |signal: usize, high: usize| 2 * signal + high;
    for s in 0..signals {
        let (x, y) = ((s + signals - 1) % signals, (s + signals - r.between(2, 6) as usize) % signals);
        let mut add = |takes: Vec<usize>, puts: Vec<usize>| {
            net.transitions.push(Transition { takes, puts, inhibited: Vec::new() });
        };
        add(vec![place(s, 1), place(x, 1), place(y, 1)], vec![place(s, 0), place(x, 1), place(y, 1)]);
        add(vec![place(s, 0), place(x, 0)], vec![place(s, 1), place(x, 0)]);
        add(vec![place(s, 0), place(y, 0)], vec![place(s, 1), place(y, 0)]);
    }
    net
}

/// Processes that share a resource in groups of four, with priority for the first of each group.
pub fn procs(count: usize, seed: u64) -> Net {
    let mut r = Random(seed);
    let mut net = Net::default();
    let groups = count.div_ceil(4);
    net.places.extend((0..groups).map(|_| Place { least: 0, most: 0, marked: true }));
    for n in 0..count {
        let at = net.places.len();
        let (idle, critical, after) = (r.between(1, 5), r.between(2, 6), r.between(1, 3));
        net.places.push(Place { least: idle, most: idle + r.between(0, 4), marked: true });
        net.places.push(Place { least: 0, most: r.between(0, 2), marked: false });
        net.places.push(Place { least: critical, most: critical + r.between(0, 3), marked: false });
        net.places.push(Place { least: after, most: after + r.between(0, 3), marked: false });
        net.places.push(Place { least: 1, most: 4, marked: false });
        let before = if n % 4 == 0 { Vec::new() } else { vec![at - 4] };
        for (takes, puts, inhibited) in [
            (vec![at], vec![at + 1], Vec::new()),
            (vec![at + 1, n / 4], vec![at + 2], before),
            (vec![at + 2], vec![at + 3, n / 4], Vec::new()),
            (vec![at + 3], vec![at], Vec::new()),
            (vec![at], vec![at + 4], Vec::new()),
            (vec![at + 4], vec![at], Vec::new()),
        ] {
            net.transitions.push(Transition { takes, puts, inhibited });
        }
    }
    net
}
