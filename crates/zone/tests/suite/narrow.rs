//! Bounds of 32 bits.

type Number = i32;

#[path = "both/abstractions.rs"]
mod abstractions;
#[path = "both/operations.rs"]
mod operations;
#[path = "both/oracle/mod.rs"]
mod oracle;
#[path = "both/unions.rs"]
mod unions;
