//! A recursive descent parser with error recovery. One grammar serves XML, XTA, TA and queries.
//!
//! A routine that fails has reported the error and returns [`Reported`]; the list routines
//! (declarations, statements, edges) catch it, skip to the next possible item and continue, so that
//! one run reports all mistakes.

mod decl;
mod expr;
mod hint;
mod process;
mod query;
mod section;
mod statistics;
mod stmt;
mod tck;
mod types;

use rustc_hash::FxHashMap;

use crate::{
    ast::{Endpoint, ExprId, ExprKind, List, MAX_HEIGHT, Name, Tree, TypeExpr, TypeId},
    diagnostic::Diagnostic,
    lexer::{Dialect, Key, Lexeme, MAX_PROBLEMS, Token, lex_part, too_many_problems},
    names::Sym,
    problems::Reported,
    source::{Fragment, Span},
};

pub(crate) use query::on_one_line;
pub(crate) use query::{QueryLayout, parse_queries};
pub(crate) use section::Section;

type Parsed<T> = Result<T, Reported>;

/// A parser of one fragment into a tree.
pub(crate) struct Parser<'a> {
    tree: &'a mut Tree,
    diagnostics: &'a mut Vec<Diagnostic>,
    tokens: Vec<Lexeme>,
    at: usize,
    dialect: Dialect,
    depth: u32,
    /// The locations and branchpoints of the current process.
    endpoints: FxHashMap<Sym, Endpoint>,
    /// The number of diagnostics before this fragment.
    known: usize,
    /// Whether the nesting or the number of problems exceeded its limit: nothing more is reported
    /// for this fragment.
    gave_up: bool,
}

impl<'a> Parser<'a> {
    /// Creates a parser at the start of `fragment`.
    pub(crate) fn new(
        tree: &'a mut Tree,
        diagnostics: &'a mut Vec<Diagnostic>,
        fragment: &Fragment,
        dialect: Dialect,
    ) -> Parser<'a> {
        Parser::within(tree, diagnostics, fragment, fragment.span(), dialect)
    }

    /// Creates a parser for a range of `fragment`.
    pub(crate) fn within(
        tree: &'a mut Tree,
        diagnostics: &'a mut Vec<Diagnostic>,
        fragment: &Fragment,
        part: Span,
        dialect: Dialect,
    ) -> Parser<'a> {
        let known = diagnostics.len();
        let lexed = lex_part(fragment, part, dialect, &mut tree.names, diagnostics, tree.signal);
        tree.comments.extend(lexed.comments);
        Parser {
            tree,
            diagnostics,
            tokens: lexed.tokens,
            at: 0,
            dialect,
            depth: 0,
            endpoints: FxHashMap::default(),
            known,
            gave_up: lexed.gave_up,
        }
    }

    fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |l| l.token)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Returns the span of the previous token.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    fn advance(&mut self) -> Lexeme {
        let lexeme = self.tokens[self.at];
        if lexeme.token != Token::End {
            self.at += 1;
        }
        if self.tree.signal.raised().is_some() {
            self.end();
        }
        lexeme
    }

    /// Skips to the end. Missing tokens are not reported.
    fn end(&mut self) {
        self.gave_up = true;
        self.at = self.tokens.len() - 1;
    }

    /// Returns whether the text ends here.
    #[must_use]
    pub(crate) fn at_end(&self) -> bool {
        self.peek() == Token::End
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Sym(s) if s == symbol)
    }

    fn is_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Sym(s) if s == symbol)
    }

    fn is_key(&self, key: Key) -> bool {
        self.peek() == Token::Key(key)
    }

    fn is_name_at(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead), Token::Name(_))
    }

    /// Returns whether `init(` starts here, which is a function: opaal's models have one of that
    /// name.
    fn is_init_function(&self) -> bool {
        self.is_key(Key::Init) && self.is_at(1, "(")
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn eat_key(&mut self, key: Key) -> bool {
        let found = self.is_key(key);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<Span> {
        if self.is(symbol) {
            return Ok(self.advance().span);
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Token::Name(sym) => {
                let span = self.advance().span;
                Ok(Name { sym, span })
            }
            Token::Key(Key::Init) if self.is_init_function() => {
                let span = self.advance().span;
                Ok(Name { sym: self.tree.names.intern(Key::Init.text()), span })
            }
            Token::Key(key) => {
                let span = self.span();
                Err(self.fail(
                    Diagnostic::error("syntax", span, format!("`{}` is a reserved word, not {what}", key.text()))
                        .help("choose another name"),
                ))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn report(&mut self, d: Diagnostic) {
        if self.gave_up {
            return;
        }
        let span = d.primary.span;
        self.diagnostics.push(d);
        if self.diagnostics.len() - self.known > MAX_PROBLEMS {
            self.diagnostics.push(too_many_problems(span.after()));
            self.end();
        }
    }

    fn fail(&mut self, d: Diagnostic) -> Reported {
        self.report(d);
        Reported
    }

    /// Reports that this token is not the expected one, unless the lexer has already reported it.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let (token, span) = (self.peek(), self.span());
        if token == Token::Wrong {
            return Reported;
        }
        let found = self.describe(token);
        let d = Diagnostic::error("syntax", span, format!("unexpected {found}, expected {expected}"))
            .label(format!("expected {expected}"));
        let help = self.foreign_operator().filter(|_| self.dialect == Dialect::Query);
        self.fail(match help {
            Some(help) => d.help(help),
            None => d,
        })
    }

    fn describe(&self, token: Token) -> String {
        match token {
            Token::Name(sym) | Token::Text(sym) => format!("`{}`", self.tree.text(sym)),
            Token::Int(n) => format!("`{n}`"),
            Token::Wide(n) => format!("`{n}`"),
            Token::IntMinMagnitude => "`2147483648`".to_owned(),
            Token::Float(x) => format!("`{x}`"),
            Token::Key(key) => format!("`{}`", key.text()),
            Token::Sym(s) => format!("`{s}`"),
            Token::Newline => "end of the line".to_owned(),
            Token::Wrong | Token::End => "end of the text".to_owned(),
        }
    }

    /// Runs `f` one level deeper; beyond [`MAX_HEIGHT`] levels it reports an error and gives up the
    /// fragment.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'a>) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_HEIGHT {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = crate::grow(|| f(self));
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        let span = self.span();
        self.report(
            Diagnostic::error("too-deep", span, format!("nested more than {MAX_HEIGHT} levels deep"))
                .help("split it into functions or variables"),
        );
        self.gave_up = true;
        self.at = self.tokens.len() - 1;
        Reported
    }

    fn expr(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let e = self.tree.expr(kind, span);
        if self.tree.height(e) > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(e) }
    }

    fn ty(&mut self, ty: TypeExpr) -> TypeId {
        self.tree.types.push(ty);
        TypeId(self.tree.types.len() as u32 - 1)
    }

    fn list(&mut self, items: &[ExprId]) -> List {
        self.tree.add_list(items)
    }

    /// Reports an error unless this is the end of the text.
    pub(crate) fn finish(&mut self) {
        if !self.at_end() {
            self.unexpected("the end of the text");
            self.at = self.tokens.len() - 1;
        }
    }

    /// Records the names from token `from` to here as lost, since their declarations could not be
    /// parsed.
    fn mark_lost(&mut self, from: usize) {
        for lexeme in &self.tokens[from..=self.at] {
            if let Token::Name(sym) = lexeme.token {
                self.tree.lost.insert(sym);
            }
        }
    }

    /// Gives up the text after a failure.
    pub(crate) fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
        self.mark_lost(0);
    }

    /// Skips `word { … }` and returns its span. Only braces are matched, since the text between
    /// them may be anything.
    fn skip_block(&mut self) -> Parsed<Span> {
        let start = self.advance().span;
        let open = self.expect("{")?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.peek() {
                Token::End => {
                    return Err(self.fail(
                        Diagnostic::error("syntax", self.span(), "block is not closed, expected `}`")
                            .also(open, "the block starts here"),
                    ));
                }
                Token::Sym("{") => depth += 1,
                Token::Sym("}") => depth -= 1,
                _ => {}
            }
            self.advance();
        }
        let block = self.since(start);
        self.eat(";");
        Ok(block)
    }

    /// Skips to the position after the next `;` on this level, or after a block, or to a token for
    /// which `stop` holds.
    fn recover(&mut self, stop: impl Fn(Token) -> bool) {
        let mut depth = 0u32;
        loop {
            let token = self.peek();
            match token {
                Token::End => return,
                Token::Sym("(" | "[" | "{") => depth += 1,
                Token::Sym(")" | "]") => depth = depth.saturating_sub(1),
                Token::Sym("}") if depth == 0 => return,
                Token::Sym("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        self.eat(";");
                        return;
                    }
                }
                Token::Sym(";") if depth == 0 => {
                    self.advance();
                    return;
                }
                _ if depth == 0 && stop(token) => return,
                _ => {}
            }
            self.advance();
        }
    }
}
