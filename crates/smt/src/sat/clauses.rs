//! Clauses of three literals and more, one behind the other.

use super::literal::Literal;

/// Where a clause lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseId(pub u32);

/// Words before the literals: the number of literals, then what is known of the clause.
const HEADER: usize = 2;

const LEARNT: u32 = 1;
const DEAD: u32 = 2;
const USED: u32 = 4;
/// Below this bit: flags. From it on: the number of levels.
const LEVELS: u32 = 4;

/// The memory of the clauses.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    words: Vec<u32>,
    wasted: usize,
}

impl Clauses {
    /// Adds a clause. Learnt ones may be forgotten.
    pub fn add(&mut self, literals: &[Literal], learnt: bool, levels: u32) -> ClauseId {
        let id = ClauseId(self.words.len() as u32);
        self.words.push(literals.len() as u32);
        self.words.push(if learnt { LEARNT | USED } else { 0 } | levels << LEVELS);
        self.words.extend(literals.iter().map(|l| l.word()));
        id
    }

    /// How many literals a clause has.
    pub fn len(&self, id: ClauseId) -> usize {
        self.words[id.0 as usize] as usize
    }

    /// One literal of a clause.
    #[inline]
    pub fn literal(&self, id: ClauseId, at: usize) -> Literal {
        Literal::from_word(self.words[id.0 as usize + HEADER + at])
    }

    /// The words of the literals of a clause.
    #[inline]
    pub fn words(&self, id: ClauseId) -> &[u32] {
        let from = id.0 as usize + HEADER;
        &self.words[from..from + self.words[id.0 as usize] as usize]
    }

    /// The same, to be put in another order.
    #[inline]
    pub fn words_mut(&mut self, id: ClauseId) -> &mut [u32] {
        let from = id.0 as usize + HEADER;
        let to = from + self.words[id.0 as usize] as usize;
        &mut self.words[from..to]
    }

    fn flag(&self, id: ClauseId, flag: u32) -> bool {
        self.words[id.0 as usize + 1] & flag != 0
    }

    /// Whether it follows from others.
    pub fn is_learnt(&self, id: ClauseId) -> bool {
        self.flag(id, LEARNT)
    }

    /// Whether it is no longer wanted.
    pub fn is_dead(&self, id: ClauseId) -> bool {
        self.flag(id, DEAD)
    }

    /// Takes a clause out; its memory is given back by [`Clauses::compact`].
    pub fn kill(&mut self, id: ClauseId) {
        self.wasted += self.len(id) + HEADER;
        self.words[id.0 as usize + 1] |= DEAD;
    }

    /// Shortens a clause.
    pub fn truncate(&mut self, id: ClauseId, len: usize) {
        // The rest stays as a gap, which must not be read as a clause: the ids are kept by whoever uses them.
        self.wasted += self.len(id) - len;
        self.words[id.0 as usize] = len as u32;
    }

    /// Over how many levels its literals were spread when it was last looked at.
    pub fn levels(&self, id: ClauseId) -> u32 {
        self.words[id.0 as usize + 1] >> LEVELS
    }

    /// Notes that a clause took part in a conflict, with the number of its levels now.
    pub fn touch(&mut self, id: ClauseId, levels: u32) {
        let word = &mut self.words[id.0 as usize + 1];
        let known = *word >> LEVELS;
        *word = *word & ((1 << LEVELS) - 1) | USED | known.min(levels) << LEVELS;
    }

    /// Whether a clause took part in a conflict since this was last asked.
    pub fn take_used(&mut self, id: ClauseId) -> bool {
        let word = &mut self.words[id.0 as usize + 1];
        let used = *word & USED != 0;
        *word &= !USED;
        used
    }

    /// Whether a good part of the memory is waste.
    pub fn is_wasteful(&self) -> bool {
        self.wasted * 4 > self.words.len()
    }

    /// How many words there are.
    pub fn size(&self) -> usize {
        self.words.len()
    }

    /// Copies one clause to another memory and leaves its new place behind.
    pub fn transfer(&mut self, id: ClauseId, to: &mut Clauses) -> ClauseId {
        let from = id.0 as usize;
        let new = ClauseId(to.words.len() as u32);
        to.words.extend_from_slice(&self.words[from..from + HEADER + self.len(id)]);
        self.words[from + 1] = new.0;
        new
    }

    /// The new place of a clause that was transferred.
    pub fn transferred(&self, id: ClauseId) -> ClauseId {
        ClauseId(self.words[id.0 as usize + 1])
    }
}
