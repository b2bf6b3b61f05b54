//! Processes that share one lock.

use super::{Family, each};

pub const FAMILY: Family = Family {
    name: "parallel",
    sizes: 1..=12,
    standard: &[5],
    large: &[6],
    xta: include_str!("../../../../models/zones/parallel.xta"),
    tck,
};

const LOCK: &str = "
process:Lock
clock:1:y
location:Lock:open{initial:}
location:Lock:closed{}
edge:Lock:open:closed:acquire{provided: y>=1}
edge:Lock:closed:open:release{do: y=0}
";

const PROCESS: &str = "
process:Process$i
clock:1:x$i
location:Process$i:working{initial:}
location:Process$i:trying{}
location:Process$i:holding{invariant: x$i<=3 : labels: holding$i}
edge:Process$i:working:trying:tau{do: x$i=0}
edge:Process$i:trying:working:tau{provided: x$i>=1}
edge:Process$i:trying:holding:acquire{provided: x$i<1 : do: x$i=0}
edge:Process$i:holding:working:release{provided: x$i>=1}
sync:Process$i@acquire:Lock@acquire
sync:Process$i@release:Lock@release
";

fn tck(n: u32) -> String {
    format!("system:parallel_{n}\nevent:tau\nevent:acquire\nevent:release\n") + LOCK + &each(PROCESS, n)
}
