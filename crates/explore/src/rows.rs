//! The discrete parts of states, packed and stored once each.
//!
//! Integers are packed to the bits that their ranges need. Long rows, of models with large arrays,
//! differ in few slots: they are split into blocks that are stored once each, and a row is the list
//! of its blocks' indices. (The *collapse* compression of Holzmann, "State compression in SPIN",
//! 1997.)

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::pages::{Pages, table_bytes};

/// The number of words of a block.
const BLOCK: usize = 8;

/// The packing of a slot.
#[derive(Clone, Copy)]
struct Field {
    low: i32,
    shift: u32,
    /// A one for each of its bits.
    mask: u64,
}

/// A set of rows.
pub(crate) struct RowStore {
    fields: Vec<Field>,
    /// The end of the fields of each word.
    ends: Vec<usize>,
    /// The blocks, if rows are split.
    blocks: Option<Words>,
    rows: Words,
    /// The integers that do not distinguish states: meta variables, then unread variables.
    metas: Pages<i32>,
    /// The unread slots, with their least values.
    unread: Vec<(usize, i32)>,
    /// The row that is looked up, with the least values in unread slots, and its entry in `metas`.
    plain: Vec<i32>,
    beside: Vec<i32>,
    /// The packed row that is looked up, padded to whole blocks if rows are split.
    key: Vec<u64>,
    /// The indices of its blocks, two in a word.
    cut: Vec<u64>,
    /// The row that was expanded last, if rows are split: its successors share most of its blocks.
    near: RecentRow,
}

/// A row and the indices of its blocks.
#[derive(Default)]
struct RecentRow {
    row: Vec<i32>,
    blocks: Vec<u32>,
}

impl RowStore {
    /// Creates an empty set of rows of a system.
    pub(crate) fn new(system: &System) -> RowStore {
        let (mut fields, mut ends) = (Vec::new(), Vec::new());
        let mut used = 0;
        for &(low, high) in &system.ranges[..system.identity] {
            let bits = 64 - (i64::from(high) - i64::from(low)).max(0).leading_zeros();
            if used + bits > 64 {
                ends.push(fields.len());
                used = 0;
            }
            fields.push(Field { low, shift: used % 64, mask: u64::MAX.checked_shr(64 - bits).unwrap_or(0) });
            used += bits;
        }
        ends.push(fields.len());
        let mut unread = Vec::new();
        for &number in &system.unread {
            let variable = &system.variables[number as usize];
            let slots = variable.first..variable.first + variable.shape.size().ints;
            unread.extend(slots.map(|slot| (slot as usize, system.ranges[slot as usize].0)));
        }
        let words = ends.len();
        let blocks = words.div_ceil(BLOCK);
        let cuts = blocks > 1;
        RowStore {
            fields,
            ends,
            blocks: cuts.then(|| Words::new(BLOCK)),
            rows: Words::new(if cuts { blocks.div_ceil(2) } else { words }),
            metas: Pages::new(system.initial.len() - system.identity + unread.len()),
            unread,
            plain: Vec::new(),
            beside: Vec::new(),
            key: vec![0; if cuts { blocks * BLOCK } else { words }],
            cut: Vec::new(),
            near: RecentRow::default(),
        }
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.as_ref().map_or(0, Words::bytes) + self.rows.bytes() + self.metas.bytes()
    }

    /// Returns the index of a row, and whether it is new. Indices count from 0.
    pub(crate) fn intern(&mut self, row: &[i32]) -> (u32, bool) {
        if self.unread.is_empty() {
            let (number, is_new) = self.intern_plain(row);
            if is_new {
                self.metas.push(&row[self.fields.len()..]);
            }
            return (number, is_new);
        }
        let (mut plain, mut beside) = (std::mem::take(&mut self.plain), std::mem::take(&mut self.beside));
        row.clone_into(&mut plain);
        row[self.fields.len()..].clone_into(&mut beside);
        for &(slot, low) in &self.unread {
            beside.push(std::mem::replace(&mut plain[slot], low));
        }
        let (number, is_new) = self.intern_plain(&plain);
        if is_new {
            self.metas.push(&beside);
        }
        (self.plain, self.beside) = (plain, beside);
        (number, is_new)
    }

    fn intern_plain(&mut self, row: &[i32]) -> (u32, bool) {
        if self.blocks.is_some() {
            self.cut_row(row);
            self.rows.intern(&self.cut)
        } else {
            pack(&self.fields, &self.ends, 0, row, &mut self.key);
            self.rows.intern(&self.key)
        }
    }

    /// Appends meta variables and restores unread slots of a row.
    fn read_beside(&self, number: u32, row: &mut Vec<i32>) {
        let beside = self.metas.get(number as usize);
        let (metas, unread) = beside.split_at(beside.len() - self.unread.len());
        row.extend_from_slice(metas);
        for (&(slot, _), value) in self.unread.iter().zip(unread) {
            row[slot] = *value;
        }
    }

    /// Computes the indices of a row's blocks.
    fn cut_row(&mut self, row: &[i32]) {
        let RowStore { fields, ends, blocks: Some(blocks), key, cut, near, .. } = self else { return };
        let count = key.len() / BLOCK;
        cut.clear();
        cut.resize(count.div_ceil(2), 0);
        for i in 0..count {
            let (from, to) = span(ends, i);
            let number = if near.row.get(from..to) == Some(&row[from..to]) {
                near.blocks[i]
            } else {
                let key = &mut key[i * BLOCK..(i + 1) * BLOCK];
                pack(fields, ends, i * BLOCK, &row[from..], key);
                blocks.intern(key).0
            };
            cut[i / 2] |= u64::from(number) << (32 * (i % 2));
        }
    }

    /// Reads a row.
    pub(crate) fn read(&self, number: u32, row: &mut Vec<i32>) {
        row.clear();
        let kept = self.rows.get(number);
        match &self.blocks {
            None => self.unpack(0, kept, row),
            Some(blocks) => {
                for i in 0..self.key.len() / BLOCK {
                    self.unpack(i * BLOCK, blocks.get(block_number(kept, i)), row);
                }
            }
        }
        self.read_beside(number, row);
    }

    /// Announces that successors of this row follow.
    pub(crate) fn approach(&mut self, number: u32, row: &[i32]) {
        if self.blocks.is_some() {
            let kept = self.rows.get(number);
            self.near.blocks.clear();
            self.near.blocks.extend((0..self.key.len() / BLOCK).map(|i| block_number(kept, i)));
            row[..self.fields.len()].clone_into(&mut self.near.row);
            self.unread.iter().for_each(|&(slot, low)| self.near.row[slot] = low);
        }
    }

    /// Reads a row that is expanded next. It is likely to share blocks with the previous one, and
    /// with its successors.
    pub(crate) fn read_next(&mut self, number: u32, row: &mut Vec<i32>) {
        let Some(blocks) = &self.blocks else { return self.read(number, row) };
        let mut near = std::mem::take(&mut self.near);
        let kept = self.rows.get(number);
        let count = self.key.len() / BLOCK;
        near.blocks.resize(count, u32::MAX);
        row.clear();
        for i in 0..count {
            let (own, (from, to)) = (block_number(kept, i), span(&self.ends, i));
            if own == near.blocks[i] {
                row.extend_from_slice(&near.row[from..to]);
            } else {
                near.blocks[i] = own;
                self.unpack(i * BLOCK, blocks.get(own), row);
            }
        }
        near.row.clone_from(row);
        self.near = near;
        self.read_beside(number, row);
    }

    /// Unpacks words, of which the first has index `first`.
    fn unpack(&self, first: usize, words: &[u64], row: &mut Vec<i32>) {
        let mut from = if first == 0 { 0 } else { self.ends[first - 1] };
        for (&word, &to) in words.iter().zip(&self.ends[first..]) {
            row.extend(self.fields[from..to].iter().map(|f| f.unpack(word)));
            from = to;
        }
    }
}

/// Packs a row into words, of which the first has index `first`.
fn pack(fields: &[Field], ends: &[usize], first: usize, row: &[i32], words: &mut [u64]) {
    let mut from = if first == 0 { 0 } else { ends[first - 1] };
    let mut packed = fields[from..].iter().zip(row);
    for (word, &to) in words.iter_mut().zip(&ends[first..]) {
        let add = |word: u64, (f, value): (&Field, &i32)| word | f.pack(*value);
        *word = packed.by_ref().take(to - from).fold(0, add);
        from = to;
    }
}

/// Returns the range of slots of a block.
fn span(ends: &[usize], block: usize) -> (usize, usize) {
    let from = if block == 0 { 0 } else { ends[block * BLOCK - 1] };
    (from, ends[((block + 1) * BLOCK).min(ends.len()) - 1])
}

/// Returns an index in a packed list of block indices.
fn block_number(kept: &[u64], block: usize) -> u32 {
    (kept[block / 2] >> (32 * (block % 2))) as u32
}

impl Field {
    #[inline]
    fn pack(self, value: i32) -> u64 {
        u64::from(value.wrapping_sub(self.low) as u32) << self.shift
    }

    #[inline]
    fn unpack(self, word: u64) -> i32 {
        self.low.wrapping_add(((word >> self.shift) & self.mask) as i32)
    }
}

/// A set of word lists of one length.
struct Words {
    lists: Pages<u64>,
    table: HashTable<u32>,
}

impl Words {
    fn new(length: usize) -> Words {
        Words { lists: Pages::new(length), table: HashTable::new() }
    }

    fn bytes(&self) -> usize {
        self.lists.bytes() + table_bytes(&self.table)
    }

    #[inline]
    fn get(&self, number: u32) -> &[u64] {
        self.lists.get(number as usize)
    }

    /// Returns the index of a list, and whether it is new.
    fn intern(&mut self, words: &[u64]) -> (u32, bool) {
        let hash_value = hash(words);
        let lists = &self.lists;
        if let Some(&found) = self.table.find(hash_value, |i| lists.get(*i as usize) == words) {
            return (found, false);
        }
        let new = self.lists.len() as u32;
        self.table.insert_unique(hash_value, new, |i| hash(lists.get(*i as usize)));
        self.lists.push(words);
        (new, true)
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in words {
        hasher.write_u64(*word);
    }
    hasher.finish()
}
