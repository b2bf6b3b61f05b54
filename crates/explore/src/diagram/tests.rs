//! Random diagrams, compared with tables of all bits.

use std::cell::Cell;

use super::*;
use crate::random::SplitMix;

/// The number of bits.
const BITS: u32 = 6;
const ROWS: usize = 1 << BITS;

const FREE: DiagramLimits<'static> = DiagramLimits { nodes: usize::MAX, work: usize::MAX, is_over: &|| false };

type Table = [u32; ROWS];

fn bit(row: usize, level: u32) -> bool {
    row >> (BITS - 1 - level) & 1 == 1
}

/// Returns the diagram of a table, made by its definition.
fn diagram(diagrams: &mut Diagrams<'_>, table: &[u32], level: u32) -> Diagram {
    if let [number] = table {
        return diagrams.number(*number).unwrap();
    }
    let (low, high) = table.split_at(table.len() / 2);
    let (low, high) = (diagram(diagrams, low, level + 1), diagram(diagrams, high, level + 1));
    diagrams.node(level, low, high).unwrap()
}

fn table(diagrams: &Diagrams<'_>, of: Diagram) -> Table {
    let numbers = diagrams.numbers(of);
    std::array::from_fn(|row| numbers.look_up(|level| bit(row, level)))
}

/// Returns a random table of numbers below `most`, in which some bits do not matter.
fn random(random: &mut SplitMix, most: usize) -> Table {
    let mask = random.below(ROWS) | random.below(ROWS);
    let all: Table = std::array::from_fn(|_| random.below(most) as u32);
    std::array::from_fn(|row| all[row & mask])
}

#[test]
fn operations_agree_with_tables() {
    let mut seeds = SplitMix::new(1);
    for _ in 0..300 {
        let mut diagrams = Diagrams::new(FREE);
        let [a, b] = [(); 2].map(|()| random(&mut seeds, 2));
        let [x, y] = [(); 2].map(|()| random(&mut seeds, 5));
        let [da, db, dx, dy] = [a, b, x, y].map(|table| diagram(&mut diagrams, &table, 0));
        let check = |made: Diagram, expected: Table, diagrams: &mut Diagrams<'_>| {
            assert_eq!(table(diagrams, made), expected);
            // Equal diagrams are one.
            assert_eq!(diagram(diagrams, &expected, 0), made);
        };
        let by = |f: &dyn Fn(usize) -> u32| std::array::from_fn(f);
        let made = diagrams.and(da, db).unwrap();
        check(made, by(&|row| a[row] & b[row]), &mut diagrams);
        let made = diagrams.or(da, db).unwrap();
        check(made, by(&|row| a[row] | b[row]), &mut diagrams);
        let made = diagrams.without(da, db).unwrap();
        check(made, by(&|row| a[row] & (1 - b[row])), &mut diagrams);
        let made = diagrams.choose(da, dx, dy).unwrap();
        check(made, by(&|row| if a[row] == 1 { x[row] } else { y[row] }), &mut diagrams);
        let made = diagrams.where_number(dx, |number| number % 3 == 1).unwrap();
        check(made, by(&|row| u32::from(x[row] % 3 == 1)), &mut diagrams);
    }
}

/// A random assignment, and the rows that it may lead to.
fn assignment(seeds: &mut SplitMix, diagrams: &mut Diagrams<'_>) -> (BitAssignment, Vec<Vec<usize>>) {
    let mut assignment = BitAssignment::default();
    let mut after: Vec<Vec<usize>> = (0..ROWS).map(|row| vec![row]).collect();
    for level in 0..BITS {
        let mask = 1 << (BITS - 1 - level);
        let assigned = match seeds.below(5) {
            0 => Assigned::Value(if seeds.below(2) == 0 { Diagram::FALSE } else { Diagram::TRUE }),
            1 | 2 => {
                let own = random(seeds, 2);
                Assigned::Value(diagram(diagrams, &own, 0))
            }
            3 => Assigned::Any,
            _ => continue,
        };
        assignment.bits.push((level, assigned));
        match assigned {
            Assigned::Any => {
                after.iter_mut().for_each(|rows| rows.extend(rows.clone().iter().map(|row| row ^ mask)));
            }
            Assigned::Value(value) => {
                let value = table(diagrams, value);
                for (row, rows) in after.iter_mut().enumerate() {
                    rows.iter_mut().for_each(|to| *to = if value[row] == 1 { *to | mask } else { *to & !mask });
                }
            }
        }
    }
    (assignment, after)
}

#[test]
fn regression_finds_all_predecessors() {
    let mut seeds = SplitMix::new(2);
    for _ in 0..1000 {
        let mut diagrams = Diagrams::new(FREE);
        let (mut rules, mut after) = (Vec::new(), vec![Vec::new(); ROWS]);
        for _ in 0..1 + seeds.below(4) {
            let (assignment, leads) = assignment(&mut seeds, &mut diagrams);
            let guard = random(&mut seeds, 2);
            rules.push((diagram(&mut diagrams, &guard, 0), assignment));
            for (all, own) in after.iter_mut().zip(leads).zip(guard).filter(|(_, guard)| *guard == 1).map(|x| x.0) {
                all.extend(own);
            }
        }
        let rules = diagrams.rules(rules.into_iter());
        let sets = [(); 2].map(|()| random(&mut seeds, 2));
        for set in sets {
            let to = diagram(&mut diagrams, &set, 0);
            let made = diagrams.predecessors(&rules, to).unwrap();
            let expected: Table = std::array::from_fn(|row| u32::from(after[row].iter().any(|to| set[*to] == 1)));
            assert_eq!(table(&diagrams, made), expected, "{rules:?}");
            assert_eq!(diagram(&mut diagrams, &expected, 0), made);
        }
    }
}

#[test]
fn a_collection_keeps_what_is_needed() {
    let mut seeds = SplitMix::new(3);
    let mut diagrams = Diagrams::new(FREE);
    let tables: Vec<Table> = (0..40).map(|_| random(&mut seeds, 4)).collect();
    let mut all: Vec<Diagram> = tables.iter().map(|table| diagram(&mut diagrams, table, 0)).collect();
    let [a, b] = [(); 2].map(|()| random(&mut seeds, 2));
    let [mut da, mut db] = [a, b].map(|table| diagram(&mut diagrams, &table, 0));
    diagrams.and(da, db).unwrap();
    let before = diagrams.nodes.len();
    let mut roots: Vec<&mut Diagram> = all.iter_mut().step_by(8).chain([&mut da, &mut db]).collect();
    diagrams.collect(&mut roots);
    assert!(diagrams.nodes.len() < before / 2);
    for (own, expected) in all.iter().zip(&tables).step_by(8) {
        assert_eq!(table(&diagrams, *own), *expected);
        assert_eq!(diagram(&mut diagrams, expected, 0), *own);
    }
    // No result from before it is left.
    let both = diagrams.and(da, db).unwrap();
    assert_eq!(table(&diagrams, both), std::array::from_fn(|row| a[row] & b[row]));
    assert_eq!(diagrams.peak(), before);
}

#[test]
fn limits_stop_operations() {
    let polls = Cell::new(0);
    let is_over = || polls.replace(polls.get() + 1) == 1;
    let wide = |limits: DiagramLimits<'_>| -> DiagramStop {
        let mut diagrams = Diagrams::new(limits);
        let mut set = Diagram::FALSE;
        for level in (0..100_000).rev() {
            let made = diagrams
                .node(level, Diagram::FALSE, Diagram::TRUE)
                .and_then(|bit| diagrams.choose(bit, set, Diagram::TRUE))
                .and_then(|next| diagrams.or(next, set));
            match made {
                Ok(made) => set = made,
                Err(stop) => return stop,
            }
        }
        panic!("no limit was exceeded")
    };
    assert_eq!(wide(DiagramLimits { nodes: 1000, ..FREE }), DiagramStop::Nodes);
    assert_eq!(wide(DiagramLimits { work: 1000, ..FREE }), DiagramStop::Work);
    assert_eq!(wide(DiagramLimits { is_over: &is_over, ..FREE }), DiagramStop::Signal);
    assert_eq!(polls.get(), 2);
}

/// Diagrams are as deep as there are bits, and operations on them use no recursion.
#[test]
fn deep_diagrams_need_no_stack() {
    let mut diagrams = Diagrams::new(FREE);
    let levels = 200_000;
    let (mut odd, mut even) = (Diagram::TRUE, Diagram::TRUE);
    for level in (0..levels).rev() {
        let all = if level % 2 == 1 { &mut odd } else { &mut even };
        *all = diagrams.node(level, Diagram::FALSE, *all).unwrap();
    }
    let both = diagrams.and(odd, even).unwrap();
    assert_eq!(diagrams.numbers(both).len() as u32, levels + 2);
    let flips = BitAssignment { bits: (0..levels).map(|level| (level, Assigned::Any)).collect() };
    let rules = diagrams.rules([(odd, flips)].into_iter());
    assert_eq!(diagrams.predecessors(&rules, both).unwrap(), odd);
}
