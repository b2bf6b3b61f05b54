//! The numbers of elements.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use super::{Element, Protection, UserError, UserLattice, guarded};

/// The elements that have occurred. The number of an element is its index.
#[derive(Default)]
pub(super) struct Elements(RwLock<Table>);

#[derive(Default)]
struct Table {
    all: Vec<Element>,
    /// The numbers by keys.
    keys: HashMap<Vec<u8>, u32>,
    /// The numbers by hashes, in the order of discovery.
    hashes: HashMap<Option<u64>, Vec<u32>>,
}

impl Elements {
    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.read().all.len()
    }

    /// Returns an element by its number.
    pub(super) fn get(&self, number: i32) -> Option<Element> {
        self.read().all.get(usize::try_from(number).ok()?).cloned()
    }

    /// Returns the number of an element. Functions of the user are called without a lock, so other
    /// threads may add elements meanwhile.
    pub(super) fn number(&self, lattice: &dyn UserLattice, element: Element) -> Result<i32, UserError> {
        let key = lattice.key(&element);
        if let Some(known) = key.as_ref().and_then(|key| self.read().keys.get(key).copied()) {
            return Ok(known as i32);
        }
        let hash = guarded(|| lattice.hash(&element))?;
        let mut compared = 0;
        let mut is_stored = None;
        loop {
            let candidates: Vec<(u32, Element)> = {
                let table = self.read();
                let bucket = table.hashes.get(&hash).map_or(&[][..], Vec::as_slice);
                bucket[compared..].iter().map(|number| (*number, table.all[*number as usize].clone())).collect()
            };
            compared += candidates.len();
            for (number, known) in candidates {
                if guarded(|| lattice.equals(&known, &element))? {
                    if let Some(key) = key {
                        self.write().keys.insert(key, number);
                    }
                    return Ok(number as i32);
                }
            }
            let stored = match is_stored.take() {
                Some(stored) => stored,
                None => own(lattice, &element)?,
            };
            let mut table = self.write();
            if table.hashes.get(&hash).map_or(0, Vec::len) > compared {
                is_stored = Some(stored);
                continue;
            }
            let Ok(number @ 0..) = i32::try_from(table.all.len()) else {
                return Err(UserError::new("there are too many elements"));
            };
            table.all.push(stored);
            table.hashes.entry(hash).or_default().push(number as u32);
            if let Some(key) = key {
                table.keys.insert(key, number as u32);
            }
            return Ok(number);
        }
    }
}

/// Returns an element that only the table has. It is equal to its copy, or every element would be a
/// new one.
fn own(lattice: &dyn UserLattice, element: &Element) -> Result<Element, UserError> {
    if lattice.protection() == Protection::Immutable {
        return Ok(element.clone());
    }
    let copy = guarded(|| lattice.copy(element))?;
    if guarded(|| lattice.equals(&copy, element))? {
        return Ok(copy);
    }
    Err(UserError::new("the copy of an element is not equal to it"))
}
