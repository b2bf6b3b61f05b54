//! How much memory the process has.

use std::{
    cell::Cell,
    fs,
    time::{Duration, Instant},
};

/// What was read is believed for so long: it is asked for in tight loops.
const FRESH: Duration = Duration::from_millis(10);

/// Reads how many bytes of memory the process has.
#[derive(Default)]
pub struct Meter {
    last: Cell<Option<(Instant, usize)>>,
}

impl Meter {
    /// The bytes that are resident; 0 where the system does not say.
    pub fn resident(&self) -> usize {
        let now = Instant::now();
        match self.last.get() {
            Some((then, bytes)) if now.duration_since(then) < FRESH => bytes,
            _ => {
                let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
                let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
                let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
                let bytes = kilobytes.map_or(0, |n| n.saturating_mul(1024));
                self.last.set(Some((now, bytes)));
                bytes
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_is_seen() {
        let meter = Meter::default();
        let before = meter.resident();
        let block = vec![1_u8; 64 << 20];
        std::thread::sleep(2 * FRESH);
        let after = meter.resident();
        assert!(before > 0 && after > before + (block.len() >> 1), "{before} {after}");
    }
}
