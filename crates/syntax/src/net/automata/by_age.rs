//! Intervals on arcs: ages of tokens.
//!
//! The net is one process with one location, whose invariant limits the ages of all tokens. A
//! transition has an edge for each choice of the tokens that it consumes, among those whose ages
//! matter. Where a token is put on a full list of clocks ([`Pools`](super::pools::Pools)), the
//! model stops with a run-time error.

use super::{
    GeneratedNames,
    pools::Pool,
    text::{XtaEdge, XtaText, moves, weight},
};
use crate::{
    net::{AgedArc, Interval, Net, Transition},
    source::Span,
};

/// The greatest number of choices of tokens of one transition.
const MAX_CHOICES: usize = 20_000;

/// The tokens that a transition takes from a pool: the index of each in the list, with the arc that
/// takes it.
type Choice<'a> = Vec<(usize, &'a AgedArc)>;

pub(super) fn write(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    for pool in &names.pools.list {
        text.from(net.places[pool.places[0] as usize].span);
        declare(net, pool, text);
    }
    text.push(&format!("clock {};\n", names.time));
    for t in &net.transitions {
        text.from(t.span);
        text.push(&format!("{}broadcast chan {};\n", if t.is_urgent { "urgent " } else { "" }, t.name));
    }
    super::by_transition::bounds(net, names, text);
    let mut edges: Vec<(Span, XtaEdge)> = Vec::new();
    for t in &net.transitions {
        for choice in all_choices(names, &uses(t, names), &mut || text.is_over()) {
            if text.is_over() {
                return;
            }
            edges.push((t.span, edge(net, names, t, &choice)));
        }
    }
    let invariant: Vec<String> = names.pools.list.iter().flat_map(|pool| invariants(net, pool)).collect();
    let invariant = if invariant.is_empty() { String::new() } else { format!(" {{ {} }}", invariant.join(" && ")) };
    let span = net.transitions.first().map_or(net.span(), |t| t.span);
    let at = &names.at_net;
    text.process(&names.net, span, &format!("{at}{invariant}"), at, &edges);
    text.push(&format!("system {};\n", names.net));
}

/// Returns a transition with too many choices of tokens, and their number.
pub(super) fn too_many_choices<'n>(net: &'n Net, names: &GeneratedNames) -> Option<(&'n Transition, usize)> {
    let count = |t: &Transition| {
        let uses = uses(t, names);
        let mut left: Vec<usize> = names.pools.list.iter().map(|pool| pool.clocks.len()).collect();
        let ways = uses.iter().map(|(pool, arc)| {
            let ways = binomial(left[*pool], arc.weight as usize);
            left[*pool] = left[*pool].saturating_sub(arc.weight as usize);
            ways
        });
        ways.fold(1usize, usize::saturating_mul)
    };
    net.transitions.iter().map(|t| (t, count(t))).find(|(_, choices)| *choices > MAX_CHOICES)
}

fn binomial(n: usize, k: usize) -> usize {
    if k > n {
        return 0;
    }
    (0..k.min(n - k)).try_fold(1usize, |ways, i| Some(ways.checked_mul(n - i)? / (i + 1))).unwrap_or(usize::MAX)
}

fn declare(net: &Net, pool: &Pool, text: &mut XtaText) {
    let initial = pool.places.iter().flat_map(|p| std::iter::repeat_n(*p, net.places[*p as usize].tokens as usize));
    let initial: Vec<u32> = initial.collect();
    for (i, clock) in pool.clocks.iter().enumerate() {
        let age = if i < initial.len() { 0 } else { pool.none };
        text.push(&if age == 0 { format!("clock {clock};\n") } else { format!("clock {clock} = {age};\n") });
    }
    for (i, at) in pool.at.iter().enumerate() {
        let place = initial.get(i).map_or(0, |p| pool.number(*p));
        text.push(&format!("int[0,{}] {at} = {place};\n", pool.places.len()));
    }
    if let Some(count) = &pool.count {
        text.push(&format!("int[0,{}] {count} = {};\n", pool.clocks.len(), initial.len()));
    }
}

/// Returns the conditions under which the ages of all tokens are allowed.
fn invariants(net: &Net, pool: &Pool) -> Vec<String> {
    let mut out = Vec::new();
    for p in &pool.places {
        let place = &net.places[*p as usize];
        for (i, clock) in pool.clocks.iter().enumerate() {
            if let Some(limit) = upper(clock, place.invariant) {
                out.push(match pool.at.get(i) {
                    Some(at) => format!("({at} != {} || {limit})", pool.number(*p)),
                    None => format!("({} <= {i} || {limit})", place.name),
                });
            }
        }
    }
    out
}

fn upper(clock: &str, ages: Interval) -> Option<String> {
    Some(format!("{clock} {} {}", if ages.high_open { "<" } else { "<=" }, ages.high?))
}

fn lower(clock: &str, ages: Interval) -> Option<String> {
    let matters = ages.low > 0 || ages.low_open;
    matters.then(|| format!("{clock} {} {}", if ages.low_open { ">" } else { ">=" }, ages.low))
}

/// Returns what a transition takes from pools: the arcs whose ages matter, and the tokens of any
/// age.
fn uses(t: &Transition, names: &GeneratedNames) -> Vec<(usize, AgedArc)> {
    let aged = t.aged.iter().copied();
    let rest = t.takes.iter().filter_map(|take| {
        let aged: u32 = t.aged.iter().filter(|arc| arc.place == take.place).map(|arc| arc.weight).sum();
        let weight = take.weight.saturating_sub(aged);
        (weight > 0).then_some(AgedArc { place: take.place, weight, ages: Interval::ANY, to: None })
    });
    aged.chain(rest).filter_map(|arc| Some((names.pools.of(arc.place)?, arc))).collect()
}

/// Returns all choices of tokens from all pools; a choice has one list for each pool.
fn all_choices<'a>(
    names: &GeneratedNames,
    uses: &'a [(usize, AgedArc)],
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Vec<Choice<'a>>> {
    let mut all: Vec<Vec<Choice<'a>>> = vec![vec![Vec::new(); names.pools.list.len()]];
    for (pool, arc) in uses {
        let size = names.pools.list[*pool].clocks.len();
        let mut next = Vec::new();
        for choice in &all {
            if stop() {
                return Vec::new();
            }
            let free: Vec<usize> = (0..size).filter(|i| choice[*pool].iter().all(|(taken, _)| taken != i)).collect();
            for chosen in subsets(&free, arc.weight as usize) {
                let mut more = choice.clone();
                more[*pool].extend(chosen.into_iter().map(|i| (i, arc)));
                next.push(more);
            }
        }
        all = next;
    }
    all
}

/// Returns all subsets of a size.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size > of.len() {
        return Vec::new();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|set: &Vec<usize>| {
            let after = of.iter().filter(|i| set.last().is_none_or(|last| *i > last));
            after.map(|i| set.iter().copied().chain([*i]).collect::<Vec<usize>>())
        });
        all = longer.collect();
    }
    all
}

/// Returns the edge of a transition that consumes the chosen tokens.
fn edge(net: &Net, names: &GeneratedNames, t: &Transition, choice: &[Choice<'_>]) -> XtaEdge {
    let place = |p: u32| &net.places[p as usize];
    let mut guard = Vec::new();
    for arc in t.takes.iter().filter(|arc| names.pools.of(arc.place).is_none()) {
        guard.push(format!("{} >= {}", place(arc.place).name, arc.weight));
    }
    for arc in t.tests.iter().filter(|arc| weight(&t.takes, arc.place) < arc.weight) {
        guard.push(format!("{} >= {}", place(arc.place).name, arc.weight));
    }
    guard.extend(t.inhibitors.iter().map(|arc| format!("{} < {}", place(arc.place).name, arc.weight)));
    let mut update = moves(net, t);
    for (pool, chosen) in names.pools.list.iter().zip(choice) {
        if pool.at.is_empty()
            && let Some(oldest) = chosen.iter().map(|(i, _)| i).max()
        {
            guard.push(format!("{} > {oldest}", place(pool.places[0]).name));
        }
        for (i, arc) in chosen {
            let clock = &pool.clocks[*i];
            guard.extend(pool.at.get(*i).map(|at| format!("{at} == {}", pool.number(arc.place))));
            guard.extend(lower(clock, arc.ages));
            guard.extend(upper(clock, arc.ages));
            guard.extend(arc.to.and_then(|to| upper(clock, place(to).invariant)));
        }
        change(names, pool, t, chosen, &mut update);
    }
    let at = &names.at_net;
    XtaEdge { from: at.clone(), to: at.clone(), guard, sync: format!("{}!", t.name), update }
}

/// Adds the updates of a pool's list: new tokens in front, consumed ones removed.
fn change(names: &GeneratedNames, pool: &Pool, t: &Transition, chosen: &Choice<'_>, update: &mut Vec<String>) {
    let kept_in = |place: u32| -> u32 { t.aged.iter().filter(|a| a.to == Some(place)).map(|a| a.weight).sum() };
    let mut fresh: Vec<u32> = Vec::new();
    for arc in t.puts.iter().filter(|arc| pool.places.contains(&arc.place)) {
        let new = arc.weight.saturating_sub(kept_in(arc.place));
        fresh.extend(std::iter::repeat_n(arc.place, (new as usize).min(pool.clocks.len())));
    }
    let arc_of = |i: usize| chosen.iter().find(|(taken, _)| *taken == i).map(|(_, arc)| *arc);
    // A token leaves unless a transport arc keeps it in the pool.
    let stays = |i: &usize| {
        arc_of(*i).is_none_or(|arc| arc.to.is_some_and(|to| names.pools.of(to).is_some() && pool.places.contains(&to)))
    };
    let left: Vec<usize> = (0..pool.clocks.len()).filter(stays).collect();
    let removed = pool.clocks.len() - left.len();
    if let Some(count) = &pool.count {
        match fresh.len() as i64 - removed as i64 {
            0 => {}
            more @ 1.. => update.push(format!("{count} = {count} + {more}")),
            less => update.push(format!("{count} = {count} - {}", -less)),
        }
    }
    let (clocks, at, size) = (&pool.clocks, &pool.at, pool.clocks.len());
    let new_place = |i: usize| arc_of(i).and_then(|arc| arc.to).map(|to| pool.number(to).to_string());
    let moved = left.iter().enumerate().map(|(j, i)| (*i, j + fresh.len())).filter(|(_, to)| *to < size);
    let moved: Vec<(usize, usize)> = moved.collect();
    // Each clock is read before it is set: those that move up come first, from the end.
    let up = moved.iter().rev().filter(|(from, to)| from < to);
    for (from, to) in up.chain(moved.iter().filter(|(from, to)| from > to)) {
        update.push(format!("{} = {}", clocks[*to], clocks[*from]));
        if !at.is_empty() {
            update.push(format!("{} = {}", at[*to], new_place(*from).unwrap_or_else(|| at[*from].clone())));
        }
    }
    for (from, to) in moved.iter().filter(|(from, to)| from == to) {
        if let (Some(place), Some(at)) = (new_place(*from), at.get(*to)) {
            update.push(format!("{at} = {place}"));
        }
    }
    for (i, place) in fresh.iter().enumerate().take(size) {
        update.push(format!("{} = 0", clocks[i]));
        if !at.is_empty() {
            update.push(format!("{} = {}", at[i], pool.number(*place)));
        }
    }
    for i in (left.len() + fresh.len()).min(size)..size {
        update.push(format!("{} = {}", clocks[i], pool.none));
        if !at.is_empty() {
            update.push(format!("{} = 0", at[i]));
        }
    }
}
