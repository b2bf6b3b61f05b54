//! Dining philosophers who give up.

use super::{Family, each};

pub const FAMILY: Family = Family {
    name: "dining-philosophers",
    sizes: 2..=12,
    standard: &[5],
    large: &[6, 7],
    xta: include_str!("../../../../models/zones/dining-philosophers.xta"),
    tck,
};

const FORK: &str = "
event:take$i
event:put$i
process:Fork$i
location:Fork$i:free{initial:}
location:Fork$i:taken{}
edge:Fork$i:free:taken:take$i{}
edge:Fork$i:taken:free:put$i{}
";

const PHILOSOPHER: &str = "
process:Philosopher$i
clock:1:x$i
location:Philosopher$i:thinking{initial:}
location:Philosopher$i:hungry{invariant: x$i<=3 : labels: hungry$i}
location:Philosopher$i:eating{invariant: x$i<=10 : labels: eating$i}
location:Philosopher$i:clearing{invariant: x$i<=0}
edge:Philosopher$i:thinking:hungry:take$b{do: x$i=0}
edge:Philosopher$i:hungry:thinking:put$b{provided: x$i>=3}
edge:Philosopher$i:hungry:eating:take$i{provided: x$i<=3 : do: x$i=0}
edge:Philosopher$i:eating:clearing:put$i{provided: x$i>=10 : do: x$i=0}
edge:Philosopher$i:clearing:thinking:put$b{}
sync:Philosopher$i@take$b:Fork$b@take$b
sync:Philosopher$i@take$i:Fork$i@take$i
sync:Philosopher$i@put$b:Fork$b@put$b
sync:Philosopher$i@put$i:Fork$i@put$i
";

fn tck(n: u32) -> String {
    format!("system:dining_philosophers_{n}\nevent:tau\n") + &each(FORK, n) + &each(PHILOSOPHER, n)
}
