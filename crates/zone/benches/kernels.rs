//! What zones cost: `cargo bench -p merkhet-zone`.
fn main() {}
