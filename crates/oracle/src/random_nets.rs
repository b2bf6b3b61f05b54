//! Small random nets.

use syntax::{
    Span,
    net::{AgedArc, Arc, Interval, Net, Place, Priority, Timing, Transition},
};

use crate::random::Rng;

/// Features of random nets.
#[derive(Clone, Copy, Debug)]
pub struct NetFeatures {
    /// The elements that have intervals.
    pub timing: Timing,
    /// The greatest number of places.
    pub places: usize,
    /// The greatest number of transitions.
    pub transitions: usize,
    /// Whether there are inhibitor arcs.
    pub inhibitors: bool,
    /// Whether there are test arcs.
    pub tests: bool,
    /// Whether arcs have weights and places several tokens; never for [`Timing::Places`].
    pub weights: bool,
    /// The percentage of pairs of transitions with a priority.
    pub priorities: usize,
    /// The percentage of transitions with a stopwatch arc.
    pub stopwatches: usize,
    /// The factor of all numbers of tokens and weights.
    pub scale: u32,
    /// The token limit of places, if there is one.
    pub tokens: Option<u32>,
    /// Whether bounds may be strict.
    pub strict: bool,
    /// The largest bound.
    pub bound: i32,
    /// The percentage of nets whose places are partitioned among sequential processes, so that they
    /// are safe.
    pub safe: usize,
}

impl NetFeatures {
    /// Nets with all features of this kind of time, as small as is useful.
    #[must_use]
    pub fn new(timing: Timing) -> NetFeatures {
        NetFeatures {
            timing,
            places: 6,
            transitions: if timing == Timing::Places { 9 } else { 6 },
            inhibitors: true,
            tests: timing != Timing::Arcs,
            weights: timing != Timing::Places,
            priorities: 0,
            stopwatches: 0,
            scale: 1,
            tokens: None,
            strict: true,
            bound: 3,
            safe: 70,
        }
    }
}

/// Generates a net from a seed.
#[must_use]
pub fn random_net(seed: u64, options: &NetFeatures) -> Net {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6e65_7473);
    // Small nets find most mistakes and show them best; very small ones have no behaviour.
    let size = |rng: &mut Rng, max: usize| rng.between((max / 2).max(1) as i32, max.max(1) as i32) as usize;
    let (places, transitions) = (size(&mut rng, options.places), size(&mut rng, options.transitions));
    let owners = rng.chance(options.safe).then(|| owners(&mut rng, places));
    let marking = marking(&mut rng, places, owners.as_deref(), options);
    let places: Vec<Place> = marking
        .into_iter()
        .enumerate()
        .map(|(i, tokens)| Place {
            written: format!("p{i}"),
            name: format!("p{i}"),
            label: None,
            tokens,
            delay: match options.timing {
                Timing::Places => interval(&mut rng, options, 25),
                _ => Interval::ANY,
            },
            invariant: match options.timing {
                Timing::Arcs => invariant(&mut rng, options),
                _ => Interval::ANY,
            },
            at: None,
            span: Span::NONE,
        })
        .collect();
    let transitions: Vec<Transition> = (0..transitions)
        .map(|i| {
            let (takes, puts) = match &owners {
                Some(owners) => steps(&mut rng, owners),
                None => (arcs(&mut rng, places.len(), options), arcs(&mut rng, places.len(), options)),
            };
            let tests = some(&mut rng, options.tests, 20, places.len(), options);
            let inhibitors = some(&mut rng, options.inhibitors, 30, places.len(), options);
            let interval = match options.timing {
                Timing::Transitions => interval(&mut rng, options, 15),
                _ => Interval::ANY,
            };
            let name = format!("t{i}");
            let written = name.clone();
            Transition {
                written,
                name,
                label: None,
                interval,
                takes,
                puts,
                tests,
                inhibitors,
                aged: Vec::new(),
                is_urgent: false,
                runs: Vec::new(),
                stops: Vec::new(),
                at: None,
                span: Span::NONE,
            }
        })
        .collect();
    let any = transitions.iter().all(|t| t.interval == Interval::ANY);
    let timing = if options.timing == Timing::Transitions && any { Timing::Untimed } else { options.timing };
    let mut net = Net {
        name: "random".to_owned(),
        timing,
        max_tokens: options.tokens,
        max_aged: None,
        places,
        transitions,
        priorities: Vec::new(),
        sums: Vec::new(),
    };
    if timing == Timing::Arcs {
        add_ages(&mut rng, &mut net, options);
    }
    // What follows is drawn last, so that nets without it are the same as before.
    add_stopwatches(&mut rng, &mut net, options);
    add_priorities(&mut rng, &mut net, options);
    if options.scale > 1 {
        scale(&mut rng, &mut net, options.scale);
    }
    net
}

/// Adds intervals, transport arcs and urgency to transitions.
fn add_ages(rng: &mut Rng, net: &mut Net, options: &NetFeatures) {
    let invariants: Vec<Interval> = net.places.iter().map(|p| p.invariant).collect();
    for t in &mut net.transitions {
        let is_urgent = rng.chance(15);
        // The tokens of output arcs that no transport arc provides.
        let mut free = t.puts.clone();
        for arc in &t.takes {
            let first = if arc.weight > 1 && rng.chance(50) { arc.weight - 1 } else { arc.weight };
            for weight in [first, arc.weight - first].into_iter().filter(|weight| *weight > 0) {
                let ages = if is_urgent || rng.chance(25) { Interval::ANY } else { interval(rng, options, 5) };
                let fits = |put: &&mut Arc| {
                    put.weight >= weight && !(is_urgent && invariants[put.place as usize] != Interval::ANY)
                };
                let transports = rng.chance(35);
                let put = free.iter_mut().find(fits).filter(|_| transports);
                let to = put.map(|put| {
                    put.weight -= weight;
                    put.place
                });
                let aged = AgedArc { place: arc.place, weight, ages, to };
                match t.aged.iter_mut().find(|known| AgedArc { weight, ..**known } == aged) {
                    Some(known) => known.weight += weight,
                    None if ages != Interval::ANY || to.is_some() => t.aged.push(aged),
                    None => {}
                }
            }
        }
        t.aged.sort_by_key(|a| (a.place, a.to, a.ages.low, a.ages.low_open, a.ages.high, a.ages.high_open));
        t.is_urgent = is_urgent;
    }
    let is_timed = invariants.iter().any(|i| *i != Interval::ANY)
        || net.transitions.iter().any(|t| t.is_urgent || t.aged.iter().any(|arc| arc.ages != Interval::ANY));
    if is_timed {
        let initial: u32 = net.places.iter().map(|p| p.tokens).sum();
        net.max_aged = Some(initial + rng.between(0, 2) as u32);
    } else {
        net.timing = Timing::Untimed;
        net.transitions.iter_mut().for_each(|t| t.aged.clear());
    }
}

/// Returns the ages that tokens of a place may have.
fn invariant(rng: &mut Rng, options: &NetFeatures) -> Interval {
    if rng.chance(65) {
        return Interval::ANY;
    }
    let high = rng.between(0, options.bound);
    Interval { low: 0, low_open: false, high: Some(high), high_open: high > 0 && options.strict && rng.chance(25) }
}

fn add_stopwatches(rng: &mut Rng, net: &mut Net, options: &NetFeatures) {
    let places = net.places.len();
    for t in &mut net.transitions {
        if options.stopwatches == 0 || !rng.chance(options.stopwatches) {
            continue;
        }
        let arc = Arc { place: rng.below(places) as u32, weight: weight(rng, options) };
        if rng.chance(50) { t.runs.push(arc) } else { t.stops.push(arc) }
    }
}

/// Adds priorities that have no cycle: they follow a random order of the transitions.
fn add_priorities(rng: &mut Rng, net: &mut Net, options: &NetFeatures) {
    let mut order: Vec<u32> = (0..net.transitions.len() as u32).collect();
    for i in (1..order.len()).rev() {
        if options.priorities > 0 {
            order.swap(i, rng.below(i + 1));
        }
    }
    for (i, &higher) in order.iter().enumerate() {
        for &lower in &order[i + 1..] {
            if options.priorities > 0 && rng.chance(options.priorities) {
                net.priorities.push(Priority { higher, lower });
            }
        }
    }
    net.priorities.sort_unstable();
}

/// Multiplies tokens and weights, and then changes some of them a little, so that the net is not
/// the same as before with larger numbers.
fn scale(rng: &mut Rng, net: &mut Net, factor: u32) {
    let mut around = |number: u32| {
        let scaled = number * factor;
        if rng.chance(20) { scaled + rng.below(3) as u32 } else { scaled }
    };
    for place in net.places.iter_mut().filter(|p| p.tokens > 0) {
        place.tokens = around(place.tokens);
    }
    for t in &mut net.transitions {
        let arcs = [&mut t.takes, &mut t.puts, &mut t.tests, &mut t.inhibitors, &mut t.runs, &mut t.stops];
        arcs.into_iter().flatten().for_each(|arc| arc.weight = around(arc.weight));
    }
}

/// Assigns places to processes.
fn owners(rng: &mut Rng, places: usize) -> Vec<usize> {
    let processes = rng.between(1, 3) as usize;
    (0..places).map(|i| if i < processes { i } else { rng.below(processes) }).collect()
}

fn marking(rng: &mut Rng, places: usize, owners: Option<&[usize]>, options: &NetFeatures) -> Vec<u32> {
    let Some(owners) = owners else {
        return (0..places).map(|_| u32::from(rng.chance(50)) * weight(rng, options)).collect();
    };
    // One token for each process, in any of its places.
    let mut marking = vec![0; places];
    for process in 0..=owners.iter().copied().max().unwrap_or(0) {
        let own: Vec<usize> = (0..places).filter(|p| owners[*p] == process).collect();
        if !own.is_empty() && rng.chance(90) {
            marking[*rng.pick(&own)] = 1;
        }
    }
    marking
}

/// Returns the arcs of a transition of one process, or of two together.
fn steps(rng: &mut Rng, owners: &[usize]) -> (Vec<Arc>, Vec<Arc>) {
    let processes = owners.iter().copied().max().unwrap_or(0) + 1;
    let first = rng.below(processes);
    let mut moving = vec![first];
    if rng.chance(35) {
        moving.push(rng.below(processes));
    }
    moving.sort_unstable();
    moving.dedup();
    let (mut takes, mut puts) = (Vec::new(), Vec::new());
    for process in moving {
        let own: Vec<u32> = (0u32..).zip(owners).filter(|(_, owner)| **owner == process).map(|(p, _)| p).collect();
        if own.is_empty() {
            continue;
        }
        takes.push(Arc { place: *rng.pick(&own), weight: 1 });
        // Occasionally a process terminates.
        if rng.chance(93) {
            puts.push(Arc { place: *rng.pick(&own), weight: 1 });
        }
    }
    takes.sort_unstable();
    puts.sort_unstable();
    (takes, puts)
}

fn weight(rng: &mut Rng, options: &NetFeatures) -> u32 {
    if options.weights && rng.chance(25) { rng.between(2, 3) as u32 } else { 1 }
}

/// Returns up to two arcs.
fn arcs(rng: &mut Rng, places: usize, options: &NetFeatures) -> Vec<Arc> {
    let mut out: Vec<Arc> = Vec::new();
    for _ in 0..*rng.pick(&[0, 1, 1, 1, 2, 2]) {
        let arc = Arc { place: rng.below(places) as u32, weight: weight(rng, options) };
        if out.iter().all(|known| known.place != arc.place) {
            out.push(arc);
        }
    }
    out.sort_unstable();
    out
}

/// Returns a test or inhibitor arc with a probability of `percent`.
fn some(rng: &mut Rng, wanted: bool, percent: usize, places: usize, options: &NetFeatures) -> Vec<Arc> {
    let chosen = rng.chance(percent);
    let arc = Arc { place: rng.below(places) as u32, weight: weight(rng, options) };
    if wanted && chosen { vec![arc] } else { Vec::new() }
}

/// Returns an interval; `[0,0]` and `[0,w[` each with a probability of `plain` percent.
fn interval(rng: &mut Rng, options: &NetFeatures, plain: usize) -> Interval {
    if rng.chance(plain) {
        return Interval::NOW;
    }
    if rng.chance(plain) {
        return Interval::ANY;
    }
    let low = rng.between(0, options.bound);
    let high = (!rng.chance(12)).then(|| rng.between(low, options.bound));
    let strict = |rng: &mut Rng| options.strict && rng.chance(15) && high != Some(low);
    let low_open = strict(rng);
    let high_open = high.is_none() || strict(rng);
    Interval { low, low_open, high, high_open }
}
