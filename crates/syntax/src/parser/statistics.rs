//! Parses statistical queries.

use super::{Parsed, Parser, Reported};
use crate::{
    ast::{
        BinaryOp, ExprId, ExprKind, PathFormula, PathQuery, QueryKind, RunBound, RunFilter, RunMeasure,
        StatisticalQuery, TimedFormula, TimedInterval,
    },
    diagnostic::Diagnostic,
    lexer::{Key, Token},
    names::Sym,
};

/// The limit on operators of a formula with intervals.
const MAX_OPERATORS: usize = 500;

/// The feature of `Pr` with formulas about the next transition, which may be at any time.
const NEXT: &str = "the next state in formulas of MITL";

const BOUNDS: &str = "write `<= T` for time, `x <= T` for a clock, or `# <= N` for transitions";
const PATHS: &str = "the property is in parentheses: `(<> p)`, `([] p)` or `(p U q)`";
const INTERVALS: &str = "write `Pr[<=T](<> p)`, or when it has to be: `Pr(<>[a,b] p)`";
const TESTS: &str = "a test says whether a probability is at least (`>=`) or at most (`<=`) that";
const MEANS: &str = "write `E[<=T; N](max: e)` or `E[<=T; N](min: e)`";

impl Parser<'_> {
    /// Returns whether a statistical query starts with this word.
    pub(super) fn begins_statistics(&self, sym: Sym) -> bool {
        match self.tree.text(sym) {
            "Pr" => self.is_at(1, "[") || self.is_at(1, "(") || self.is_at(1, "<>") || self.is_at(1, "[]"),
            "simulate" => self.is_at(1, "[") || matches!(self.peek_at(1), Token::Int(_)),
            "E" => self.is_at(1, "["),
            _ => false,
        }
    }

    /// Parses a query that starts with `Pr`, `E` or `simulate`.
    pub(super) fn statistical(&mut self) -> Parsed<QueryKind> {
        let Token::Name(sym) = self.peek() else { return Err(self.unexpected("a statistical query")) };
        let query = match self.tree.text(sym) {
            "Pr" => {
                let Some(path) = self.path_query()? else { return Ok(self.unsupported(NEXT)) };
                match self.probability(path)? {
                    Some(query) => query,
                    None => return Ok(self.unsupported(NEXT)),
                }
            }
            "E" => self.mean()?,
            _ => self.simulation()?,
        };
        Ok(QueryKind::Statistical(Box::new(query)))
    }

    /// Parses what may follow the path of `Pr`: a comparison with a number or another probability.
    fn probability(&mut self, path: PathQuery) -> Parsed<Option<StatisticalQuery>> {
        let at_least = if self.eat(">=") {
            true
        } else if self.eat("<=") {
            false
        } else if [">", "<", "=="].into_iter().any(|sign| self.is(sign)) {
            return Err(self.malformed("`>=` or `<=`", TESTS));
        } else {
            return Ok(Some(StatisticalQuery::Probability(path)));
        };
        if let Token::Name(sym) = self.peek()
            && self.tree.text(sym) == "Pr"
            && self.begins_statistics(sym)
        {
            let Some(other) = self.path_query()? else { return Ok(None) };
            return Ok(Some(if at_least {
                StatisticalQuery::Comparison(path, other)
            } else {
                StatisticalQuery::Comparison(other, path)
            }));
        }
        let threshold = self.expression()?;
        Ok(Some(StatisticalQuery::Threshold { path, at_least, threshold }))
    }

    /// Parses `Pr[…](…)` or `Pr` with a formula of MITL. Returns `None` for what is not built.
    fn path_query(&mut self) -> Parsed<Option<PathQuery>> {
        self.advance();
        if self.is("[") {
            let bound = self.run_bound()?;
            self.expect_in("(", PATHS)?;
            let path = self.path_formula()?;
            self.expect(")")?;
            return Ok(Some(PathQuery { bound, path }));
        }
        if self.has_temporal(self.is("("), true) {
            return Ok(None);
        }
        let formula = self.timed_formula()?;
        let (bound, path) = match formula {
            TimedFormula::Finally([from, limit], inner) if matches!(*inner, TimedFormula::State(_)) => {
                let TimedFormula::State(p) = *inner else { return Ok(None) };
                (RunBound { measure: RunMeasure::TimeFrom(from), limit, runs: None }, PathFormula::Finally(p))
            }
            TimedFormula::Globally([from, limit], inner) if matches!(*inner, TimedFormula::State(_)) => {
                let TimedFormula::State(p) = *inner else { return Ok(None) };
                (RunBound { measure: RunMeasure::TimeFrom(from), limit, runs: None }, PathFormula::Globally(p))
            }
            formula => {
                let limit = self.horizon(&formula)?;
                let bound = RunBound { measure: RunMeasure::Time, limit, runs: None };
                (bound, PathFormula::Timed(Box::new(formula)))
            }
        };
        Ok(Some(PathQuery { bound, path }))
    }

    /// Returns whether there is a temporal operator from here on: in the parentheses that open here
    /// if `group`, or up to those that close here. With `next`, it is `X`.
    fn has_temporal(&self, group: bool, next: bool) -> bool {
        let mut depth = 0;
        for ahead in 0.. {
            let found = match self.peek_at(ahead) {
                Token::End => return false,
                Token::Sym("(") => {
                    depth += 1;
                    false
                }
                Token::Sym(")") => {
                    depth -= 1;
                    if depth < i32::from(group) {
                        return false;
                    }
                    false
                }
                Token::Sym("<>" | "[]") => !next,
                Token::Name(sym) => match self.tree.text(sym) {
                    "U" | "R" => !next && self.is_at(ahead + 1, "["),
                    "X" => next && matches!(self.peek_at(ahead + 1), Token::Sym("(" | "<>" | "[]") | Token::Name(_)),
                    _ => false,
                },
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }

    /// Parses a formula of MITL. Its operators bind less than those between expressions.
    fn timed_formula(&mut self) -> Parsed<TimedFormula> {
        if !self.has_temporal(false, false) {
            return Ok(TimedFormula::State(self.expression()?));
        }
        let mut left = self.timed_conjunction()?;
        while self.eat("||") || self.eat_key(Key::Or) {
            let right = self.timed_conjunction()?;
            left = match (left, right) {
                (TimedFormula::State(a), TimedFormula::State(b)) => self.joined(BinaryOp::Or, a, b)?,
                (a, b) => self.limited(TimedFormula::Or(Box::new([a, b])))?,
            };
        }
        let until = match self.peek() {
            Token::Name(sym) if self.is_at(1, "[") => match self.tree.text(sym) {
                "U" => true,
                "R" => false,
                _ => return Ok(left),
            },
            _ => return Ok(left),
        };
        self.advance();
        let interval = self.timed_interval()?;
        let parts = Box::new([left, self.nested(Parser::timed_formula)?]);
        let join = if until { TimedFormula::Until } else { TimedFormula::Release };
        self.limited(join(interval, parts))
    }

    fn timed_conjunction(&mut self) -> Parsed<TimedFormula> {
        let mut left = self.timed_operand()?;
        while self.eat("&&") || self.eat_key(Key::And) {
            let right = self.timed_operand()?;
            left = match (left, right) {
                (TimedFormula::State(a), TimedFormula::State(b)) => self.joined(BinaryOp::And, a, b)?,
                (a, b) => self.limited(TimedFormula::And(Box::new([a, b])))?,
            };
        }
        Ok(left)
    }

    /// Refuses formulas that are too large for what works on them.
    fn limited(&mut self, formula: TimedFormula) -> Parsed<TimedFormula> {
        if formula.operators() <= MAX_OPERATORS {
            return Ok(formula);
        }
        let message = format!("a formula with more than {MAX_OPERATORS} operators");
        let d = Diagnostic::error("too-large", self.span(), message);
        Err(self.fail(d))
    }

    /// Joins conditions on the same state.
    fn joined(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Parsed<TimedFormula> {
        let span = self.tree.span(a).to(self.tree.span(b));
        Ok(TimedFormula::State(self.expr(ExprKind::Binary(op, a, b), span)?))
    }

    fn timed_operand(&mut self) -> Parsed<TimedFormula> {
        if self.eat("<>") {
            let interval = self.timed_interval()?;
            let inner = self.nested(Parser::timed_formula)?;
            return self.limited(TimedFormula::Finally(interval, Box::new(inner)));
        }
        if self.eat("[]") {
            let interval = self.timed_interval()?;
            let inner = self.nested(Parser::timed_formula)?;
            return self.limited(TimedFormula::Globally(interval, Box::new(inner)));
        }
        if self.is("(") && self.has_temporal(true, false) {
            self.advance();
            let inner = self.nested(Parser::timed_formula)?;
            self.expect(")")?;
            return Ok(inner);
        }
        // Conjunctions are formulas.
        let least = BinaryOp::And.precedence() + 1;
        Ok(TimedFormula::State(self.binary(least)?))
    }

    fn timed_interval(&mut self) -> Parsed<TimedInterval> {
        self.expect_in("[", INTERVALS)?;
        let from = self.expression()?;
        self.expect(",")?;
        let to = self.expression()?;
        self.expect("]")?;
        Ok([from, to])
    }

    /// Returns the time after which the truth of a formula is known.
    fn horizon(&mut self, formula: &TimedFormula) -> Parsed<ExprId> {
        let (bound, parts): (Option<ExprId>, &[TimedFormula]) = match formula {
            TimedFormula::State(e) => return self.expr(ExprKind::Int(0), self.tree.span(*e)),
            TimedFormula::And(parts) | TimedFormula::Or(parts) => (None, &**parts),
            TimedFormula::Finally([_, to], inner) | TimedFormula::Globally([_, to], inner) => {
                (Some(*to), std::slice::from_ref(&**inner))
            }
            TimedFormula::Until([_, to], parts) | TimedFormula::Release([_, to], parts) => (Some(*to), &**parts),
        };
        let mut longest = self.horizon(&parts[0])?;
        for part in &parts[1..] {
            let other = self.horizon(part)?;
            let span = self.tree.span(other);
            longest = self.expr(ExprKind::Binary(BinaryOp::Max, longest, other), span)?;
        }
        match bound {
            Some(bound) => self.expr(ExprKind::Binary(BinaryOp::Add, bound, longest), self.tree.span(bound)),
            None => Ok(longest),
        }
    }

    fn path_formula(&mut self) -> Parsed<PathFormula> {
        if self.eat("<>") {
            return Ok(PathFormula::Finally(self.expression()?));
        }
        if self.eat("[]") {
            return Ok(PathFormula::Globally(self.expression()?));
        }
        let p = self.expression()?;
        match self.peek() {
            Token::Name(sym) if self.tree.text(sym) == "U" => self.advance(),
            _ => return Err(self.malformed("`U`", PATHS)),
        };
        let q = self.expression()?;
        Ok(PathFormula::Until(p, q))
    }

    /// Parses `[<= T]`, `[x <= T]` or `[# <= N]`, perhaps with `; N` before the bracket.
    fn run_bound(&mut self) -> Parsed<RunBound> {
        self.expect("[")?;
        let (measure, limit) = if self.eat("<=") {
            (RunMeasure::Time, self.expression()?)
        } else if self.eat("#") {
            if !self.eat("<=") {
                return Err(self.malformed("`<=`", BOUNDS));
            }
            (RunMeasure::Steps, self.expression()?)
        } else if ["<", ">", ">=", "=="].into_iter().any(|sign| self.is(sign)) {
            return Err(self.malformed("`<=`", BOUNDS));
        } else {
            let bound = self.expression()?;
            match self.tree.kind(bound) {
                ExprKind::Binary(BinaryOp::Le, clock, limit) => (RunMeasure::Clock(clock), limit),
                _ => {
                    let d = Diagnostic::error("syntax", self.tree.span(bound), "this does not bound runs").help(BOUNDS);
                    return Err(self.fail(d));
                }
            }
        };
        let runs = if self.eat(";") { Some(self.expression()?) } else { None };
        self.expect("]")?;
        Ok(RunBound { measure, limit, runs })
    }

    /// Expects a symbol, where a mistake in the form of the query is likely.
    fn expect_in(&mut self, symbol: &str, form: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.malformed(&format!("`{symbol}`"), form)) }
    }

    /// Reports that something else is expected, and shows the form of such queries.
    fn malformed(&mut self, expected: &str, form: &str) -> Reported {
        let found = self.describe(self.peek());
        let d = Diagnostic::error("syntax", self.span(), format!("unexpected {found}, expected {expected}"))
            .label(format!("expected {expected}"))
            .help(form);
        self.fail(d)
    }

    fn mean(&mut self) -> Parsed<StatisticalQuery> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect_in("(", MEANS)?;
        let maximum = match self.peek() {
            Token::Name(sym) if self.tree.text(sym) == "max" => true,
            Token::Name(sym) if self.tree.text(sym) == "min" => false,
            _ => return Err(self.malformed("`max:` or `min:`", MEANS)),
        };
        self.advance();
        self.expect_in(":", MEANS)?;
        let value = self.expression()?;
        self.expect(")")?;
        Ok(StatisticalQuery::Mean { bound, maximum, value })
    }

    /// Parses `simulate[…]{…}`, or `simulate N […]{…}` of older versions.
    fn simulation(&mut self) -> Parsed<StatisticalQuery> {
        self.advance();
        let before = if self.is("[") { None } else { Some(self.expression_number()?) };
        let bound = self.run_bound()?;
        let bound = RunBound { runs: bound.runs.or(before), ..bound };
        self.expect_in("{", "write `simulate[<=T; N]{e, f}`")?;
        let values = self.expressions()?;
        self.expect("}")?;
        let filter = if self.eat(":") { Some(self.run_filter()?) } else { None };
        Ok(StatisticalQuery::Simulation { bound, values, filter })
    }

    fn run_filter(&mut self) -> Parsed<RunFilter> {
        let first = self.expression()?;
        if self.eat(":") {
            return Ok(RunFilter { runs: Some(first), condition: self.expression()? });
        }
        Ok(RunFilter { runs: None, condition: first })
    }

    /// Parses a number before a bracket, which would otherwise be an index.
    fn expression_number(&mut self) -> Parsed<ExprId> {
        match self.peek() {
            Token::Int(number) => {
                let span = self.advance().span;
                self.expr(ExprKind::Int(number), span)
            }
            _ => Err(self.unexpected("the number of runs")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Sources, Tree, ast::QueryKind, print, read_query};

    /// Returns the kind of a query, its problems with help, and how it is printed.
    fn read(text: &str) -> (QueryKind, String, String) {
        let mut sources = Sources::new();
        let file = sources.add_file("m.q", text.to_owned());
        let mut tree = Tree::default();
        let query = read_query(&sources, file, &mut tree).swap_remove(0);
        let told = query.problems.iter().flat_map(|d| std::iter::once(&d.message).chain(&d.help));
        let problems: Vec<String> = told.cloned().collect();
        let printed = print::query(&tree, &query);
        (query.kind, problems.join("; "), printed)
    }

    #[test]
    fn queries_are_printed_as_they_are_read() {
        for text in [
            "Pr[<=100](<> P.a)",
            "Pr[<=T; 1000]([] x <= 3)",
            "Pr[cost<=10](P.a U P.b && n == 1)",
            "Pr[#<=20](<> P.a)",
            "Pr(<>[2,5] P.a)",
            "Pr([][0,3] n >= 0)",
            "Pr(<>[0,5] [][0,1] P.a)",
            "Pr(P.a U[0,3] P.b)",
            "Pr([][0,10] (!P.a || (<>[0,2] P.b)))",
            "Pr(<>[1,2] (P.a && (n == 1 R[0,3] x < 5)))",
            "Pr((<>[1,2] P.a) && P.b)",
            "Pr([][0,9] <>[0,2] P.a) >= 0.5",
            "Pr[<=100](<> P.a) >= 0.9",
            "Pr[<=100](<> P.a) <= 0.5",
            "Pr[<=1](<> P.a) >= Pr[<=2](<> P.b)",
            "E[<=10; 100](max: n + m)",
            "E[c<=10; 100](min: x)",
            "simulate[<=10]{x, n}",
            "simulate[<=10; 5]{x, n} : P.a",
            "simulate[#<=10; 5]{x} : 2 : P.a && n > 1",
        ] {
            let (kind, problems, printed) = read(text);
            assert_eq!((problems.as_str(), printed.as_str()), ("", text));
            assert!(matches!(kind, QueryKind::Statistical(_)), "{text}");
        }
    }

    #[test]
    fn other_forms_mean_the_same() {
        for (text, meaning) in [
            ("simulate 5 [<=10] {x}", "simulate[<=10; 5]{x}"),
            ("Pr [ <= 10 ] ( <> (P.a) )", "Pr[<=10](<> P.a)"),
            ("Pr[<=1](<> P.a) <= Pr[<=2](<> P.b)", "Pr[<=2](<> P.b) >= Pr[<=1](<> P.a)"),
            ("Pr <>[1,2] P.a", "Pr(<>[1,2] P.a)"),
        ] {
            let (_, problems, printed) = read(text);
            assert_eq!((problems.as_str(), printed.as_str()), ("", meaning));
        }
    }

    #[test]
    fn what_is_not_built_is_named() {
        for (text, feature) in [
            ("Pr(X P.a)", "the next state in formulas of MITL"),
            ("Pr(<>[0,5] (X P.a))", "the next state in formulas of MITL"),
            ("Pr[<=10](<> P.a) under S", "games and strategies"),
            ("Pmax[<=10](<> P.a)", "games and strategies"),
        ] {
            assert_eq!(read(text).0, QueryKind::Unsupported(feature), "{text}");
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, message) in [
            ("Pr[<10](<> P.a)", "unexpected `<`, expected `<=`; write `<= T` for time"),
            ("Pr[#<10](<> P.a)", "unexpected `<`, expected `<=`; write `<= T` for time"),
            ("E[>=10](max: x)", "unexpected `>=`, expected `<=`; write `<= T` for time"),
            ("Pr[x<10](<> P.a)", "this does not bound runs; write `<= T` for time"),
            ("Pr[T](<> P.a)", "this does not bound runs"),
            ("Pr[<=10](P.a)", "unexpected `)`, expected `U`; the property is in parentheses: `(<> p)`"),
            ("E[<=10](avg: x)", "expected `max:` or `min:`; write `E[<=T; N](max: e)`"),
            ("E[<=10](x)", "expected `max:` or `min:`; write `E[<=T; N](max: e)`"),
            ("simulate[<=10](x)", "expected `{`; write `simulate[<=T; N]{e, f}`"),
            ("Pr[<=10]<> P.a", "expected `(`; the property is in parentheses"),
            ("Pr[<=10](<> P.a) > 0.5", "unexpected `>`, expected `>=` or `<=`; a test says whether"),
            ("Pr(<> P.a)", "expected `[`; write `Pr[<=T](<> p)`, or when it has to be: `Pr(<>[a,b] p)`"),
        ] {
            let (kind, problems, _) = read(text);
            assert!(problems.contains(message), "{text}: {problems}");
            assert_eq!(kind, QueryKind::Wrong, "{text}");
        }
    }
}
