//! Production cells with a critical region.

use super::{Family, each, fill};

pub const FAMILY: Family = Family {
    name: "critical-region",
    sizes: 1..=8,
    standard: &[3],
    large: &[4, 5],
    xta: include_str!("../../../../models/zones/critical-region.xta"),
    tck,
};

const COUNTER: &str = "
int:1:0:$n:0:turn
process:Counter
location:Counter:first{initial:}
location:Counter:counting{}
edge:Counter:first:counting:tau{provided: turn==0 : do: turn=1}
edge:Counter:counting:counting:tau{provided: turn<$n : do: turn=turn+1}
edge:Counter:counting:counting:tau{provided: turn==$n : do: turn=1}
";

const ARBITER: &str = "
event:enter$i
event:leave$i
process:Arbiter$i
location:Arbiter$i:open{initial:}
location:Arbiter$i:granted{}
edge:Arbiter$i:open:granted:enter$i{provided: turn==$i : do: turn=0}
edge:Arbiter$i:granted:open:leave$i{do: turn=$i}
";

const CELL: &str = "
process:Cell$i
clock:1:x$i
location:Cell$i:idle{initial:}
location:Cell$i:testing{invariant: x$i<=10}
location:Cell$i:asking{}
location:Cell$i:critical{invariant: x$i<=20 : labels: critical$i}
location:Cell$i:checking{invariant: x$i<=10}
location:Cell$i:done{labels: done$i}
location:Cell$i:failed{labels: failed$i}
edge:Cell$i:idle:testing:tau{provided: x$i<=20 : do: x$i=0}
edge:Cell$i:testing:idle:tau{provided: x$i>=10 : do: x$i=0}
edge:Cell$i:testing:asking:tau{provided: x$i<=9}
edge:Cell$i:asking:critical:enter$i{do: x$i=0}
edge:Cell$i:critical:failed:tau{provided: x$i>=20}
edge:Cell$i:critical:checking:leave$i{provided: x$i<=9 : do: x$i=0}
edge:Cell$i:checking:failed:tau{provided: x$i>=10}
edge:Cell$i:checking:done:tau{provided: x$i<=9}
sync:Arbiter$i@enter$i:Cell$i@enter$i
sync:Arbiter$i@leave$i:Cell$i@leave$i
";

fn tck(n: u32) -> String {
    let start = format!("system:critical_region_{n}\nevent:tau\n");
    start + &fill(COUNTER, &[('n', n)]) + &each(ARBITER, n) + &each(CELL, n)
}
