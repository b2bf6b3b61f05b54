//! Where the elements of processes are in UPPAAL's text formats.

use std::ops::Range;

use syntax::{
    Format, Names, Sources, Span, Tree,
    lexer::{Dialect, Key, Lexeme, Token, lex},
};

use crate::outline::{TextItem, TextLabel, TextTemplate};

/// A name in the text.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub text: String,
    pub range: Range<usize>,
}

/// `name { invariant; rate }`
#[derive(Clone, Debug)]
pub(super) struct StateItem {
    pub name: Written,
    pub range: Range<usize>,
    /// The braces with what is in them.
    pub braces: Option<Range<usize>>,
    /// The invariant and the rate.
    pub labels: Vec<Range<usize>>,
}

/// A label of an edge, from its keyword to its semicolon.
#[derive(Clone, Debug)]
pub(super) struct EdgeLabel {
    pub kind: &'static str,
    pub range: Range<usize>,
    pub text: Range<usize>,
}

/// `source -> target { labels }`
#[derive(Clone, Debug)]
pub(super) struct TransItem {
    /// `None`: that of the edge before.
    pub source: Option<Written>,
    pub target: Written,
    pub range: Range<usize>,
    pub braces: Range<usize>,
    pub labels: Vec<EdgeLabel>,
}

/// A list of names: `commit`, `urgent` or `init`.
#[derive(Clone, Debug)]
pub(super) struct NameList {
    pub keyword: Key,
    pub range: Range<usize>,
    pub names: Vec<Written>,
}

/// A process in the text.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub name: Written,
    pub range: Range<usize>,
    parameters: Range<usize>,
    body: Range<usize>,
    pub states: Vec<StateItem>,
    /// The list of states, with its keyword and its semicolon.
    pub state_list: Range<usize>,
    pub lists: Vec<NameList>,
    pub edges: Vec<TransItem>,
    pub edge_lists: Vec<Range<usize>>,
}

/// The kinds of labels of edges with their keywords, in the order in which they are written.
pub(super) const LABELS: [(&str, &str); 5] = [
    ("select", "select"),
    ("guard", "guard"),
    ("synchronisation", "sync"),
    ("assignment", "assign"),
    ("probability", "probability"),
];

/// Returns the processes of a text, by the templates of its tree; `None` for those that can't be
/// read.
pub(super) fn processes(text: &str, format: Format, tree: &Tree) -> Vec<Option<Process>> {
    let mut sources = Sources::new();
    let file = sources.add_file("", text.to_owned());
    let dialect = if format == Format::Ta { Dialect::Old } else { Dialect::Model };
    let fragment = sources.fragment(sources.whole(file));
    let mut names = Names::default();
    let tokens = lex(fragment, dialect, &mut names, &mut Vec::new()).tokens;
    let read = |start: u32| {
        let at = tokens.iter().position(|t| t.span.start == start && t.token == Token::Key(Key::Process))?;
        Scanner { text, tokens: &tokens, names: &names, at }.process()
    };
    tree.templates.iter().map(|template| read(template.span.start)).collect()
}

/// Returns where the elements of each template are.
pub(crate) fn outline(text: &str, format: Format, tree: &Tree) -> Vec<TextTemplate> {
    processes(text, format, tree)
        .into_iter()
        .zip(&tree.templates)
        .map(|(process, t)| match process {
            Some(process) => process.outline(text, t),
            None => TextTemplate {
                range: t.span.start as usize..t.span.end as usize,
                parameters: String::new(),
                declarations: Vec::new(),
                locations: Vec::new(),
                edges: Vec::new(),
            },
        })
        .collect()
}

fn label(text: &str, kind: &str, range: &Range<usize>) -> Option<TextLabel> {
    let content = &text[range.clone()];
    (!content.is_empty()).then(|| TextLabel {
        kind: kind.to_owned(),
        text: content.to_owned(),
        blanks: 0,
        range: range.clone(),
        at: None,
    })
}

impl Process {
    /// Returns the edges in the order of the tree, which lacks those between unknown locations.
    pub(super) fn known_edges(&self, template: &syntax::ast::Template) -> Vec<usize> {
        let find = |edge: &syntax::ast::Edge| self.edges.iter().position(|e| e.range.start == edge.span.start as usize);
        template.edges.iter().filter_map(find).collect()
    }

    fn outline(&self, text: &str, template: &syntax::ast::Template) -> TextTemplate {
        let location = |state: &StateItem| {
            let kinds = ["invariant", "exponentialrate"];
            let name = label(text, "name", &state.name.range);
            let labels = kinds.iter().zip(&state.labels).filter_map(|(kind, piece)| label(text, kind, piece));
            TextItem {
                path: String::new(),
                range: state.range.clone(),
                labels: name.into_iter().chain(labels).collect(),
            }
        };
        let edge = |number: usize| {
            let item = &self.edges[number];
            let labels = item.labels.iter().filter_map(|l| label(text, l.kind, &l.text));
            TextItem { path: String::new(), range: item.range.clone(), labels: labels.collect() }
        };
        TextTemplate {
            range: self.range.clone(),
            parameters: text[self.parameters.clone()].to_owned(),
            declarations: vec![self.parameters.clone(), self.body.clone()],
            locations: self.states.iter().map(location).collect(),
            edges: self.known_edges(template).into_iter().map(edge).collect(),
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    tokens: &'a [Lexeme],
    names: &'a Names,
    at: usize,
}

impl Scanner<'_> {
    fn token(&self) -> Token {
        self.tokens.get(self.at).map_or(Token::End, |t| t.token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(Span::NONE, |t| t.span)
    }

    fn range(&self) -> Range<usize> {
        self.span().start as usize..self.span().end as usize
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Sym(s) if s == symbol)
    }

    fn eat(&mut self, symbol: &str) -> Option<Range<usize>> {
        let range = self.range();
        self.is(symbol).then(|| {
            self.at += 1;
            range
        })
    }

    fn name(&mut self) -> Option<Written> {
        let Token::Name(sym) = self.token() else { return None };
        let written = Written { text: self.names.text(sym).to_owned(), range: self.range() };
        self.at += 1;
        Some(written)
    }

    /// Skips to one of these symbols outside of brackets. Returns what was skipped.
    fn until(&mut self, symbols: &[&str]) -> Option<Range<usize>> {
        let start = self.range().start;
        let mut end = start;
        let mut depth = 0;
        loop {
            if depth == 0 && symbols.iter().any(|s| self.is(s)) {
                return Some(start.min(end)..end);
            }
            match self.token() {
                Token::End => return None,
                Token::Sym("(" | "[" | "{") => depth += 1,
                Token::Sym(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
            end = self.range().end;
            self.at += 1;
        }
    }

    fn process(&mut self) -> Option<Process> {
        let start = self.range().start;
        self.at += 1;
        let name = self.name()?;
        let mut parameters = name.range.end..name.range.end;
        if self.eat("(").is_some() {
            parameters = self.until(&[")"])?;
            self.eat(")")?;
        }
        let open = self.eat("{")?;
        let from = self.at;
        let mut depth = 0;
        // Declarations come first; a function has no states.
        while !(depth == 0 && self.token() == Token::Key(Key::State)) {
            match self.token() {
                Token::End => return None,
                Token::Sym("{") => depth += 1,
                Token::Sym("}") if depth == 0 => return None,
                Token::Sym("}") => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        let body = open.end
            ..self.tokens.get(self.at.max(from + 1) - 1).map_or(open.end, |t| t.span.end as usize).max(open.end);
        let mut process = Process {
            name,
            range: start..start,
            parameters,
            body,
            states: Vec::new(),
            state_list: 0..0,
            lists: Vec::new(),
            edges: Vec::new(),
            edge_lists: Vec::new(),
        };
        loop {
            let start = self.range().start;
            match self.token() {
                Token::Sym("}") => {
                    process.range.end = self.range().end;
                    return (!process.states.is_empty()).then_some(process);
                }
                Token::Key(Key::State) => {
                    self.at += 1;
                    process.states.extend(self.list(Scanner::state)?);
                    process.state_list = start..self.eat(";")?.end;
                }
                Token::Key(keyword @ (Key::Commit | Key::Urgent | Key::Init)) => {
                    self.at += 1;
                    let names = self.list(Scanner::name)?;
                    process.lists.push(NameList { keyword, range: start..self.eat(";")?.end, names });
                }
                Token::Key(Key::Trans) => {
                    self.at += 1;
                    process.edges.extend(self.list(Scanner::edge)?);
                    process.edge_lists.push(start..self.eat(";")?.end);
                }
                // Branchpoints.
                Token::Name(_) => {
                    self.until(&[";"])?;
                    self.eat(";")?;
                }
                _ => return None,
            }
        }
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",").is_some() {
            items.push(item(self)?);
        }
        Some(items)
    }

    fn state(&mut self) -> Option<StateItem> {
        let name = self.name()?;
        let (mut range, mut braces, mut labels) = (name.range.clone(), None, Vec::new());
        if let Some(open) = self.eat("{") {
            loop {
                labels.push(self.until(&[";", "}"])?);
                if self.eat(";").is_none() {
                    break;
                }
            }
            let close = self.eat("}")?;
            braces = Some(open.start..close.end);
            range.end = close.end;
        }
        Some(StateItem { name, range, braces, labels })
    }

    fn edge(&mut self) -> Option<TransItem> {
        let start = self.range().start;
        let source = self.name();
        self.eat("->").or_else(|| self.eat("-u->"))?;
        let target = self.name()?;
        let open = self.eat("{")?;
        let mut labels = Vec::new();
        while !self.is("}") {
            let from = self.range().start;
            let word = &self.text[self.range()];
            let kind = LABELS.iter().find(|(_, keyword)| *keyword == word)?.0;
            self.at += 1;
            let text = self.until(&[";"])?;
            labels.push(EdgeLabel { kind, range: from..self.eat(";")?.end, text });
        }
        let close = self.eat("}")?;
        Some(TransItem { source, target, range: start..close.end, braces: open.start..close.end, labels })
    }
}
