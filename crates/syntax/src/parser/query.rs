//! Parses queries.

use super::{Parsed, Parser};
use crate::problems::Reported;
use crate::{
    ast::{ExprId, List, Query, QueryKind, RecordedResult, Tree},
    diagnostic::Diagnostic,
    lexer::{Comment, Dialect, Token},
    names::{Sym, word},
    net,
    source::Fragment,
};

/// The arrangement of queries in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryLayout {
    /// One query per line, as in `.q` files.
    Lines,
    /// One query, as in an XML formula.
    Whole,
    /// The whole text is the list of expressions after `sup:`, without these words: an option of
    /// the command line has a value.
    Values,
}

/// Parses the queries of a fragment. The expressions go into `tree`; the queries are returned, so
/// that the caller decides whether they belong to the model.
pub(crate) fn parse_queries(tree: &mut Tree, fragment: &Fragment, layout: QueryLayout) -> Vec<Query> {
    let (first_comment, first_expression) = (tree.comments.len(), tree.exprs.len() as u32);
    let mut diagnostics = Vec::new();
    let mut parser = Parser::new(tree, &mut diagnostics, fragment, Dialect::Query);
    if layout != QueryLayout::Lines {
        parser.tokens.retain(|l| l.token != Token::Newline);
    }
    let mut queries = Vec::new();
    loop {
        while parser.peek() == Token::Newline {
            parser.advance();
        }
        if parser.at_end() {
            break;
        }
        let (start, first) = (parser.span(), parser.at);
        let read = if layout == QueryLayout::Values { Parser::values } else { Parser::property };
        let kind = read(&mut parser).and_then(|kind| {
            // `p under s`: the query depends on a strategy.
            let kind = if parser.peek() == Token::Name(word::UNDER) { parser.unsupported(GAMES) } else { kind };
            parser.end_of_property().map(|()| kind)
        });
        let kind = kind.unwrap_or_else(|Reported| {
            while !matches!(parser.peek(), Token::Newline | Token::End) {
                parser.advance();
            }
            QueryKind::Wrong
        });
        let span = parser.since(start);
        let from = (span.start - fragment.span().start) as usize;
        let to = (span.end - fragment.span().start) as usize;
        let text = fragment.text()[from..to].trim().to_owned();
        let unread = matches!(kind, QueryKind::Unsupported(_) | QueryKind::Wrong);
        let names = if unread { parser.names_since(first) } else { Vec::new() };
        queries.push(Query { names, ..Query::new(text, kind, span) });
    }
    net::resolve(tree, first_expression, &mut diagnostics);
    attach_problems(&mut queries, diagnostics, fragment);
    let comments: Vec<Comment> = tree.comments.drain(first_comment..).collect();
    if queries.is_empty() && layout == QueryLayout::Whole && !comments.is_empty() {
        queries.push(Query::new(String::new(), QueryKind::Empty, fragment.span().after()));
    }
    name(&mut queries, &comments, fragment, layout);
    tree.comments.extend(attach_comments(&mut queries, comments, fragment));
    queries
}

/// Attaches each problem to the query that contains it, or to the last one before it.
fn attach_problems(queries: &mut Vec<Query>, problems: Vec<Diagnostic>, fragment: &Fragment) {
    for problem in problems {
        let owner = queries.iter().rposition(|q| q.span.start <= problem.primary.span.start).unwrap_or(0);
        if queries.is_empty() {
            queries.push(Query::new(fragment.text().trim().to_owned(), QueryKind::Wrong, fragment.span()));
        }
        queries[owner].kind = QueryKind::Wrong;
        queries[owner].problems.push(problem);
    }
}

/// Names queries by their comments: those directly before a query, without an empty line between
/// them, or else the one after it on its last line. If the whole text is one query, all comments
/// name it.
fn name(queries: &mut [Query], comments: &[Comment], fragment: &Fragment, layout: QueryLayout) {
    let names = |comment: &&Comment| !comment.content().contains("EXPECT:");
    let mut first = 0;
    for query in queries {
        let before = comments.partition_point(|c| c.span.end <= query.span.start);
        let before = comments.get(first..before).unwrap_or_default();
        let following = &comments[comments.partition_point(|c| c.span.start < query.span.end)..];
        let mut found: Vec<&Comment> = Vec::new();
        if layout == QueryLayout::Whole {
            found.extend(before.iter().chain(following));
        } else {
            let mut next = query.span.start;
            for comment in before.iter().rev() {
                if lines_between(fragment, comment.span.end, next) > 1 {
                    break;
                }
                found.insert(0, comment);
                next = comment.span.start;
            }
            let beside = following.first().filter(|c| lines_between(fragment, query.span.end, c.span.start) == 0);
            first = comments.len() - following.len() + beside.iter().len();
            if !found.iter().any(names) {
                found.extend(beside);
            }
        }
        let texts: Vec<&str> = found.into_iter().filter(names).map(Comment::content).collect();
        query.name = on_one_line(&texts.join("\n"));
    }
}

/// Returns a comment without line breaks, and without leading stars of its lines.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches('*'));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Counts the line breaks between two offsets.
fn lines_between(fragment: &Fragment, from: u32, to: u32) -> usize {
    let start = fragment.span().start;
    let between = fragment.text().get((from - start) as usize..(to - start) as usize);
    between.unwrap_or("").matches('\n').count()
}

/// Attaches comments to queries: each belongs to the query that ends on its line, or to the next
/// one, or to the last one; `EXPECT:` refers to the query before it. Comments inside a query are
/// part of its text. Returns the comments of a text without queries.
fn attach_comments(queries: &mut [Query], comments: Vec<Comment>, fragment: &Fragment) -> Vec<Comment> {
    let mut left = Vec::new();
    for comment in comments {
        let next = queries.partition_point(|q| q.span.start < comment.span.end);
        if next.checked_sub(1).is_some_and(|i| comment.span.end <= queries[i].span.end) {
            continue;
        }
        if let Some((remark, expectation)) = comment.content().split_once("EXPECT:")
            && let Some(before) = next.checked_sub(1).map(|i| &mut queries[i])
            && before.expect.is_none()
        {
            let expectation = expectation.trim_start();
            let end = expectation.find(|c: char| c.is_whitespace() || c == '*').unwrap_or(expectation.len());
            let details = format!("{remark}{}", &expectation[end..]).trim().to_owned();
            let outcome = expectation[..end].to_owned();
            before.expect = Some(RecordedResult { outcome, details, ..RecordedResult::default() });
            continue;
        }
        let beside =
            next.checked_sub(1).filter(|i| lines_between(fragment, queries[*i].span.end, comment.span.start) == 0);
        let owner = beside.unwrap_or(next).min(queries.len().saturating_sub(1));
        let Some(query) = queries.get_mut(owner) else {
            left.push(comment);
            continue;
        };
        if !query.comment.is_empty() {
            query.comment.push('\n');
        }
        query.comment.push_str(comment.content());
    }
    left
}

const GAMES: &str = "games and strategies";

impl Parser<'_> {
    fn property(&mut self) -> Parsed<QueryKind> {
        let token = self.peek();
        if let Token::Sym(path @ ("A[]" | "E<>" | "E[]" | "A<>")) = token {
            self.advance();
            if let Token::Name(sym) = self.peek()
                && self.tree.text(sym) == "control"
                && self.is_at(1, ":")
            {
                return Ok(self.unsupported(GAMES));
            }
            if matches!(self.peek(), Token::Newline | Token::End) {
                return Err(self.unexpected("a state formula"));
            }
            // The nested paths that one maximal run decides.
            let nested = match path {
                "A[]" => self.eat("A<>"),
                "E<>" => self.eat("E[]"),
                _ => false,
            };
            let p = self.state_formula()?;
            return Ok(match path {
                "A[]" if nested => QueryKind::InfinitelyOften(p),
                "E<>" if nested => QueryKind::FinallyAlways(p),
                "A[]" => QueryKind::Invariantly(p),
                "E<>" => QueryKind::Possibly(p),
                "E[]" => QueryKind::PotentiallyAlways(p),
                _ => QueryKind::Eventually(p),
            });
        }
        if let Some(failed) = self.foreign_path() {
            return Err(failed);
        }
        if let Token::Name(sym) = token {
            if self.begins_statistics(sym) {
                return self.statistical();
            }
            if let Some(feature) = self.foreign_query(sym) {
                return Ok(self.unsupported(feature));
            }
            let bound = self.is_at(1, ":") || self.is_at(1, "{");
            match sym {
                word::SUP if bound => return self.bound(QueryKind::Sup),
                word::INF if bound => return self.bound(QueryKind::Inf),
                word::BOUNDS if bound => return self.bound(QueryKind::Bounds),
                _ => {}
            }
        }
        if matches!(token, Token::Sym("{")) {
            return Ok(self.unsupported(GAMES));
        }
        let (start, first) = (self.span(), self.at);
        let p = self.state_formula()?;
        if self.eat("-->") {
            let q = self.state_formula()?;
            return Ok(QueryKind::LeadsTo(p, q));
        }
        if matches!(self.peek(), Token::Newline | Token::End) {
            let (span, help) = (self.since(start), self.missing_quantifier_help(first));
            let d = Diagnostic::error("syntax", span, "a state formula alone is not a query").help(help);
            return Err(self.fail(d));
        }
        Err(self.unexpected("`-->` or the end of the query"))
    }

    /// Returns the feature of a query of UPPAAL's other branches, by its first word.
    fn foreign_query(&self, sym: Sym) -> Option<&'static str> {
        let opens = |s: &str| self.is_at(1, s);
        match self.tree.text(sym) {
            "Pmax" => Some(GAMES),
            "A" if opens("[") => Some("until properties of games"),
            "control" if opens(":") => Some(GAMES),
            "control_t" if opens("*") || opens("(") || opens(":") => Some(GAMES),
            "minE" | "maxE" | "minPr" | "maxPr" if opens("(") || opens("[") => Some(GAMES),
            "strategy" | "loadStrategy" | "saveStrategy" => Some(GAMES),
            "sat" if opens(":") => Some("live sequence charts"),
            _ => None,
        }
    }

    pub(super) fn unsupported(&mut self, feature: &'static str) -> QueryKind {
        while !matches!(self.peek(), Token::Newline | Token::End) {
            self.advance();
        }
        QueryKind::Unsupported(feature)
    }

    /// Returns the names from token `first` to here.
    pub(super) fn names_since(&self, first: usize) -> Vec<Sym> {
        let names = self.tokens[first..self.at].iter();
        names.filter_map(|lexeme| if let Token::Name(sym) = lexeme.token { Some(sym) } else { None }).collect()
    }

    fn state_formula(&mut self) -> Parsed<ExprId> {
        let e = self.expression()?;
        if let Token::Sym("A[]" | "E<>" | "E[]" | "A<>") = self.peek() {
            return Err(self.nested_path());
        }
        Ok(e)
    }

    pub(super) fn nested_path(&mut self) -> Reported {
        let span = self.span();
        self.fail(
            Diagnostic::error("syntax", span, "path quantifiers can't be nested")
                .help("except `A[] A<> p` and `E<> E[] p`; `p --> q` stands for `A[] (p imply A<> q)`"),
        )
    }

    fn bound(&mut self, make: fn(Option<ExprId>, List) -> QueryKind) -> Parsed<QueryKind> {
        self.advance();
        let predicate = if self.eat("{") {
            let p = self.expression()?;
            self.expect("}")?;
            Some(p)
        } else {
            None
        };
        self.expect(":")?;
        Ok(make(predicate, self.expressions()?))
    }

    fn values(&mut self) -> Parsed<QueryKind> {
        Ok(QueryKind::Sup(None, self.expressions()?))
    }

    pub(super) fn expressions(&mut self) -> Parsed<List> {
        let mut items = Vec::new();
        loop {
            items.push(self.expression()?);
            if !self.eat(",") {
                return Ok(self.list(&items));
            }
        }
    }

    fn end_of_property(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::Newline | Token::End => Ok(()),
            Token::Sym("A[]" | "E<>" | "E[]" | "A<>") => Err(self.nested_path()),
            Token::Sym(";") => {
                let span = self.span();
                Err(self.fail(Diagnostic::error("syntax", span, "unexpected `;`").help("a query ends with its line")))
            }
            _ => Err(self.unexpected("the end of the query")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Sources, Tree, read_queries};

    fn names(text: &str) -> Vec<(String, String)> {
        let mut sources = Sources::new();
        let file = sources.add_file("m.q", text.to_owned());
        let mut tree = Tree::default();
        read_queries(&sources, file, &mut tree).into_iter().map(|query| (query.text, query.name)).collect()
    }

    #[test]
    fn comments_name_queries() {
        let text = "//This file was generated from UPPAAL\n\n/*\n * Never\n * stuck.\n */\nA[] a\n// one\n\n// two\n// three\n\
                    E<> b /* EXPECT: T */\nE<> c // beside\n\nE<> d\n// Head of\r\n/* five */ E<> e // not this\n// the end\n";
        let expected = [
            ("A[] a", "Never stuck."),
            ("E<> b", "two three"),
            ("E<> c", "beside"),
            ("E<> d", ""),
            ("E<> e", "Head of five"),
        ];
        assert_eq!(names(text), expected.map(|(query, name)| (query.to_owned(), name.to_owned())));
    }

    #[test]
    fn comments_in_odd_places_do_no_harm() {
        let pieces =
            ["E<> a", "\n", "\n\n", "// x\n", "/* y */", "/* z\n\n */", "\\\n", "E<> (", " and b", "/* EXPECT: F */"];
        let mut number: usize = 1;
        for _ in 0..3000 {
            let mut text = String::new();
            for _ in 0..8 {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(number >> 33) % pieces.len()]);
            }
            for (_, name) in names(&text) {
                assert!(!name.contains(['\n', '*']) && !name.contains("EXPECT"), "{text:?}: {name:?}");
            }
        }
    }
}
