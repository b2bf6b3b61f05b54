//! Checkpoints in memory.

use std::{
    collections::BTreeMap,
    io::{self, Cursor, Write},
    sync::{Arc, Mutex, MutexGuard},
};

use explore::snapshot::{Part, Storage};

/// The parts of a checkpoint.
pub type Parts = BTreeMap<String, Vec<u8>>;

/// A storage in memory, which keeps all checkpoints.
#[derive(Clone, Default)]
pub struct Memory {
    pub done: Arc<Mutex<Vec<(u64, Parts)>>>,
    /// Fails if so many bytes were written.
    pub space: Option<usize>,
    /// Keeps the last checkpoint only, and those that are newer.
    pub forgets: bool,
}

/// The checkpoint that is written.
#[derive(Default)]
struct MemoryStorage {
    memory: Memory,
    last: Option<u64>,
    next: Parts,
    ready: Option<u64>,
}

struct Full<'w>(&'w mut Vec<u8>, Option<usize>);

impl Write for Full<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        match self.1 {
            Some(space) if self.0.len() > space => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    /// With this checkpoint as the last one.
    pub fn with(parts: Parts) -> Memory {
        Memory { done: Arc::new(Mutex::new(vec![(0, parts)])), ..Memory::default() }
    }

    fn done(&self) -> MutexGuard<'_, Vec<(u64, Parts)>> {
        self.done.lock().unwrap()
    }

    /// The last checkpoint.
    pub fn last(&self) -> Option<Parts> {
        self.done().last().map(|(_, parts)| parts.clone())
    }

    /// The number of checkpoints.
    pub fn count(&self) -> usize {
        self.done().len()
    }

    /// All checkpoints, which are not there any more.
    pub fn take(&self) -> Vec<Parts> {
        std::mem::take(&mut *self.done()).into_iter().map(|(_, parts)| parts).collect()
    }

    fn get(&self, number: Option<u64>) -> io::Result<Parts> {
        let done = self.done();
        let found = done.iter().find(|(other, _)| Some(*other) == number);
        found.map(|(_, parts)| parts.clone()).ok_or(io::ErrorKind::NotFound.into())
    }

    pub fn storage(&self) -> Box<dyn Storage + Send> {
        Box::new(MemoryStorage { memory: self.clone(), ..MemoryStorage::default() })
    }
}

impl Storage for MemoryStorage {
    fn numbers(&self) -> io::Result<Vec<u64>> {
        Ok(self.memory.done().iter().map(|(number, _)| *number).collect())
    }

    fn choose(&mut self, number: u64) {
        self.last = Some(number);
    }

    fn begin(&mut self) -> io::Result<()> {
        assert!(self.next.is_empty(), "a checkpoint was neither ended nor dropped");
        let last = self.last;
        self.memory.done().retain(|(number, _)| last.is_some_and(|last| *number <= last));
        Ok(())
    }

    fn part(&mut self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::new();
        let written = write(&mut Full(&mut bytes, self.memory.space));
        assert!(self.next.insert(name.to_owned(), bytes).is_none(), "{name} occurs twice");
        written
    }

    fn keep(&mut self, name: &str) -> io::Result<()> {
        let last = self.memory.get(self.last)?;
        self.next.insert(name.to_owned(), last.get(name).ok_or(io::ErrorKind::NotFound)?.clone());
        Ok(())
    }

    fn commit(&mut self, number: u64) -> io::Result<()> {
        let next = std::mem::take(&mut self.next);
        self.memory.done().push((number, next));
        self.ready = Some(number);
        Ok(())
    }

    fn settle(&mut self) {
        self.last = self.ready.take();
        if self.memory.forgets {
            let last = self.last;
            self.memory.done().retain(|(number, _)| Some(*number) >= last);
        }
    }

    fn abandon(&mut self) {
        self.next.clear();
        if let Some(ready) = self.ready.take() {
            self.memory.done().retain(|(number, _)| *number != ready);
        }
    }

    fn read(&self, name: &str) -> io::Result<Part> {
        let bytes = self.memory.get(self.last)?.get(name).cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Part { length: bytes.len() as u64, bytes: Box::new(Cursor::new(bytes)) })
    }
}
