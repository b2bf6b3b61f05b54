//! Must and may analysis of caches with the replacement policy LRU (least recently used).
//!
//! A cache has `sets` sets of `ways` lines each; memory block `b` is mapped to set `b % sets`. The
//! *age* of a block is the number of other blocks of its set that were used after it. A block of
//! age `ways` is not in the cache.
//!
//! - `MustCache`: an upper bound on the age of each block. Order: greater bounds are greater; join:
//!   the maximum. A block whose bound is below `ways` is surely in the cache.
//! - `MayCache`: a lower bound on the age of each block. Order: smaller bounds are greater; join:
//!   the minimum. A block whose bound is `ways` is surely not in the cache.
//! - `Cache`: the concatenation of both.
//!
//! Initially nothing is known about the contents: no block is surely in the cache, and every block
//! may be. With 1 as the fourth argument the cache is initially empty. The methods `unknown()` and
//! `clear()` restore these two elements; for `MustCache` they are the same.
//!
//! See C. Ferdinand, R. Wilhelm: *Efficient and precise cache behavior prediction for real-time
//! systems* (Real-Time Systems 17, 1999).

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, method};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "MustCache",
        aliases: &["LRUCache"],
        signature: "MustCache(blocks, ways[, sets[, empty]])",
        has_dimensions: false,
        member: None,
        help: "Which of the memory's blocks are surely in a cache that replaces the least recently used block.",
        laws: "Order: the greater guarantees less. Join: what both guarantee, at the greater of the ages.",
        example: "extern Lru = MustCache(16, 4);\nLru cache;\n// guard: cache.mayMiss(b)    update: cache.access(b)",
        make: |arguments| make(CacheKind::Must, arguments),
    },
    LibraryEntry {
        name: "AbstractCache",
        aliases: &[],
        signature: "AbstractCache[(blocks, ways[, sets[, empty]])]",
        has_dimensions: false,
        member: None,
        help: "MustCache, as opaal calls it. Without arguments it has 4 ways, and blocks from 0 to the largest number in the \
               model.",
        laws: "Order: the greater guarantees less. Join: what both guarantee, at the greater of the ages.",
        example: "extern AbstractCache;\nAbstractCache cache;\n// guard: !cache.ishit(b)    update: cache.access(b)",
        make: |arguments| {
            let usual = [arguments.largest.clamp(0, MAX_BLOCKS - 1) + 1, 4];
            let values = if arguments.values.is_empty() { &usual[..] } else { arguments.values };
            make(CacheKind::Must, &Arguments { values, ..*arguments })
        },
    },
    LibraryEntry {
        name: "MayCache",
        aliases: &[],
        signature: "MayCache(blocks, ways[, sets[, empty]])",
        has_dimensions: false,
        member: None,
        help: "Which of the memory's blocks may be in a cache that replaces the least recently used block: initially all of them, \
               or none if the last argument is 1.",
        laws: "Order: the greater excludes less. Join: what either allows, at the smaller of the ages.",
        example: "extern Lru = MayCache(16, 4, 1, 1);\nLru cache;\n// guard: cache.mayHit(b)    update: cache.access(b)",
        make: |arguments| make(CacheKind::May, arguments),
    },
    LibraryEntry {
        name: "Cache",
        aliases: &[],
        signature: "Cache(blocks, ways[, sets[, empty]])",
        has_dimensions: false,
        member: None,
        help: "Which of the memory's blocks are surely in a cache that replaces the least recently used block, and which may be: \
               initially all of them, or none if the last argument is 1.",
        laws: "Order: the greater guarantees less and excludes less. Join: of each part.",
        example: "extern Lru = Cache(16, 4);\nLru cache;\n// guard: cache.mayMiss(b)    update: cache.access(b)",
        make: |arguments| make(CacheKind::Both, arguments),
    },
];

/// The greatest number of blocks.
const MAX_BLOCKS: i32 = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CacheKind {
    Must,
    May,
    Both,
}

#[derive(Debug)]
struct Cache {
    kind: CacheKind,
    blocks: usize,
    ways: i32,
    sets: usize,
    empty: bool,
}

fn make(kind: CacheKind, arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(4)?;
    Ok(Arc::new(Cache {
        kind,
        blocks: arguments.value(0, "blocks", 1, MAX_BLOCKS)? as usize,
        ways: arguments.value(1, "ways", 1, 1 << 10)?,
        sets: arguments.optional(2, "sets", 1, 1 << 16)?.unwrap_or(1) as usize,
        empty: arguments.flag(3, "empty")?,
    }))
}

const ACCESS: Method = Method::change("access", &["block"], "uses a block, which then is the youngest of its set");
const CLEAR: Method = Method::change("clear", &[], "makes the cache empty");
const FLUSH: Method = Method::change("flush", &[], "makes the cache empty");
const UNKNOWN: Method = Method::change("unknown", &[], "lets the cache have any contents");
const MUST_HIT: Method = Method::test("mustHit", &["block"], Trend::Falls, "whether a block is surely in the cache");
const IS_HIT: Method = Method::test("ishit", &["block"], Trend::Falls, "the same as mustHit, as opaal calls it");
const MAY_MISS: Method =
    Method::test("mayMiss", &["block"], Trend::Rises, "whether a block may be missing in the cache");
const MAY_HIT: Method = Method::test("mayHit", &["block"], Trend::Rises, "whether a block may be in the cache");
const MUST_MISS: Method =
    Method::test("mustMiss", &["block"], Trend::Falls, "whether a block is surely not in the cache");
const OLDEST: Method = Method::measure("oldest", &["block"], Trend::Rises, "the greatest age that a block may have");
const YOUNGEST: Method = Method::measure("youngest", &["block"], Trend::Falls, "the least age that a block may have");

static MUST_METHODS: [Method; 8] = [ACCESS, CLEAR, FLUSH, UNKNOWN, MUST_HIT, MAY_MISS, OLDEST, IS_HIT];
static MAY_METHODS: [Method; 7] = [ACCESS, CLEAR, FLUSH, UNKNOWN, MAY_HIT, MUST_MISS, YOUNGEST];
static BOTH_METHODS: [Method; 10] =
    [ACCESS, CLEAR, FLUSH, UNKNOWN, MUST_HIT, MAY_MISS, OLDEST, MAY_HIT, MUST_MISS, YOUNGEST];

impl Cache {
    /// Splits an element into upper and lower bounds on ages. A kind without one of them has an
    /// empty slice there.
    fn split<'e>(&self, element: &'e [i32]) -> (&'e [i32], &'e [i32]) {
        match self.kind {
            CacheKind::Must => (element, &[]),
            CacheKind::May => (&[], element),
            CacheKind::Both => element.split_at(self.blocks),
        }
    }

    fn split_mut<'e>(&self, element: &'e mut [i32]) -> (&'e mut [i32], &'e mut [i32]) {
        match self.kind {
            CacheKind::Must => (element, &mut []),
            CacheKind::May => (&mut [], element),
            CacheKind::Both => element.split_at_mut(self.blocks),
        }
    }

    fn access(&self, this: &mut [i32], block: usize) {
        let (must, may) = self.split_mut(this);
        // Only blocks that are surely younger than the accessed one age, by one; a block that may
        // be older keeps its bound. For lower bounds it is the converse: two blocks with the same
        // lower bound have different ages.
        self.use_block(must, block, |age, accessed| age < accessed);
        self.use_block(may, block, |age, accessed| age <= accessed);
    }

    fn use_block(&self, ages: &mut [i32], block: usize, gets_older: impl Fn(i32, i32) -> bool) {
        let Some(&accessed) = ages.get(block) else { return };
        for age in ages.iter_mut().skip(block % self.sets).step_by(self.sets) {
            if gets_older(*age, accessed) {
                *age = self.ways.min(*age + 1);
            }
        }
        ages[block] = 0;
    }

    fn set(&self, this: &mut [i32], may: i32) {
        let (greatest, least) = self.split_mut(this);
        greatest.fill(self.ways);
        least.fill(may);
    }
}

impl Lattice for Cache {
    fn name(&self) -> String {
        let kind = match self.kind {
            CacheKind::Must => "MustCache",
            CacheKind::May => "MayCache",
            CacheKind::Both => "Cache",
        };
        format!("{kind}({}, {}, {}, {})", self.blocks, self.ways, self.sets, u8::from(self.empty))
    }

    fn width(&self) -> usize {
        self.blocks * if self.kind == CacheKind::Both { 2 } else { 1 }
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, self.ways)
    }

    fn initial(&self, out: &mut [i32]) {
        self.set(out, if self.empty { self.ways } else { 0 });
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        let ((must_a, may_a), (must_b, may_b)) = (self.split(a), self.split(b));
        must_a.iter().zip(must_b).all(|(a, b)| a <= b) && may_a.iter().zip(may_b).all(|(a, b)| a >= b)
    }

    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        let is_age_at_most = self.kind != CacheKind::May && slot < self.blocks;
        Some(if is_age_at_most { SlotOrder::Rises } else { SlotOrder::Falls })
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let changes = !self.leq(other, into);
        let ((must, may), (other_must, other_may)) = (self.split_mut(into), self.split(other));
        must.iter_mut().zip(other_must).for_each(|(a, b)| *a = (*a).max(*b));
        may.iter_mut().zip(other_may).for_each(|(a, b)| *a = (*a).min(*b));
        changes
    }

    fn methods(&self) -> &[Method] {
        match self.kind {
            CacheKind::Must => &MUST_METHODS,
            CacheKind::May => &MAY_METHODS,
            CacheKind::Both => &BOTH_METHODS,
        }
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let block = || method::index(args, 0, self.blocks);
        match method {
            0 => self.access(this, block()?),
            1 | 2 => self.set(this, self.ways),
            3 => self.set(this, 0),
            _ => {
                // If there are both, the questions about lower bounds come after those about upper
                // bounds.
                let is_may = match self.kind {
                    CacheKind::Must => false,
                    CacheKind::May => true,
                    CacheKind::Both => method > 6,
                };
                let (must, may) = self.split(this);
                let age = if is_may { may[block()?] } else { must[block()?] };
                return Ok(match (method - 4) % 3 {
                    0 => i32::from(age < self.ways),
                    1 => i32::from(age == self.ways),
                    _ => age,
                });
            }
        }
        Ok(0)
    }

    fn bounds(&self, _: usize) -> (i32, i32) {
        (0, self.ways)
    }

    fn show(&self, element: &[i32]) -> String {
        let (must, may) = self.split(element);
        let list = |what: &str, ages: &[i32]| {
            // One bracket for each line of the set, youngest first.
            let lines = (0..self.ways).map(|age| {
                let here = ages.iter().enumerate().filter(|&(_, &a)| a == age);
                here.map(|(block, _)| block.to_string()).collect::<Vec<_>>().join(" ")
            });
            format!("{what} {}", lines.map(|line| format!("[{line}]")).collect::<Vec<_>>().join(""))
        };
        match self.kind {
            CacheKind::Must => list("must", must),
            CacheKind::May => list("may", may),
            CacheKind::Both => format!("{}, {}", list("must", must), list("may", may)),
        }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        // Elements that programs reach, so that no two blocks surely have the same line.
        self.set(out, if random(3) == 0 { 0 } else { self.ways });
        for _ in 0..random(2 * self.ways as u32 + 2) {
            match random(8) {
                0 => {
                    let mut other = out.to_vec();
                    self.set(&mut other, self.ways);
                    self.access(&mut other, random(self.blocks as u32) as usize);
                    self.join(out, &other);
                }
                _ => self.access(out, random(self.blocks as u32) as usize),
            }
        }
    }
}
