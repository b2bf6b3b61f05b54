//! The operators between expressions: their symbols and precedence. Lexer, parser and printer use
//! this table, so a new operator is a variant and a line of the table.

/// Operators between expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Imply,
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Ge,
    Gt,
    Min,
    Max,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

struct OperatorRow {
    op: BinaryOp,
    /// Its symbol.
    text: &'static str,
    /// Its precedence; higher ones bind tighter.
    precedence: u8,
    /// The symbol that combines it with an assignment.
    assigns: Option<&'static str>,
}

const fn row(op: BinaryOp, text: &'static str, precedence: u8, assigns: Option<&'static str>) -> OperatorRow {
    OperatorRow { op, text, precedence, assigns }
}

/// In the order of the variants. The levels are UTAP's, all of them left-associative. Note that
/// `or`, `xor` and `imply` share one: `a imply b or c` is `(a imply b) or c`.
const TABLE: [OperatorRow; 23] = [
    row(BinaryOp::Imply, "imply", 1, None),
    row(BinaryOp::Or, "||", 1, None),
    row(BinaryOp::Xor, "xor", 1, None),
    row(BinaryOp::And, "&&", 2, None),
    row(BinaryOp::BitOr, "|", 3, Some("|=")),
    row(BinaryOp::BitXor, "^", 4, Some("^=")),
    row(BinaryOp::BitAnd, "&", 5, Some("&=")),
    row(BinaryOp::Eq, "==", 6, None),
    row(BinaryOp::Ne, "!=", 6, None),
    row(BinaryOp::Lt, "<", 7, None),
    row(BinaryOp::Le, "<=", 7, None),
    row(BinaryOp::Ge, ">=", 7, None),
    row(BinaryOp::Gt, ">", 7, None),
    row(BinaryOp::Min, "<?", 8, None),
    row(BinaryOp::Max, ">?", 8, None),
    row(BinaryOp::Shl, "<<", 9, Some("<<=")),
    row(BinaryOp::Shr, ">>", 9, Some(">>=")),
    row(BinaryOp::Add, "+", 10, Some("+=")),
    row(BinaryOp::Sub, "-", 10, Some("-=")),
    row(BinaryOp::Mul, "*", 11, Some("*=")),
    row(BinaryOp::Div, "/", 11, Some("/=")),
    row(BinaryOp::Mod, "%", 11, Some("%=")),
    row(BinaryOp::Pow, "**", 12, None),
];

impl BinaryOp {
    /// Returns all operators.
    pub fn each() -> impl Iterator<Item = BinaryOp> {
        TABLE.iter().map(|row| row.op)
    }

    /// Returns whether it compares numbers.
    #[must_use]
    pub fn compares(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Ge | Gt)
    }

    /// Returns its precedence; higher ones bind tighter.
    #[must_use]
    pub(crate) fn precedence(self) -> u8 {
        TABLE[self as usize].precedence
    }

    /// Returns the symbol that the printer writes.
    #[must_use]
    pub fn text(self) -> &'static str {
        TABLE[self as usize].text
    }

    /// Returns the operator of a symbol.
    #[must_use]
    pub(crate) fn of_symbol(symbol: &str) -> Option<BinaryOp> {
        match symbol {
            "=<" => Some(BinaryOp::Le),
            "=>" => Some(BinaryOp::Ge),
            _ => TABLE.iter().find(|row| row.text == symbol).map(|row| row.op),
        }
    }

    /// Returns the operator that a symbol combines with an assignment.
    #[must_use]
    pub(crate) fn of_assignment(symbol: &str) -> Option<BinaryOp> {
        TABLE.iter().find(|row| row.assigns == Some(symbol)).map(|row| row.op)
    }

    /// Returns whether it can be combined with an assignment.
    #[must_use]
    pub fn assigns(self) -> bool {
        TABLE[self as usize].assigns.is_some()
    }

    /// Returns all symbols of operators that are not words.
    pub(crate) fn symbols() -> impl Iterator<Item = &'static str> {
        let texts = TABLE.iter().map(|row| row.text).filter(|text| !text.starts_with(char::is_alphabetic));
        texts.chain(TABLE.iter().filter_map(|row| row.assigns)).chain(["=<", "=>"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_variants() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, at, "{:?}", row.op);
        }
    }
}
