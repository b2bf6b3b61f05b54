//! Trains and a bridge with one track.

use super::{Family, each, fill};

pub const FAMILY: Family = Family {
    name: "train-gate",
    sizes: 1..=8,
    standard: &[4],
    large: &[5, 6],
    xta: include_str!("../../../../models/zones/train-gate.xta"),
    tck,
};

const GATE: &str = "
process:Gate
int:$n:1:$n:1:queue
int:1:0:$l:0:first
int:1:0:$n:0:length
location:Gate:free{initial:}
location:Gate:occupied{}
location:Gate:stopping{committed:}
";

const TRAIN: &str = "
event:appr$i
event:stop$i
event:go$i
event:leave$i
edge:Gate:free:occupied:go$i{provided: length>0 && queue[first]==$i}
edge:Gate:free:occupied:appr$i{provided: length==0 : do: queue[(first+length)%$n]=$i; length=length+1}
edge:Gate:occupied:stopping:appr$i{do: queue[(first+length)%$n]=$i; length=length+1}
edge:Gate:stopping:occupied:stop$i{provided: length>0 && queue[(first+length-1)%$n]==$i}
edge:Gate:occupied:free:leave$i{provided: length>0 && queue[first]==$i : do: first=(first+1)%$n; length=length-1}
process:Train$i
clock:1:x$i
location:Train$i:away{initial:}
location:Train$i:near{invariant: x$i<=20}
location:Train$i:stopped{labels: stopped$i}
location:Train$i:starting{invariant: x$i<=15}
location:Train$i:crossing{invariant: x$i<=5 : labels: crossing$i}
edge:Train$i:away:near:appr{do: x$i=0}
edge:Train$i:near:crossing:tau{provided: x$i>=10 : do: x$i=0}
edge:Train$i:near:stopped:stop{provided: x$i<=10}
edge:Train$i:stopped:starting:go{do: x$i=0}
edge:Train$i:starting:crossing:tau{provided: x$i>=7 : do: x$i=0}
edge:Train$i:crossing:away:leave{provided: x$i>=3}
sync:Gate@appr$i:Train$i@appr
sync:Gate@stop$i:Train$i@stop
sync:Gate@go$i:Train$i@go
sync:Gate@leave$i:Train$i@leave
";

fn tck(n: u32) -> String {
    let start = format!("system:train_gate_{n}\nevent:tau\nevent:appr\nevent:stop\nevent:go\nevent:leave\n");
    start + &fill(GATE, &[('n', n), ('l', n - 1)]) + &each(TRAIN, n)
}
