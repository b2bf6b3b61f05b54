//! Seeds of random tests, which are reported if they fail.

use std::{fmt::Display, thread};

/// Returns the seeds of a test, to iterate over. If the test panics, the seed is printed for which
/// it did.
pub fn seeds<I: IntoIterator<Item: Copy + Display>>(seeds: I) -> impl Iterator<Item = I::Item> {
    Seeds { rest: seeds.into_iter(), current: None }
}

struct Seeds<I: Iterator<Item: Display>> {
    rest: I,
    current: Option<I::Item>,
}

impl<I: Iterator<Item: Copy + Display>> Iterator for Seeds<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.current = self.rest.next();
        self.current
    }
}

impl<I: Iterator<Item: Display>> Drop for Seeds<I> {
    fn drop(&mut self) {
        if let Some(seed) = self.current.as_ref().filter(|_| thread::panicking()) {
            report(seed);
        }
    }
}

#[expect(clippy::print_stderr, reason = "a test that fails shows what was printed")]
fn report(seed: &impl Display) {
    eprintln!("the seed is {seed}");
}
