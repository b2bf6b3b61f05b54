//! How much memory the process has. Nothing else asks the system for it.

use std::fs;

/// The memory of the process, in KiB.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub reserved: u64,
    pub resident: u64,
}

/// What the system says about it, if it says anything.
pub fn read() -> Option<Memory> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let get = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse().ok());
    Some(Memory { reserved: get("VmSize:")?, resident: get("VmRSS:")? })
}

/// The bytes that are resident; 0 where the system does not say.
pub fn resident() -> usize {
    read().map_or(0, |memory| (memory.resident as usize).saturating_mul(1024))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_is_seen() {
        let before = resident();
        let block = vec![1_u8; 64 << 20];
        let after = resident();
        assert!(before > 0 && after > before + (block.len() >> 1), "{before} {after}");
        let Memory { reserved, resident } = read().unwrap();
        assert!(reserved >= resident, "{reserved} {resident}");
    }
}
