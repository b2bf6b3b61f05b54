//! The memory of the process. Nothing else asks the operating system for it.

use std::fs;

use explore::cluster::Resident;

/// The memory of the process, in KiB.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemory {
    /// Virtual memory.
    pub reserved: u64,
    /// Resident memory.
    pub resident: u64,
    /// The most resident memory so far.
    pub peak: u64,
}

/// Returns the memory of the process, where the operating system reports it.
#[must_use]
pub fn read() -> Option<ProcessMemory> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let get = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse().ok());
    let resident = get("VmRSS:")?;
    Some(ProcessMemory { reserved: get("VmSize:")?, resident, peak: get("VmHWM:").unwrap_or(resident) })
}

/// Returns the resident bytes; 0 where the operating system does not report them.
pub(crate) fn resident() -> usize {
    read().map_or(0, |memory| (memory.resident as usize).saturating_mul(1024))
}

/// Returns the resident memory for the other processes of a cluster; 0 where the operating system
/// does not report it.
pub(crate) fn measure() -> Resident {
    let bytes = |kib: u64| (kib as usize).saturating_mul(1024);
    read().map_or(Resident::default(), |memory| Resident { now: bytes(memory.resident), peak: bytes(memory.peak) })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn allocated_memory_is_counted() {
        let before = resident();
        let block = vec![1_u8; 64 << 20];
        let after = resident();
        assert!(before > 0 && after > before + (block.len() >> 1), "{before} {after}");
        let ProcessMemory { reserved, resident, peak } = read().unwrap();
        assert!(reserved >= resident && peak >= resident, "{reserved} {resident} {peak}");
    }
}
