//! Leader election on a ring.

use super::{Family, each};

pub const FAMILY: Family = Family {
    name: "leader-election",
    sizes: 2..=10,
    standard: &[5],
    large: &[6, 7],
    xta: include_str!("../../../../models/zones/leader-election.xta"),
    tck,
};

/// All variables come first, because a candidate reads its neighbour's.
const VARIABLES: &str = "
event:lock$i
event:unlock$i
int:1:0:$l:0:seen$i
int:1:0:$l:0:offer$i
";

const CANDIDATE: &str = "
process:Candidate$i
clock:1:x$i
location:Candidate$i:start{initial: : invariant: x$i<=0}
location:Candidate$i:offering{}
location:Candidate$i:being_read{}
location:Candidate$i:turning{invariant: x$i<=0}
location:Candidate$i:reading{invariant: x$i<=1 : labels: reading$i}
location:Candidate$i:releasing{invariant: x$i<=1}
location:Candidate$i:comparing{invariant: x$i<=1}
location:Candidate$i:leading{labels: leading$i}
edge:Candidate$i:start:being_read:lock$i{}
edge:Candidate$i:start:reading:lock$b{do: x$i=0}
edge:Candidate$i:offering:being_read:lock$i{}
edge:Candidate$i:being_read:turning:unlock$i{do: x$i=0}
edge:Candidate$i:turning:reading:lock$b{do: x$i=0}
edge:Candidate$i:reading:releasing:tau{do: seen$i=(offer$b+1)%$n}
edge:Candidate$i:releasing:comparing:unlock$b{}
edge:Candidate$i:comparing:offering:tau{provided: seen$i!=0 : do: offer$i=seen$i}
edge:Candidate$i:comparing:leading:finished{provided: seen$i==0}
";

const WATCH: &str = "
process:Watch
clock:1:z
location:Watch:running{initial:}
location:Watch:late{labels: late}
location:Watch:in_time{}
edge:Watch:running:late:tau{provided: z>4}
edge:Watch:running:in_time:finished{provided: z<=4}
";

const SYNC: &str = "
sync:Candidate$b@lock$b:Candidate$i@lock$b
sync:Candidate$b@unlock$b:Candidate$i@unlock$b
sync:Candidate$i@finished:Watch@finished
";

fn tck(n: u32) -> String {
    let variables = each(VARIABLES, n).replace("$l", &(n - 1).to_string());
    let start = format!("system:leader_election_{n}\nevent:tau\nevent:finished\n");
    start + &variables + &each(CANDIDATE, n) + WATCH + &each(SYNC, n)
}
