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
/// The number of slots, or of blocks, that are compared at once.
const COMPARED: usize = 8;
/// The greatest number of slots of a row that is packed as a whole: comparing it with another one
/// takes longer.
const SHORT: usize = 24;

/// The packing of a slot.
#[derive(Clone, Copy)]
struct Field {
    low: i32,
    /// A one for each of its bits.
    mask: u32,
    /// The number of its word.
    word: u32,
    shift: u32,
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
    /// The row that was expanded last: its successors differ from it in few slots.
    near: RecentRow,
}

/// A row, and its words, or the indices of its blocks, two in a word.
#[derive(Default)]
struct RecentRow {
    row: Vec<i32>,
    words: Vec<u64>,
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
            let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0) as u32;
            fields.push(Field { low, mask, word: ends.len() as u32, shift: used % 64 });
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
            if is_new && self.metas.width() > 0 {
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
            self.pack_row(row);
            self.rows.intern(&self.key)
        }
    }

    /// Packs a row that is not split.
    fn pack_row(&mut self, row: &[i32]) {
        let RowStore { fields, ends, key, near, .. } = self;
        let row = &row[..fields.len()];
        if near.words.len() != key.len() {
            // Also if rows are short.
            return pack(fields, ends, 0, row, key);
        }
        key.copy_from_slice(&near.words);
        let mut differ = |i: usize| {
            let field = fields[i];
            key[field.word as usize] ^= field.pack(row[i]) ^ field.pack(near.row[i]);
        };
        let (blocks, rest) = row.as_chunks::<COMPARED>();
        for (block, new) in blocks.iter().enumerate() {
            let first = block * COMPARED;
            let Some(old) = near.row[first..].first_chunk::<COMPARED>() else { break };
            if new.iter().zip(old).fold(0, |all, (a, b)| all | (a ^ b)) != 0 {
                (0..COMPARED).filter(|i| new[*i] != old[*i]).for_each(|i| differ(first + i));
            }
        }
        let first = row.len() - rest.len();
        (first..row.len()).filter(|i| row[*i] != near.row[*i]).for_each(&mut differ);
    }

    /// Appends meta variables and restores unread slots of a row.
    fn read_beside(&self, number: u32, row: &mut Vec<i32>) {
        if self.metas.width() == 0 {
            return;
        }
        let beside = self.metas.get(number as usize);
        let (metas, unread) = beside.split_at(beside.len() - self.unread.len());
        row.extend_from_slice(metas);
        for (&(slot, _), value) in self.unread.iter().zip(unread) {
            row[slot] = *value;
        }
    }

    /// Returns whether rows are so short that no row is kept to compare others with.
    #[inline]
    fn are_short(&self) -> bool {
        self.fields.len() <= SHORT && self.blocks.is_none()
    }

    /// Computes the indices of a row's blocks.
    fn cut_row(&mut self, row: &[i32]) {
        let RowStore { fields, ends, blocks: Some(blocks), key, cut, near, .. } = self else { return };
        let count = key.len() / BLOCK;
        let row = &row[..fields.len()];
        cut.clear();
        if near.row.len() == row.len() {
            cut.extend_from_slice(&near.words);
        } else {
            // No block is that of a near row.
            cut.resize(count.div_ceil(2), u64::MAX);
        }
        let mut intern = |i: usize, (from, to): (usize, usize)| {
            if near.row.get(from..to) != Some(&row[from..to]) {
                let key = &mut key[i * BLOCK..(i + 1) * BLOCK];
                pack(fields, ends, i * BLOCK, &row[from..], key);
                set_block_number(cut, i, blocks.intern(key).0);
            }
        };
        // Most of the row is the same: many blocks are compared at once.
        for first in (0..count).step_by(COMPARED) {
            let last = (first + COMPARED).min(count) - 1;
            let (from, to) = (span(ends, first).0, span(ends, last).1);
            if near.row.get(from..to) != Some(&row[from..to]) {
                (first..=last).for_each(|i| intern(i, span(ends, i)));
            }
        }
        if count % 2 == 1 {
            set_block_number(cut, count, 0);
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
        if self.are_short() {
            return;
        }
        self.rows.get(number).clone_into(&mut self.near.words);
        row[..self.fields.len()].clone_into(&mut self.near.row);
        self.unread.iter().for_each(|&(slot, low)| self.near.row[slot] = low);
    }

    /// Reads a row that is expanded next. It is likely to share words with the previous one, and
    /// with its successors.
    pub(crate) fn read_next(&mut self, number: u32, row: &mut Vec<i32>) {
        if self.are_short() {
            return self.read(number, row);
        }
        let mut near = std::mem::take(&mut self.near);
        let kept = self.rows.get(number);
        if near.words.len() != kept.len() {
            near.row.clear();
            near.row.resize(self.fields.len(), 0);
            near.words.clear();
            // No row has the complements of these words or indices.
            near.words.extend(kept.iter().map(|word| !word));
        }
        for (at, &word) in kept.iter().enumerate() {
            let before = std::mem::replace(&mut near.words[at], word);
            if word == before {
                continue;
            }
            let Some(blocks) = &self.blocks else {
                let (from, to) = (if at == 0 { 0 } else { self.ends[at - 1] }, self.ends[at]);
                unpack(&self.fields[from..to], word, &mut near.row[from..to]);
                continue;
            };
            for i in (2 * at..2 * at + 2).filter(|i| *i < self.key.len() / BLOCK) {
                let number = block_number(kept, i);
                if number != block_number(&[before], i % 2) {
                    let mut from = span(&self.ends, i).0;
                    for (&word, &to) in blocks.get(number).iter().zip(&self.ends[i * BLOCK..]) {
                        unpack(&self.fields[from..to], word, &mut near.row[from..to]);
                        from = to;
                    }
                }
            }
        }
        row.clone_from(&near.row);
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

/// Unpacks the fields of a word.
fn unpack(fields: &[Field], word: u64, row: &mut [i32]) {
    row.iter_mut().zip(fields).for_each(|(value, field)| *value = field.unpack(word));
}

/// Packs a row into words, of which the first has index `first`.
fn pack(fields: &[Field], ends: &[usize], first: usize, row: &[i32], words: &mut [u64]) {
    let start = if first == 0 { 0 } else { ends[first - 1] };
    let mut from = start;
    for (word, &to) in words.iter_mut().zip(&ends[first..]) {
        let (fields, row) = (&fields[from..to], &row[from - start..to - start]);
        *word = fields.iter().zip(row).fold(0, |word, (field, value)| word | field.pack(*value));
        from = to;
    }
}

/// Returns the range of slots of a block.
fn span(ends: &[usize], block: usize) -> (usize, usize) {
    let from = if block == 0 { 0 } else { ends[block * BLOCK - 1] };
    (from, ends[((block + 1) * BLOCK).min(ends.len()) - 1])
}

/// Sets an index in a packed list of block indices.
fn set_block_number(cut: &mut [u64], block: usize, number: u32) {
    let shift = 32 * (block % 2);
    let word = &mut cut[block / 2];
    *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(number) << shift;
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
        self.low.wrapping_add((((word >> self.shift) as u32) & self.mask) as i32)
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
        // A loop, since lists of a word or two are not worth a call.
        let equals = |list: &[u64]| list.iter().zip(words).fold(0, |all, (a, b)| all | (a ^ b)) == 0;
        if let Some(&found) = self.table.find(hash_value, |i| equals(lists.get(*i as usize))) {
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
