//! All operations of the language, in one model.

use model::operation::{self, Arith};
use syntax::ast::BinaryOp;

/// Returns a model with a guard and an update for each operation on integers: on two variables, on
/// one variable twice, and with a constant. Operations that are added to the language are included
/// automatically.
#[must_use]
pub fn operations() -> String {
    let infix = BinaryOp::each().filter(|op| Arith::of(*op).is_some()).flat_map(|op| {
        let pairs = [("a", "b"), ("b", "a"), ("a", "a"), ("a", "2"), ("-3", "b")];
        pairs.map(|(left, right)| format!("({left} {} {right})", op.text()))
    });
    let functions = operation::functions().flat_map(|name| ["a", "-b"].map(|of| format!("{name}({of})")));
    let minus = ["-a", "-b"].map(str::to_owned);
    let edges: Vec<String> = infix
        .chain(functions)
        .chain(minus)
        .map(|term| format!("L -> L {{ guard {term} > b; assign r = {term}, s = {term}; }}"))
        .collect();
    format!(
        "int[-3,4] a; int[-2,33] b; int32_t r; int[-8,40] s;\nprocess P() {{ state L; init L; trans\n{}; }}\nsystem P;\n",
        edges.join(",\n")
    )
}
