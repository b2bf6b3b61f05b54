//! Bounds of 64 bits.

type Number = i64;

#[path = "both/abstractions.rs"]
mod abstractions;
#[path = "both/operations.rs"]
mod operations;
#[path = "both/oracle/mod.rs"]
mod oracle;
#[path = "both/unions.rs"]
mod unions;
