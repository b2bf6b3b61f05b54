//! Fischer's mutual exclusion.

use super::{Family, each};

pub const FAMILY: Family = Family {
    name: "fischer",
    sizes: 1..=16,
    standard: &[6, 7],
    large: &[8, 9, 10],
    xta: include_str!("../../../../models/zones/fischer.xta"),
    tck,
};

const PROCESS: &str = "
process:Process$i
clock:1:x$i
location:Process$i:away{initial:}
location:Process$i:writing{invariant: x$i<=10}
location:Process$i:waiting{}
location:Process$i:inside{labels: inside$i}
edge:Process$i:away:writing:tau{provided: lock==0 : do: x$i=0}
edge:Process$i:writing:waiting:tau{provided: x$i<=10 : do: x$i=0; lock=$i}
edge:Process$i:waiting:writing:tau{provided: lock==0 : do: x$i=0}
edge:Process$i:waiting:inside:tau{provided: x$i>10 && lock==$i}
edge:Process$i:inside:away:tau{do: lock=0}
";

fn tck(n: u32) -> String {
    format!("system:fischer_{n}\nevent:tau\nint:1:0:{n}:0:lock\n") + &each(PROCESS, n)
}
