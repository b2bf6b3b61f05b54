//! The integration tests of this crate, in one binary.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod searches;
mod strangers;

use std::{sync::Mutex, thread, time::Duration};

use cluster::{ConnectError, Hooks, Key, Listening, Mesh, Place, Task};

/// The place of a process on this machine.
fn place(number: usize, count: usize, first: &str) -> Place {
    Place {
        number,
        count,
        listens: "127.0.0.1:0".to_owned(),
        first: first.to_owned(),
        key: Key::new(b"a secret of the tests"),
        version: "1".to_owned(),
        hosts: cluster::digest(&["a:1".to_owned(), "b:1".to_owned()]),
        patience: Duration::from_secs(20),
    }
}

/// What to change in the place of a process.
type Change<'c> = &'c (dyn Fn(&mut Place) + Sync);

/// Connects processes, each in a thread, and returns them with the notes of process 0. `meanwhile`
/// gets the address of process 0.
fn connect(
    count: usize,
    change: Change<'_>,
    meanwhile: impl FnOnce(&str) + Send,
) -> (Vec<Result<Mesh, ConnectError>>, Vec<String>) {
    let notes = Mutex::new(Vec::new());
    let first = Listening::new(place(0, count, "")).unwrap();
    let address = first.address().to_owned();
    let task = Task { what: b"the task".to_vec(), workers: None };
    let meshes = thread::scope(|scope| {
        let (address, notes) = (&address, &notes);
        scope.spawn(move || meanwhile(address));
        let others: Vec<_> = (1..count)
            .map(|number| {
                scope.spawn(move || {
                    let mut place = place(number, count, address);
                    change(&mut place);
                    let hooks = Hooks { stops: &|| false, note: &|_| {} };
                    Listening::new(place).unwrap().connect(Task::default(), number + 1, &hooks)
                })
            })
            .collect();
        let ended = || others.iter().any(thread::ScopedJoinHandle::is_finished);
        let hooks = Hooks { stops: &ended, note: &|note| notes.lock().unwrap().push(note) };
        let own = first.connect(task, 1, &hooks);
        [own].into_iter().chain(others.into_iter().map(|other| other.join().unwrap())).collect()
    });
    (meshes, notes.into_inner().unwrap())
}
