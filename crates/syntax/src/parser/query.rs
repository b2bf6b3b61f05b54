//! Queries.

use super::{Failed, Parsed, Parser};
use crate::{
    ast::{ExprId, List, Query, QueryKind, RecordedResult, Tree},
    diagnostic::Diagnostic,
    lexer::{Comment, Dialect, Token},
    names::{Sym, word},
    source::{Fragment, Span},
};

/// How queries stand in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One on each line, as in `.q` files.
    Lines,
    /// The whole text is one, as in an XML formula.
    Whole,
}

/// Reads the queries of a fragment. The expressions go into `tree`; the queries are returned, so that the caller
/// decides whether they belong to the model.
pub fn parse_queries(tree: &mut Tree, fragment: &Fragment, layout: Layout) -> Vec<Query> {
    let first_comment = tree.comments.len();
    let mut diagnostics = Vec::new();
    let mut parser = Parser::new(tree, &mut diagnostics, fragment, Dialect::Query);
    if layout == Layout::Whole {
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
        let kind = parser.property().and_then(|kind| {
            // `p under s`: what is asked depends on a strategy.
            let kind = if parser.peek() == Token::Name(word::UNDER) { parser.unsupported(GAMES) } else { kind };
            parser.end_of_property().map(|()| kind)
        });
        let kind = kind.unwrap_or_else(|Failed| {
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
        queries.push(Query { names, ..query(text, kind, span) });
    }
    attach_problems(&mut queries, diagnostics, fragment);
    let comments: Vec<Comment> = tree.comments.drain(first_comment..).collect();
    if queries.is_empty() && layout == Layout::Whole && !comments.is_empty() {
        queries.push(query(String::new(), QueryKind::Empty, fragment.span().after()));
    }
    tree.comments.extend(attach_comments(&mut queries, comments));
    queries
}

fn query(text: String, kind: QueryKind, span: Span) -> Query {
    Query {
        text,
        kind,
        span,
        comment: String::new(),
        options: Vec::new(),
        expect: None,
        results: Vec::new(),
        problems: Vec::new(),
        names: Vec::new(),
    }
}

/// A problem belongs to the query that it stands in, or to the last one before it.
fn attach_problems(queries: &mut Vec<Query>, problems: Vec<Diagnostic>, fragment: &Fragment) {
    for problem in problems {
        let owner = queries.iter().rposition(|q| q.span.start <= problem.primary.span.start).unwrap_or(0);
        if queries.is_empty() {
            queries.push(query(fragment.text().trim().to_owned(), QueryKind::Wrong, fragment.span()));
        }
        queries[owner].kind = QueryKind::Wrong;
        queries[owner].problems.push(problem);
    }
}

/// A comment belongs to the query behind it, or to the last one; `EXPECT:` in one speaks of the query before it. What
/// stands inside of a query is part of its text. Returns the comments of a text without queries.
fn attach_comments(queries: &mut [Query], comments: Vec<Comment>) -> Vec<Comment> {
    let mut left = Vec::new();
    for comment in comments {
        let behind = queries.partition_point(|q| q.span.start < comment.span.end);
        if behind.checked_sub(1).is_some_and(|i| comment.span.end <= queries[i].span.end) {
            continue;
        }
        if let Some((remark, expectation)) = comment.content().split_once("EXPECT:")
            && let Some(before) = behind.checked_sub(1).map(|i| &mut queries[i])
            && before.expect.is_none()
        {
            let expectation = expectation.trim_start();
            let end = expectation.find(|c: char| c.is_whitespace() || c == '*').unwrap_or(expectation.len());
            let details = format!("{remark}{}", &expectation[end..]).trim().to_owned();
            let outcome = expectation[..end].to_owned();
            before.expect = Some(RecordedResult { outcome, details, ..RecordedResult::default() });
            continue;
        }
        let owner = behind.min(queries.len().saturating_sub(1));
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
const STATISTICS: &str = "statistical model checking";

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
            let p = self.state_formula()?;
            return Ok(match path {
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
            let (span, help) = (self.since(start), self.alone(first));
            let d = Diagnostic::error("syntax", span, "a state formula alone is not a query").help(help);
            return Err(self.fail(d));
        }
        Err(self.unexpected("`-->` or the end of the query"))
    }

    /// Queries of UPPAAL's other branches, by their first word.
    fn foreign_query(&self, sym: Sym) -> Option<&'static str> {
        let opens = |s: &str| self.is_at(1, s);
        match self.tree.text(sym) {
            "Pr" | "Pmax" => Some(STATISTICS),
            "simulate" if opens("[") || matches!(self.peek_at(1), Token::Int(_)) => Some(STATISTICS),
            "E" if opens("[") => Some(STATISTICS),
            "A" if opens("[") => Some("until properties of games"),
            "control" if opens(":") => Some(GAMES),
            "control_t" if opens("*") || opens("(") || opens(":") => Some(GAMES),
            "minE" | "maxE" | "minPr" | "maxPr" if opens("(") || opens("[") => Some(GAMES),
            "strategy" | "loadStrategy" | "saveStrategy" => Some(GAMES),
            "sat" if opens(":") => Some("live sequence charts"),
            _ => None,
        }
    }

    fn unsupported(&mut self, feature: &'static str) -> QueryKind {
        while !matches!(self.peek(), Token::Newline | Token::End) {
            self.advance();
        }
        QueryKind::Unsupported(feature)
    }

    /// The names from token `first` to here.
    fn names_since(&self, first: usize) -> Vec<Sym> {
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

    pub(super) fn nested_path(&mut self) -> Failed {
        let span = self.span();
        self.fail(
            Diagnostic::error("syntax", span, "path quantifiers can't be nested")
                .help("`p --> q` stands for `A[] (p imply A<> q)`"),
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
        let mut items = Vec::new();
        loop {
            items.push(self.expression()?);
            if !self.eat(",") {
                break;
            }
        }
        let list = self.list(&items);
        Ok(make(predicate, list))
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
