//! Parses the sections of a model: its declarations, processes and system line.

use super::{Parsed, Parser};
use crate::{
    ast::{Decl, SystemLine},
    lexer::{Key, Token},
    names::word,
};

/// The section of declarations, which determines the legal kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The global declarations of an XML file.
    Global,
    /// The declarations of a template.
    Local,
    /// A whole `.xta` file, or the system section of an XML file: processes and the system line
    /// too.
    System,
}

impl Parser<'_> {
    /// Parses all declarations of a section. In [`Section::System`], also the system line and what
    /// may follow it.
    pub(crate) fn section(&mut self, section: Section) {
        let mut decls = Vec::new();
        // Declarations before the last process are global, those after it belong to the system
        // section.
        let mut global = 0;
        // In a process of XTA, declarations follow the brace and precede locations and edges.
        let in_process = section == Section::Local && self.at > 0;
        loop {
            self.correct_declaration(in_process, section == Section::System);
            if self.at_end() || section == Section::Local && self.ends_local_declarations() {
                break;
            }
            match self.peek() {
                Token::Key(Key::System) if section == Section::System => {
                    self.system_line();
                    self.after_system_line();
                    break;
                }
                Token::Key(Key::Process) if section != Section::Local => {
                    self.process_or_skip();
                    global = decls.len();
                }
                _ => self.declaration_or_skip(section, &mut decls),
            }
        }
        self.store(section, decls, global);
    }

    /// Parses a process. Skips to the next process or the system line if it is broken: further
    /// errors in the rest of its body would not help.
    fn process_or_skip(&mut self) {
        let before = self.at;
        if self.process().is_err() {
            self.recover(|t| matches!(t, Token::Key(Key::Process | Key::System)));
            while !self.at_end() && !matches!(self.peek(), Token::Key(Key::Process | Key::System)) {
                self.advance();
            }
            self.mark_lost(before);
        }
    }

    /// Parses a declaration. Skips to the next one if it is broken.
    fn declaration_or_skip(&mut self, section: Section, decls: &mut Vec<Decl>) {
        let before = self.at;
        if self.declaration(section, decls).is_err() {
            self.recover(|t| matches!(t, Token::Key(Key::Process | Key::System | Key::Typedef)));
            if self.at == before || self.is("}") {
                self.advance();
            }
            self.mark_lost(before);
        }
    }

    /// Adds declarations to the tree. The first `global` ones of [`Section::System`] are global.
    fn store(&mut self, section: Section, decls: Vec<Decl>, global: usize) {
        match section {
            Section::Global => self.tree.decls.extend(decls),
            Section::Local => {
                if let Some(template) = self.tree.templates.last_mut() {
                    template.decls.extend(decls);
                }
            }
            Section::System => {
                for (i, decl) in decls.into_iter().enumerate() {
                    if i < global && !matches!(decl, Decl::Instantiation(_)) {
                        self.tree.decls.push(decl);
                    } else {
                        self.tree.system_decls.push(decl);
                    }
                }
            }
        }
    }

    /// Returns whether the local declarations of a process end here.
    fn ends_local_declarations(&self) -> bool {
        match self.peek() {
            Token::Key(Key::State | Key::Commit | Key::Init | Key::Trans) | Token::Sym("}") => true,
            Token::Key(Key::Urgent) => self.is_name_at(1) && matches!(self.peek_at(2), Token::Sym("," | ";")),
            Token::Name(word::BRANCHPOINT) => self.is_name_at(1) && matches!(self.peek_at(2), Token::Sym("," | ";")),
            _ => false,
        }
    }

    fn system_line(&mut self) {
        let start = self.advance().span;
        let mut line = SystemLine { processes: Vec::new(), span: None };
        let mut above = false;
        let result = (|| -> Parsed<()> {
            loop {
                let name = self.name("the name of a process")?;
                line.processes.push((name, above));
                above = self.is("<");
                if !self.eat("<") && !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
            Ok(())
        })();
        if result.is_err() {
            self.recover(|_| false);
        }
        line.span = Some(self.since(start));
        self.tree.system = line;
    }

    /// Parses `progress { … }`, `gantt { … }` and `query { … }`, and nothing else.
    fn after_system_line(&mut self) {
        while !self.at_end() {
            let result = match self.peek() {
                Token::Name(word::PROGRESS) if self.is_at(1, "{") => self.progress(),
                Token::Name(word::GANTT) if self.is_at(1, "{") => {
                    let first = self.at;
                    self.skip_block().map(|block| {
                        self.tree.ignored.push(("gantt charts", block));
                        let names = self.names_since(first);
                        self.tree.mentioned.extend(names);
                    })
                }
                Token::Name(word::QUERY) if self.is_at(1, "{") => {
                    self.skip_block().map(|block| self.tree.query_blocks.push(block))
                }
                _ => Err(self.unexpected("the end of the text")),
            };
            if result.is_err() {
                self.at = self.tokens.len() - 1;
            }
        }
    }

    fn progress(&mut self) -> Parsed<()> {
        self.advance();
        self.expect("{")?;
        while !self.is("}") {
            let first = self.expression()?;
            if self.eat(":") {
                let measure = self.expression()?;
                self.tree.progress.push((Some(first), measure));
            } else {
                self.tree.progress.push((None, first));
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        Ok(())
    }
}
