//! Parses processes of XTA and TA, and the labels of edges.

use super::{
    Parsed, Parser,
    hint::{IN_PROCESS, ON_EDGE},
    section::Section,
};
use crate::{
    ast::{BinaryOp, Branchpoint, Direction, Edge, Endpoint, ExprId, ExprKind, Layout, Location, Name, Template},
    diagnostic::{Diagnostic, nearest},
    lexer::{Dialect, Key, Token},
    names::word,
    problems::Reported,
    source::Span,
};

/// The expected items in a process.
const PARTS: &str = "`state`, `commit`, `urgent`, `init`, `trans` or `}`";
/// The expected labels of an edge.
const LABELS: &str = "`select`, `guard`, `sync`, `assign`, `probability` or `}`";

/// An exponential rate: `e` or `e : e`.
type Rate = (ExprId, Option<ExprId>);

impl Parser<'_> {
    /// Parses `process P(params) { … }`; the parentheses are optional.
    pub(super) fn process(&mut self) -> Parsed<()> {
        let start = self.advance().span;
        let name = self.name("the name of a process")?;
        let params = if self.is("(") { self.parameters()? } else { Vec::new() };
        let open = self.expect("{")?;
        self.tree.templates.push(Template { params, ..Template::new(name, start.to(open)) });
        self.endpoints.clear();
        self.section(Section::Local);
        // Up to the next token, since comments after the last declaration are part of its text.
        let body_end = self.span().start;
        while !self.is("}") {
            self.correct_keyword(IN_PROCESS, PARTS);
            let result = match self.peek() {
                Token::Key(Key::State) => self.states(),
                Token::Name(word::BRANCHPOINT) => self.branchpoints(),
                Token::Key(Key::Commit) => self.flags(|l| l.committed = true),
                Token::Key(Key::Urgent) => self.flags(|l| l.urgent = true),
                Token::Key(Key::Init) => self.init(),
                Token::Key(Key::Trans) => self.edges(),
                _ => return Err(self.unexpected(PARTS)),
            };
            if result.is_err() {
                self.recover(|t| matches!(t, Token::Key(Key::Init | Key::Trans | Key::Process | Key::System)));
            }
        }
        self.expect("}")?;
        let span = start.to(self.last_span());
        let template = self.template();
        template.span = span;
        template.body = Span { start: open.start, end: body_end };
        if template.init.is_none() && !template.locations.is_empty() {
            let text = self.tree.text(name.sym).to_owned();
            self.report(
                Diagnostic::error(
                    "no-initial-location",
                    name.span,
                    format!("process `{text}` has no initial location"),
                )
                .help("name it with `init`, before `trans`"),
            );
        }
        Ok(())
    }

    /// Returns the template that is being parsed.
    fn template(&mut self) -> &mut Template {
        self.tree.templates.last_mut().expect("a process is being read")
    }

    fn states(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.name("the name of a location")?;
            let mut invariant = None;
            let mut rate = None;
            if self.eat("{") {
                // The location exists whatever its labels are; otherwise each use of its name would
                // be reported.
                if self.location_labels(&mut invariant, &mut rate).is_err() {
                    while !self.is("}") {
                        if self.at_end() {
                            return Err(Reported);
                        }
                        self.recover(|_| false);
                    }
                }
                self.expect("}")?;
            }
            let span = self.since(name.span);
            let index = self.template().locations.len() as u32;
            self.endpoints.entry(name.sym).or_insert(Endpoint::Location(index));
            self.template().locations.push(Location { invariant, rate, ..Location::new(name, span) });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn location_labels(&mut self, invariant: &mut Option<ExprId>, rate: &mut Option<Rate>) -> Parsed<()> {
        if !self.is(";") {
            *invariant = Some(self.invariant()?);
        }
        if self.eat(";") {
            *rate = Some(self.rate()?);
        }
        if self.is("}") { Ok(()) } else { Err(self.unexpected("`}`")) }
    }

    fn branchpoints(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.name("the name of a branchpoint")?;
            let index = self.template().branchpoints.len() as u32;
            self.endpoints.entry(name.sym).or_insert(Endpoint::Branchpoint(index));
            self.template().branchpoints.push(Branchpoint { name, layout: Layout::default() });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn flags(&mut self, set: impl Fn(&mut Location)) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.name("the name of a location")?;
            match self.endpoint(name)? {
                Endpoint::Location(i) => set(&mut self.template().locations[i as usize]),
                Endpoint::Branchpoint(_) => return Err(self.no_location(name)),
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn init(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of a location")?;
        match self.endpoint(name) {
            Ok(Endpoint::Location(i)) => self.template().init = Some(i),
            Ok(Endpoint::Branchpoint(_)) => return Err(self.no_location(name)),
            // Wrong, but present: it must not be reported as missing, too.
            Err(Reported) => self.template().init = Some(0),
        }
        self.expect(";")?;
        Ok(())
    }

    fn no_location(&mut self, name: Name) -> Reported {
        let template = self.tree.templates.last().expect("a process is being read");
        let text = self.tree.text(name.sym);
        let names = template.locations.iter().map(|l| self.tree.text(l.name.sym));
        let process = self.tree.text(template.name.sym);
        let mut d =
            Diagnostic::error("unknown-name", name.span, format!("process `{process}` has no location `{text}`"));
        if let Some(near) = nearest(text, names) {
            d = d.help(format!("did you mean `{near}`?"));
        }
        self.fail(d)
    }

    fn endpoint(&mut self, name: Name) -> Parsed<Endpoint> {
        match self.endpoints.get(&name.sym) {
            Some(&endpoint) => Ok(endpoint),
            None => Err(self.no_location(name)),
        }
    }

    fn edges(&mut self) -> Parsed<()> {
        self.advance();
        let mut source = None;
        loop {
            let start = self.span();
            if self.is_name_at(0) {
                let name = self.name("the name of a location")?;
                // An unknown name is reported once; its edge is parsed and dropped.
                source = self.endpoint(name).ok();
            } else if source.is_none() {
                return Err(self.unexpected("the name of a location"));
            }
            let controllable = !self.is("-u->");
            if !self.eat("->") && !self.eat("-u->") {
                return Err(self.unexpected("`->`"));
            }
            let name = self.name("the name of a location")?;
            let target = self.endpoint(name).ok();
            let [from, to] = [source, target].map(|end| end.unwrap_or(Endpoint::Location(0)));
            let mut edge = Edge { controllable, ..Edge::new(from, to, start) };
            self.expect("{")?;
            while !self.is("}") {
                if self.edge_label(&mut edge).is_err() {
                    if self.at_end() {
                        return Err(Reported);
                    }
                    self.recover(|_| false);
                }
            }
            self.expect("}")?;
            edge.span = self.since(start);
            if source.is_some() && target.is_some() {
                self.template().edges.push(edge);
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn edge_label(&mut self, edge: &mut Edge) -> Parsed<()> {
        self.correct_keyword(ON_EDGE, LABELS);
        match self.peek() {
            Token::Key(Key::Select) => {
                self.advance();
                edge.select.extend(self.bindings()?);
            }
            Token::Key(Key::Guard) => {
                self.advance();
                edge.guard = Some(self.guard()?);
            }
            Token::Key(Key::Sync) => {
                self.advance();
                edge.sync = Some(self.synchronisation()?);
            }
            Token::Key(Key::Assign) => {
                self.advance();
                edge.update = Some(self.comma_expression()?);
            }
            Token::Name(word::PROBABILITY) => {
                self.advance();
                edge.probability = Some(self.expression()?);
            }
            _ => return Err(self.unexpected(LABELS)),
        }
        self.expect(";")?;
        Ok(())
    }

    /// Parses an invariant; in the old language commas separate its conjuncts.
    pub(crate) fn invariant(&mut self) -> Parsed<ExprId> {
        self.guard()
    }

    /// Parses a guard; in the old language commas separate its conjuncts.
    pub(crate) fn guard(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut e = self.expression()?;
        while self.dialect == Dialect::Old && self.eat(",") {
            let right = self.expression()?;
            let span = self.since(start);
            e = self.expr(ExprKind::Binary(BinaryOp::And, e, right), span)?;
        }
        Ok(e)
    }

    /// Parses an exponential rate: `e` or `e : e`.
    pub(crate) fn rate(&mut self) -> Parsed<Rate> {
        let e = self.expression()?;
        let over = if self.eat(":") { Some(self.expression()?) } else { None };
        Ok((e, over))
    }

    /// Parses `c!`, `c?` or `c`.
    pub(crate) fn synchronisation(&mut self) -> Parsed<(ExprId, Direction)> {
        let e = self.expression()?;
        let direction = if self.eat("!") {
            Direction::Send
        } else if self.eat("?") {
            Direction::Receive
        } else {
            Direction::Both
        };
        Ok((e, direction))
    }
}
