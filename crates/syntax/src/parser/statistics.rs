//! Parses statistical queries.

use super::{Parsed, Parser};
use crate::{
    ast::{
        BinaryOp, ExprId, ExprKind, PathFormula, PathQuery, QueryKind, RunBound, RunFilter, RunMeasure,
        StatisticalQuery,
    },
    diagnostic::Diagnostic,
    lexer::Token,
    names::Sym,
};

/// The feature of `Pr` with formulas of MITL that are not one path quantifier with an interval.
const MITL: &str = "nested formulas of MITL";

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
                let Some(path) = self.path_query()? else { return Ok(self.unsupported(MITL)) };
                match self.probability(path)? {
                    Some(query) => query,
                    None => return Ok(self.unsupported(MITL)),
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

    /// Parses `Pr[…](…)` or `Pr(<>[a, b] p)`. Returns `None` for other formulas of MITL.
    fn path_query(&mut self) -> Parsed<Option<PathQuery>> {
        self.advance();
        if self.is("[") {
            let bound = self.run_bound()?;
            self.expect("(")?;
            let path = self.path_formula()?;
            self.expect(")")?;
            return Ok(Some(PathQuery { bound, path }));
        }
        let parens = self.eat("(");
        let make = if self.eat("<>") {
            PathFormula::Finally
        } else if self.eat("[]") {
            PathFormula::Globally
        } else {
            return Ok(None);
        };
        self.expect("[")?;
        let from = self.expression()?;
        self.expect(",")?;
        let limit = self.expression()?;
        self.expect("]")?;
        if self.is("<>") || self.is("[]") || self.opens_path() {
            return Ok(None);
        }
        let p = self.expression()?;
        if parens && !self.is(")") {
            return Ok(None);
        }
        if parens {
            self.advance();
        }
        let bound = RunBound { measure: RunMeasure::TimeFrom(from), limit, runs: None };
        Ok(Some(PathQuery { bound, path: make(p) }))
    }

    /// Returns whether a path quantifier in parentheses starts here.
    fn opens_path(&self) -> bool {
        self.is("(") && (self.is_at(1, "<>") || self.is_at(1, "[]"))
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
            _ => return Err(self.unexpected("`U`")),
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
            self.expect("<=")?;
            (RunMeasure::Steps, self.expression()?)
        } else {
            let bound = self.expression()?;
            match self.tree.kind(bound) {
                ExprKind::Binary(BinaryOp::Le, clock, limit) => (RunMeasure::Clock(clock), limit),
                _ => {
                    let d = Diagnostic::error("syntax", self.tree.span(bound), "this does not bound runs")
                        .help("write `<= T` for time, `x <= T` for a clock, or `# <= N` for transitions");
                    return Err(self.fail(d));
                }
            }
        };
        let runs = if self.eat(";") { Some(self.expression()?) } else { None };
        self.expect("]")?;
        Ok(RunBound { measure, limit, runs })
    }

    fn mean(&mut self) -> Parsed<StatisticalQuery> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect("(")?;
        let maximum = match self.peek() {
            Token::Name(sym) if self.tree.text(sym) == "max" => true,
            Token::Name(sym) if self.tree.text(sym) == "min" => false,
            _ => return Err(self.unexpected("`max:` or `min:`")),
        };
        self.advance();
        self.expect(":")?;
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
        self.expect("{")?;
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

    /// Returns the kind of a query, its problems, and how it is printed.
    fn read(text: &str) -> (QueryKind, String, String) {
        let mut sources = Sources::new();
        let file = sources.add_file("m.q", text.to_owned());
        let mut tree = Tree::default();
        let query = read_query(&sources, file, &mut tree).swap_remove(0);
        let problems: Vec<String> = query.problems.iter().map(|d| d.message.clone()).collect();
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
            ("Pr(<>[0,5] ([][0,1] P.a))", "nested formulas of MITL"),
            ("Pr(P.a U[0,3] P.b)", "nested formulas of MITL"),
            ("Pr[<=10](<> P.a) under S", "games and strategies"),
            ("Pmax[<=10](<> P.a)", "games and strategies"),
        ] {
            assert_eq!(read(text).0, QueryKind::Unsupported(feature), "{text}");
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, message) in [
            ("Pr[<10](<> P.a)", "unexpected `<`"),
            ("Pr[T](<> P.a)", "this does not bound runs"),
            ("Pr[<=10](P.a)", "expected `U`"),
            ("E[<=10](avg: x)", "expected `max:` or `min:`"),
            ("simulate[<=10](x)", "expected `{`"),
            ("Pr[<=10]<> P.a", "expected `(`"),
        ] {
            let (kind, problems, _) = read(text);
            assert!(problems.contains(message), "{text}: {problems}");
            assert_eq!(kind, QueryKind::Wrong, "{text}");
        }
    }
}
