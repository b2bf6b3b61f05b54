//! The CSMA/CD protocol.

use super::{Family, each, fill};

pub const FAMILY: Family = Family {
    name: "csma-cd",
    sizes: 1..=16,
    standard: &[6, 7],
    large: &[8, 10, 11],
    xta: include_str!("../../../../models/zones/csma-cd.xta"),
    tck,
};

const BUS: &str = "
process:Bus
clock:1:y
int:1:1:$m:1:next
location:Bus:idle{initial:}
location:Bus:taken{}
location:Bus:jammed{invariant: y<26}
location:Bus:telling{committed:}
edge:Bus:idle:taken:begin{do: y=0}
edge:Bus:taken:jammed:begin{provided: y<26 : do: y=0}
edge:Bus:taken:taken:busy{provided: y>=26}
edge:Bus:taken:idle:end{do: y=0}
edge:Bus:jammed:telling:tau{provided: y<26 : do: next=1}
edge:Bus:telling:idle:tau{provided: next==$m && y<26 : do: y=0; next=1}
";

const STATION: &str = "
event:collision$i
edge:Bus:telling:telling:collision$i{provided: next==$i : do: next=next+1}
process:Station$i
clock:1:x$i
location:Station$i:quiet{initial:}
location:Station$i:sending{invariant: x$i<=808 : labels: sending$i}
location:Station$i:retrying{invariant: x$i<52}
edge:Station$i:quiet:sending:begin{do: x$i=0}
edge:Station$i:quiet:retrying:busy{do: x$i=0}
edge:Station$i:quiet:quiet:collision{do: x$i=0}
edge:Station$i:quiet:retrying:collision{do: x$i=0}
edge:Station$i:sending:quiet:end{provided: x$i==808 : do: x$i=0}
edge:Station$i:sending:retrying:collision{provided: x$i<26 : do: x$i=0}
edge:Station$i:retrying:sending:begin{provided: x$i<52 : do: x$i=0}
edge:Station$i:retrying:retrying:busy{provided: x$i<52 : do: x$i=0}
edge:Station$i:retrying:retrying:collision{provided: x$i<52 : do: x$i=0}
sync:Station$i@begin:Bus@begin
sync:Station$i@end:Bus@end
sync:Station$i@busy:Bus@busy
sync:Station$i@collision:Bus@collision$i
";

fn tck(n: u32) -> String {
    let start = format!("system:csma_cd_{n}\nevent:tau\nevent:begin\nevent:end\nevent:busy\nevent:collision\n");
    start + &fill(BUS, &[('m', n + 1)]) + &each(STATION, n)
}
