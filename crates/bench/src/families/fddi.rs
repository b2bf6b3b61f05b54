//! The FDDI token ring.

use super::{Family, each, fill};

pub const FAMILY: Family = Family {
    name: "fddi",
    sizes: 1..=24,
    standard: &[6, 8],
    large: &[12],
    xta: include_str!("../../../../models/zones/fddi.xta"),
    tck,
};

/// The target time is `$t`, and `$s` with the synchronous data of 20 time units.
const STATION: &str = "
event:take$i
event:pass$i
process:Station$i
clock:1:visit$i
clock:1:odd$i
clock:1:even$i
location:Station$i:before_odd{initial:}
location:Station$i:late_odd{invariant: visit$i<=20}
location:Station$i:early_odd{invariant: visit$i<=20}
location:Station$i:extra_odd{invariant: even$i<=$s : labels: extra$i}
location:Station$i:before_even{}
location:Station$i:late_even{invariant: visit$i<=20 : labels: late$i}
location:Station$i:early_even{invariant: visit$i<=20}
location:Station$i:extra_even{invariant: odd$i<=$s}
edge:Station$i:before_odd:late_odd:take{provided: visit$i>=$t : do: visit$i=0; odd$i=0}
edge:Station$i:before_odd:early_odd:take{provided: visit$i<$t : do: visit$i=0; odd$i=0}
edge:Station$i:late_odd:before_even:pass{provided: visit$i==20}
edge:Station$i:early_odd:extra_odd:tau{provided: visit$i==20}
edge:Station$i:extra_odd:before_even:pass{}
edge:Station$i:before_even:late_even:take{provided: visit$i>=$t : do: visit$i=0; even$i=0}
edge:Station$i:before_even:early_even:take{provided: visit$i<$t : do: visit$i=0; even$i=0}
edge:Station$i:late_even:before_odd:pass{provided: visit$i==20}
edge:Station$i:early_even:extra_even:tau{provided: visit$i==20}
edge:Station$i:extra_even:before_odd:pass{}
";

const RING: &str = "
process:Ring
clock:1:t
int:1:1:$n:1:holder
location:Ring:free{initial: : invariant: t<=0}
location:Ring:held{}
";

/// The position on the ring after which `$j` comes.
const PLACE: &str = "
edge:Ring:free:held:take$i{provided: t==0 && holder==$i}
edge:Ring:held:free:pass$i{provided: holder==$i : do: t=0; holder=$j}
sync:Ring@take$i:Station$i@take
sync:Ring@pass$i:Station$i@pass
";

fn tck(n: u32) -> String {
    let target = 50 * n;
    let stations = fill(&each(STATION, n), &[('t', target), ('s', target + 20)]);
    let places: String = (1..=n).map(|i| fill(PLACE, &[('i', i), ('j', i % n + 1)])).collect();
    format!("system:fddi_{n}\nevent:tau\nevent:take\nevent:pass\n") + &stations + &fill(RING, &[('n', n)]) + &places
}
