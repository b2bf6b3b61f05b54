//! Unique symbols that every solver can read.

use rustc_hash::FxHashSet;

/// Reserved words of SMT-LIB or of some solver. Quoting does not help: `|and|` is `and`.
const RESERVED: &[&str] = &[
    "_",
    "!",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "ite",
    "if",
    "iff",
    "implies",
    "distinct",
    "Bool",
    "Real",
    "Int",
    "Array",
    "String",
    "BitVec",
    "RoundingMode",
    "select",
    "store",
    "abs",
    "div",
    "mod",
    "rem",
    "to_real",
    "to_int",
    "is_int",
    "divisible",
    "assert",
    "check",
    "check-sat",
    "declare-fun",
    "define-fun",
    "push",
    "pop",
    "exit",
    "reset",
    "echo",
    "bv",
    "concat",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "exp",
    "sin",
    "cos",
    "tan",
    "pi",
    "sat",
    "unsat",
    "unknown",
    "error",
    "success",
    "update",
    "tuple",
    "mk",
    "lambda",
    "const",
    "map",
    "set",
    "seq",
    "re",
    "str",
    "fp",
];

/// The set of used symbols.
#[derive(Clone, Debug)]
pub(super) struct SymbolNames {
    used: FxHashSet<String>,
}

impl Default for SymbolNames {
    fn default() -> SymbolNames {
        SymbolNames { used: RESERVED.iter().map(|word| (*word).to_owned()).collect() }
    }
}

impl SymbolNames {
    /// Returns an unused symbol for a name, quoted if necessary.
    pub(super) fn unique(&mut self, wish: &str) -> String {
        let clean: String =
            wish.chars().map(|c| if matches!(c, '|' | '\\') || !matches!(c, ' '..='~') { '_' } else { c }).collect();
        let mut name = if clean.is_empty() { "_1".to_owned() } else { clean.clone() };
        let mut number = 2;
        while !self.used.insert(name.clone()) {
            name = format!("{clean}_{number}");
            number += 1;
        }
        let simple = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if simple { name } else { format!("|{name}|") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_unique() {
        let mut names = SymbolNames::default();
        let mut given: Vec<String> = Vec::new();
        for wish in ["x", "x", "x_2", "1st", "a b", "and", "p|q", "p_q", "", "Grüße", "P.x"] {
            given.push(names.unique(wish));
        }
        let expected = ["x", "x_2", "x_2_2", "|1st|", "|a b|", "and_2", "p_q", "p_q_2", "_1", "Gr__e", "|P.x|"];
        assert_eq!(given, expected);
    }
}
