//! The laws of methods, of bits, and of the ranges of integers in elements.

use super::{Findings, Law, RandomSource, elements::few};
use crate::{Lattice, Method, Misuse, ReturnType, Trend, user::Interned};

/// How often each method is tried, with different arguments.
const TRIALS: usize = 8;

/// The number of bits that are checked.
const MAX_BITS: usize = 40;

pub(super) fn check(
    lattice: &dyn Lattice,
    elements: &[Vec<i32>],
    random: RandomSource<'_>,
    findings: &mut Findings<'_>,
) {
    let pairs: Vec<(&[i32], &[i32])> = elements
        .iter()
        .flat_map(|a| elements.iter().map(move |b| (a.as_slice(), b.as_slice())))
        .filter(|(a, b)| !findings.is_over() && lattice.leq(a, b))
        .collect();
    for element in elements {
        in_range(lattice, "", element, element, findings);
    }
    for &(a, b) in &pairs {
        if lattice.is_bottom(b) && !lattice.is_bottom(a) {
            findings.note(Law::Bottom, "", &[a, b], String::new);
        }
        for (slot, (&small, &large)) in a.iter().zip(b).enumerate() {
            if lattice.slot_order(slot).is_some_and(|order| !order.allows(small, large)) {
                findings.note(Law::SlotOrder, "", &[a, b], || format!("number {slot} is {small} and {large}"));
            }
        }
    }
    if let Some(interned) = lattice.interned() {
        user_methods(interned, findings);
        user_meets(interned, elements, findings);
        return;
    }
    for number in 0..lattice.methods().len() {
        let mut tried: Vec<Vec<i32>> = Vec::new();
        for _ in 0..TRIALS {
            let Some(args) = elements.first().and_then(|first| arguments(lattice, number, first, random)) else {
                break;
            };
            if !tried.contains(&args) {
                calls(lattice, number, &args, elements, &pairs, findings);
                tried.push(args);
            }
        }
    }
    bits(lattice, &pairs, findings);
}

/// Returns legal arguments for a method.
fn arguments(lattice: &dyn Lattice, method: usize, element: &[i32], random: RandomSource<'_>) -> Option<Vec<i32>> {
    let count = lattice.methods()[method].parameters.len();
    let mut args: Vec<i32> = (0..count).map(|_| random(8) as i32 - 1).collect();
    // An illegal argument may be reported only after the others are legal, hence several rounds.
    for _ in 0..2 * count + 1 {
        let Err(misuse) = lattice.call(method, &mut element.to_vec(), &args) else { return Some(args) };
        let Misuse::Argument { argument, low, high } = misuse else { return None };
        let span = i64::from(high) - i64::from(low);
        *args.get_mut(argument)? = low.checked_add(random(span.clamp(0, 5) as u32 + 1) as i32)?;
    }
    None
}

/// Checks methods of the user on the calls that were made: only the user knows which others are
/// legal.
fn user_methods(lattice: &Interned, findings: &mut Findings<'_>) {
    for (call, [small, large], shrinks) in lattice.violations() {
        let law = if shrinks { Law::Monotone } else { Law::Trend };
        findings.note(law, &call, &[&[small], &[large]], String::new);
    }
}

/// Checks the meets of elements of the user.
fn user_meets(lattice: &Interned, elements: &[Vec<i32>], findings: &mut Findings<'_>) {
    let covers = |large: i32, small: i32| lattice.leq(&[small], &[large]);
    for pair in few(elements).iter().flat_map(|a| few(elements).into_iter().map(move |b| (a[0], b[0]))) {
        let (a, b) = pair;
        let Some(meet) = lattice.met(a, b) else { return };
        if findings.is_over() {
            return;
        }
        if !covers(a, meet) || !covers(b, meet) {
            findings.note(Law::Meet, "", &[&[a], &[b]], || format!("the meet is {}", lattice.show(&[meet])));
        }
        let lower = few(elements).into_iter().find(|c| covers(a, c[0]) && covers(b, c[0]) && !covers(meet, c[0]));
        if let Some(lower) = lower {
            findings.note(Law::Meet, "", &[&[a], &[b], lower], || format!("the meet is {}", lattice.show(&[meet])));
        }
    }
}

/// Renders a call.
fn text(method: &Method, args: &[i32]) -> String {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    format!("{}({})", method.name, args.join(", "))
}

fn calls(
    lattice: &dyn Lattice,
    number: usize,
    args: &[i32],
    elements: &[Vec<i32>],
    pairs: &[(&[i32], &[i32])],
    findings: &mut Findings<'_>,
) {
    let method = &lattice.methods()[number];
    let run = |element: &[i32]| {
        let mut after = element.to_vec();
        let result = lattice.call(number, &mut after, args);
        result.ok().map(|result| (after, result))
    };
    for element in elements {
        if findings.is_over() {
            return;
        }
        let Some((after, result)) = run(element) else { continue };
        in_range(lattice, &method.name, element, &after, findings);
        let (low, high) = lattice.bounds(number);
        if method.result == ReturnType::Int && !(low..=high).contains(&result) {
            findings.note(Law::Range, &method.name, &[element], || format!("{} is {result}", text(method, args)));
        }
        if !method.changes && after != *element {
            findings.note(Law::Pure, &method.name, &[element], || text(method, args));
        }
    }
    for &(a, b) in pairs {
        if findings.is_over() {
            return;
        }
        let (Some((less, answer)), Some((more, later))) = (run(a), run(b)) else { continue };
        if method.changes && method.monotone && !lattice.leq(&less, &more) {
            findings.note(Law::Monotone, &method.name, &[a, b], || {
                format!("{} leaves {} and {}", text(method, args), lattice.show(&less), lattice.show(&more))
            });
        }
        if method.result != ReturnType::Nothing && !follows(method.trend, answer, later) {
            findings
                .note(Law::Trend, &method.name, &[a, b], || format!("{} is {answer} and {later}", text(method, args)));
        }
    }
}

fn follows(trend: Trend, before: i32, after: i32) -> bool {
    match trend {
        Trend::Rises => before <= after,
        Trend::Falls => before >= after,
        Trend::Varies => true,
    }
}

/// Checks the ranges of an element that was made from another.
fn in_range(lattice: &dyn Lattice, subject: &str, element: &[i32], made: &[i32], findings: &mut Findings<'_>) {
    let outside = |(slot, number): (usize, &i32)| {
        let (low, high) = lattice.range(slot);
        !(low..=high).contains(number)
    };
    if let Some(slot) = made.iter().enumerate().position(outside) {
        findings.note(Law::Range, subject, &[element], || format!("number {slot} is {}", made[slot]));
    }
}

fn bits(lattice: &dyn Lattice, pairs: &[(&[i32], &[i32])], findings: &mut Findings<'_>) {
    let dimensions = lattice.bits();
    if dimensions.is_empty() {
        return;
    }
    let count = dimensions.iter().map(|&size| size as usize).fold(1, usize::saturating_mul);
    let set = |element: &[i32], bit: usize, value: bool| {
        let mut element = element.to_vec();
        let (slot, mask) = (&mut element[bit / 32], 1 << (bit % 32));
        *slot = if value { *slot | mask } else { *slot & !mask };
        element
    };
    for bit in (0..count).step_by(count.div_ceil(MAX_BITS)) {
        let get = |element: &[i32]| element[bit / 32] >> (bit % 32) & 1;
        for &(a, b) in pairs {
            if findings.is_over() {
                return;
            }
            if !follows(lattice.bit_trend(), get(a), get(b)) {
                findings.note(Law::BitTrend, "", &[a, b], || format!("bit {bit}"));
            }
            for value in [false, true] {
                if !lattice.leq(&set(a, bit, value), &set(b, bit, value)) {
                    findings.note(Law::BitMonotone, "", &[a, b], || format!("bit {bit} is {}", u8::from(value)));
                }
            }
        }
    }
}
