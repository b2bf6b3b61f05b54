//! Nets with intervals on places, the tables of the paper on them, and other tools.

mod families;
mod formats;
pub mod published;
mod tools;

pub use families::{NET_FAMILIES, NetFamily};
pub use formats::FormatError;
pub use tools::{NET_TOOLS, NetTool, ToolAnswer, ToolError};
