//! Single sign-on with several servers.

use super::{Family, each};

pub const FAMILY: Family = Family {
    name: "corsso",
    sizes: 1..=8,
    standard: &[2],
    large: &[3, 4],
    xta: include_str!("../../../../models/zones/corsso.xta"),
    tck,
};

const USER: &str = "
process:User$i
clock:1:step$i
clock:1:total$i
int:1:0:3:0:collected$i
int:1:0:3:0:policy$i
location:User$i:asking{initial:}
location:User$i:inside{labels: inside$i}
edge:User$i:asking:asking:tau{provided: policy$i>0 && step$i>2 && collected$i<2 : do: collected$i=collected$i+1; step$i=0}
edge:User$i:asking:asking:tau{provided: policy$i==0 : do: policy$i=1; collected$i=0; step$i=0; total$i=0}
edge:User$i:asking:asking:tau{provided: policy$i==0 : do: policy$i=2; collected$i=0; step$i=0; total$i=0}
edge:User$i:asking:inside:tau{provided: total$i<10 && policy$i==1 && collected$i>=1}
edge:User$i:asking:inside:tau{provided: total$i<10 && policy$i==2 && collected$i>=2}
edge:User$i:inside:asking:tau{do: policy$i=0}
";

fn tck(n: u32) -> String {
    format!("system:corsso_{n}\nevent:tau\n") + &each(USER, n)
}
