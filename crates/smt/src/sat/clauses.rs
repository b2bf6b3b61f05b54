//! The arena of clauses with at least three literals.

use super::literal::Literal;

/// The offset of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClauseId(pub u32);

/// Words before the literals: the length, then flags and levels.
const HEADER: usize = 2;

const LEARNT: u32 = 1;
const DEAD: u32 = 2;
const USED: u32 = 4;
/// The first bit of the number of levels. The bits below are flags.
const LEVELS: u32 = 4;

/// The arena.
#[derive(Clone, Debug, Default)]
pub(super) struct Clauses {
    words: Vec<u32>,
    wasted: usize,
}

impl Clauses {
    /// Adds a clause. Learnt clauses may be deleted.
    pub(super) fn add(&mut self, literals: &[Literal], learnt: bool, levels: u32) -> ClauseId {
        let id = ClauseId(self.words.len() as u32);
        self.words.push(literals.len() as u32);
        self.words.push(if learnt { LEARNT | USED } else { 0 } | levels << LEVELS);
        self.words.extend(literals.iter().map(|l| l.word()));
        id
    }

    /// Returns the number of literals.
    pub(super) fn len(&self, id: ClauseId) -> usize {
        self.words[id.0 as usize] as usize
    }

    /// Returns one literal.
    #[inline]
    pub(super) fn literal(&self, id: ClauseId, at: usize) -> Literal {
        Literal::from_word(self.words[id.0 as usize + HEADER + at])
    }

    /// Returns the literals as words.
    #[inline]
    pub(super) fn words(&self, id: ClauseId) -> &[u32] {
        let from = id.0 as usize + HEADER;
        &self.words[from..from + self.words[id.0 as usize] as usize]
    }

    /// Returns the literals as words that can be permuted.
    #[inline]
    pub(super) fn words_mut(&mut self, id: ClauseId) -> &mut [u32] {
        let from = id.0 as usize + HEADER;
        let to = from + self.words[id.0 as usize] as usize;
        &mut self.words[from..to]
    }

    fn flag(&self, id: ClauseId, flag: u32) -> bool {
        self.words[id.0 as usize + 1] & flag != 0
    }

    /// Returns whether the clause is learnt.
    pub(super) fn is_learnt(&self, id: ClauseId) -> bool {
        self.flag(id, LEARNT)
    }

    /// Returns whether the clause is deleted.
    pub(super) fn is_dead(&self, id: ClauseId) -> bool {
        self.flag(id, DEAD)
    }

    /// Deletes a clause; [`Clauses::compact`] reclaims its memory.
    pub(super) fn kill(&mut self, id: ClauseId) {
        self.wasted += self.len(id) + HEADER;
        self.words[id.0 as usize + 1] |= DEAD;
    }

    /// Shortens a clause.
    pub(super) fn truncate(&mut self, id: ClauseId, len: usize) {
        // The rest is a gap that is never read as a clause, since all ids are kept elsewhere.
        self.wasted += self.len(id) - len;
        self.words[id.0 as usize] = len as u32;
    }

    /// Returns the number of decision levels of its literals when it was last used.
    pub(super) fn levels(&self, id: ClauseId) -> u32 {
        self.words[id.0 as usize + 1] >> LEVELS
    }

    /// Records that a clause took part in a conflict, with its current number of levels.
    pub(super) fn touch(&mut self, id: ClauseId, levels: u32) {
        let word = &mut self.words[id.0 as usize + 1];
        let known = *word >> LEVELS;
        *word = *word & ((1 << LEVELS) - 1) | USED | known.min(levels) << LEVELS;
    }

    /// Returns whether a clause took part in a conflict since the last call.
    pub(super) fn take_used(&mut self, id: ClauseId) -> bool {
        let word = &mut self.words[id.0 as usize + 1];
        let used = *word & USED != 0;
        *word &= !USED;
        used
    }

    /// Returns whether much of the memory is wasted.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted * 4 > self.words.len()
    }

    /// Returns the number of words.
    pub(super) fn size(&self) -> usize {
        self.words.len()
    }

    /// Copies a clause to another arena and records its new offset.
    pub(super) fn transfer(&mut self, id: ClauseId, to: &mut Clauses) -> ClauseId {
        let from = id.0 as usize;
        let new = ClauseId(to.words.len() as u32);
        to.words.extend_from_slice(&self.words[from..from + HEADER + self.len(id)]);
        self.words[from + 1] = new.0;
        new
    }

    /// Returns the new offset of a clause that was copied.
    pub(super) fn transferred(&self, id: ClauseId) -> ClauseId {
        ClauseId(self.words[id.0 as usize + 1])
    }
}
