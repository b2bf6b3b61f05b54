//! Vectors of bits, ordered by inclusion of their ones: the lattices of the first opaal models.
//!
//! - `UnionBitVector`: more ones are greater, join is the union. A sent message stays in the pool.
//! - `IntersectionBitVector`: fewer ones are greater, join is the intersection. A join loses facts
//!   that only one side knows.
//!
//! Initially both are all zeros, as in A. E. Dalsgaard et al., *opaal: A Lattice Model Checker*
//! (NFM 2011).

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, packed};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "UnionBitVector",
        aliases: &[],
        signature: "UnionBitVector",
        has_dimensions: true,
        member: None,
        help: "Bits, initially all 0, where more ones allow more behaviour: sent messages, for example. The dimensions after \
               the name are those of one vector.",
        laws: "Order: the ones of the smaller are ones of the greater. Join: the ones of either.",
        example: "extern UnionBitVector;\nUnionBitVector pool[N][N];\n// guard: pool[me][j]    update: pool[me][j] = 1",
        make: |arguments| make(arguments, BitVectorKind::Union),
    },
    LibraryEntry {
        name: "IntersectionBitVector",
        aliases: &[],
        signature: "IntersectionBitVector",
        has_dimensions: true,
        member: None,
        help: "Bits, initially all 0, where fewer ones allow more behaviour: certain facts, for example. The dimensions after \
               the name are those of one vector.",
        laws: "Order: the ones of the greater are ones of the smaller. Join: the ones of both.",
        example: "extern IntersectionBitVector;\nIntersectionBitVector absent[N];\n// guard: !absent[u]    update: absent[u] = 1",
        make: |arguments| make(arguments, BitVectorKind::Intersection),
    },
];

/// The greatest number of bits of a vector.
const MAX_BITS: u32 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BitVectorKind {
    Union,
    Intersection,
}

#[derive(Debug)]
struct BitVector {
    kind: BitVectorKind,
    dimensions: Vec<u32>,
    bits: usize,
}

fn make(arguments: &Arguments<'_>, kind: BitVectorKind) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(0)?;
    // A vector without dimensions is one bit.
    let bits = arguments.dimensions.iter().try_fold(1_u32, |all, &one| all.checked_mul(one));
    match bits {
        Some(bits @ 1..=MAX_BITS) => {
            Ok(Arc::new(BitVector { kind, dimensions: arguments.dimensions.to_vec(), bits: bits as usize }))
        }
        _ => Err(ArgumentError::BitCount { max: MAX_BITS }),
    }
}

const fn methods(ones: Trend, zeros: Trend) -> [Method; 6] {
    [
        Method::measure("num0s", &[], zeros, "how many bits are 0"),
        Method::measure("num1s", &[], ones, "how many bits are 1"),
        Method::change("clear", &[], "makes all bits 0"),
        Method::change("clearall", &[], "the same, as opaal calls it"),
        Method::change("fill", &[], "makes all bits 1"),
        Method::change("setall", &[], "the same, as opaal calls it"),
    ]
}

static UNION_METHODS: [Method; 6] = methods(Trend::Rises, Trend::Falls);
static INTERSECTION_METHODS: [Method; 6] = methods(Trend::Falls, Trend::Rises);

impl Lattice for BitVector {
    fn name(&self) -> String {
        let sizes: String = self.dimensions.iter().map(|size| format!("[{size}]")).collect();
        match self.kind {
            BitVectorKind::Union => format!("UnionBitVector{sizes}"),
            BitVectorKind::Intersection => format!("IntersectionBitVector{sizes}"),
        }
    }

    fn width(&self) -> usize {
        packed::words(self.bits)
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        packed::range(self.bits, slot)
    }

    fn initial(&self, out: &mut [i32]) {
        out.fill(0);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        match self.kind {
            BitVectorKind::Union => packed::is_subset(a, b),
            BitVectorKind::Intersection => packed::is_subset(b, a),
        }
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(match self.kind {
            BitVectorKind::Union => SlotOrder::MoreBits,
            BitVectorKind::Intersection => SlotOrder::FewerBits,
        })
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        match self.kind {
            BitVectorKind::Union => packed::unite(into, other),
            BitVectorKind::Intersection => packed::intersect(into, other),
        }
    }

    fn methods(&self) -> &[Method] {
        match self.kind {
            BitVectorKind::Union => &UNION_METHODS,
            BitVectorKind::Intersection => &INTERSECTION_METHODS,
        }
    }

    fn call(&self, method: usize, this: &mut [i32], _: &[i32]) -> Result<i32, Misuse> {
        match method {
            0 => return Ok(self.bits as i32 - packed::count(this)),
            1 => return Ok(packed::count(this)),
            2 | 3 => this.fill(0),
            _ => packed::fill(this, self.bits),
        }
        Ok(0)
    }

    fn bounds(&self, _: usize) -> (i32, i32) {
        (0, self.bits as i32)
    }

    fn bits(&self) -> &[u32] {
        &self.dimensions
    }

    fn bit_trend(&self) -> Trend {
        match self.kind {
            BitVectorKind::Union => Trend::Rises,
            BitVectorKind::Intersection => Trend::Falls,
        }
    }

    fn show(&self, element: &[i32]) -> String {
        // The rows of a matrix are separated, as in the source text.
        let row = self.dimensions.last().map_or(1, |&size| size as usize);
        let digit = |bit| if packed::get(element, bit) { '1' } else { '0' };
        let rows: Vec<String> =
            (0..self.bits).step_by(row).map(|first| (first..first + row).map(digit).collect()).collect();
        rows.join(" ")
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        packed::sample(random, self.bits, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(kind: BitVectorKind, dimensions: &[u32]) -> Arc<dyn Lattice> {
        make(&Arguments { dimensions, ..Arguments::default() }, kind).unwrap()
    }

    #[test]
    fn one_vector_has_all_dimensions() {
        let pool = vector(BitVectorKind::Union, &[3, 12]);
        assert_eq!((pool.width(), pool.bits()), (2, &[3, 12][..]));
        assert_eq!(pool.range(1), (0, 15));
        let mut element = [0, 0];
        packed::put(&mut element, 12 + 11, true);
        packed::put(&mut element, 2 * 12 + 10, true);
        assert_eq!(pool.show(&element), "000000000000 000000000001 000000000010");
    }

    #[test]
    fn counting() {
        for (kind, more) in [(BitVectorKind::Union, true), (BitVectorKind::Intersection, false)] {
            let v = vector(kind, &[35]);
            let (mut a, mut b) = ([0, 0], [0, 0]);
            v.call(4, &mut b, &[]).unwrap();
            assert_eq!((v.call(0, &mut a, &[]), v.call(1, &mut b, &[])), (Ok(35), Ok(35)));
            assert_eq!((v.leq(&a, &b), v.leq(&b, &a)), (more, !more));
            assert_eq!(v.join(&mut a, &b), more);
        }
    }

    #[test]
    fn sizes_are_checked() {
        let one = vector(BitVectorKind::Union, &[]);
        let mut bit = [0];
        one.call(5, &mut bit, &[]).unwrap();
        assert_eq!((one.width(), one.show(&bit)), (1, "1".to_owned()));
        one.call(3, &mut bit, &[]).unwrap();
        assert_eq!(one.call(0, &mut bit, &[]), Ok(1));
        assert!(
            make(&Arguments { dimensions: &[70_000, 70_000], ..Arguments::default() }, BitVectorKind::Union).is_err()
        );
        assert!(make(&Arguments { dimensions: &[0], ..Arguments::default() }, BitVectorKind::Union).is_err());
        assert!(
            make(&Arguments { dimensions: &[4], values: &[4], ..Arguments::default() }, BitVectorKind::Union).is_err()
        );
    }
}
