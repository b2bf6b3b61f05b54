//! Names, and where they are used.

use std::collections::BTreeSet;

use syntax::{
    Names, Sources, Span, Sym, Tree,
    ast::{Decl, ExprId, ExprKind},
    lexer::{Dialect, Token, lex},
};

use crate::{EditError, EditedText, Patch, arrange::read};

/// Refuses what is not a word that could be a name.
pub(crate) fn legal_word(name: &str) -> Result<(), EditError> {
    let mut letters = name.bytes();
    let is_name = letters.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && letters.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_name {
        return Err(EditError::new(format!("`{name}` is not a name"))
            .help("a name has letters, digits and `_` only, and does not start with a digit"));
    }
    Ok(())
}

/// Refuses what is not a name in models and in queries.
///
/// # Errors
/// It is not a word, or a reserved one.
pub fn legal_name(name: &str) -> Result<(), EditError> {
    legal_word(name)?;
    let mut sources = Sources::new();
    let file = sources.add_file("", name.to_owned());
    let fragment = sources.fragment(sources.whole(file));
    let is_reserved = [Dialect::Model, Dialect::Query].into_iter().any(|dialect| {
        let lexed = lex(fragment, dialect, &mut Names::default(), &mut Vec::new());
        !matches!(lexed.tokens.first().map(|t| t.token), Some(Token::Name(_)))
    });
    if is_reserved {
        return Err(EditError::new(format!("`{name}` is a reserved word")).help("choose another name"));
    }
    Ok(())
}

/// Refuses a name that a location of a template can't have.
pub(crate) fn legal_location(
    source: EditedText<'_>,
    template: usize,
    location: Option<usize>,
    name: &str,
) -> Result<(), EditError> {
    if name.is_empty() {
        return Ok(());
    }
    legal_name(name)?;
    let (_, tree) = read(source);
    let found = tree.templates.get(template).ok_or_else(|| EditError::absent("template", template))?;
    let others = found.locations.iter().enumerate().filter(|(i, l)| Some(*i) != location && !l.anonymous);
    if others.into_iter().any(|(_, l)| tree.text(l.name.sym) == name) {
        return Err(EditError::new(format!("the template has a location `{name}` already")).help("choose another name"));
    }
    Ok(())
}

/// Refuses a name that a template can't have.
pub(crate) fn legal_template(source: EditedText<'_>, template: Option<usize>, name: &str) -> Result<(), EditError> {
    legal_name(name)?;
    let (_, tree) = read(source);
    let is_other = |(i, t): (usize, &syntax::ast::Template)| Some(i) != template && tree.text(t.name.sym) == name;
    let is_declared = tree.decls.iter().chain(&tree.system_decls).any(|decl| match decl {
        Decl::Var(d) | Decl::Typedef(d) => tree.text(d.name.sym) == name,
        Decl::Function(f) => tree.text(f.name.sym) == name,
        Decl::Instantiation(i) => tree.text(i.name.sym) == name,
        _ => false,
    });
    if is_declared || tree.templates.iter().enumerate().any(is_other) {
        return Err(
            EditError::new(format!("the model has something called `{name}` already")).help("choose another name")
        );
    }
    Ok(())
}

/// The uses of names in a model.
struct Uses<'a> {
    sources: &'a Sources,
    tree: &'a Tree,
    patches: Vec<Patch>,
}

impl Uses<'_> {
    /// Renames a use, which the file must contain as it is.
    fn rename(&mut self, sym: Sym, span: Span, name: &str) {
        if self.sources.text(span) == self.tree.text(sym)
            && let Some((_, from)) = self.sources.order(span)
        {
            let from = from as usize;
            self.patches.push(Patch { from, to: from + self.tree.text(sym).len(), text: name.to_owned() });
        }
    }

    /// The names of processes that are instances of a template.
    fn processes(&self, template: usize) -> BTreeSet<Sym> {
        let mut names = BTreeSet::from([self.tree.templates[template].name.sym]);
        loop {
            let instances = self.tree.system_decls.iter().chain(&self.tree.decls).filter_map(|decl| match decl {
                Decl::Instantiation(i) => names.contains(&i.template.sym).then_some(i.name.sym),
                _ => None,
            });
            let more: Vec<Sym> = instances.filter(|name| !names.contains(name)).collect();
            if more.is_empty() {
                return names;
            }
            names.extend(more);
        }
    }

    /// Returns the name that an expression such as `P`, `P(1)` or `P[1]` begins with.
    fn head(&self, mut e: ExprId) -> Option<(Sym, Span)> {
        loop {
            match self.tree.kind(e) {
                ExprKind::Name(sym) => return Some((sym, self.tree.span(e))),
                ExprKind::Call(of, _) | ExprKind::Index(of, _) => e = of,
                _ => return None,
            }
        }
    }

    /// Calls `f` for each expression of the queries and of the measures of progress, which name
    /// processes.
    fn each(&mut self, mut f: impl FnMut(&mut Self, ExprId)) {
        let spans: Vec<Span> = self.tree.queries.iter().map(|query| query.span).collect();
        let is_query = |span: Span| spans.iter().any(|q| q.start <= span.start && span.end <= q.end);
        let queries = (0..self.tree.exprs.len() as u32).map(ExprId).filter(|&e| is_query(self.tree.span(e)));
        let mut all: Vec<ExprId> = queries.collect();
        let mut open: Vec<ExprId> =
            self.tree.progress.iter().flat_map(|&(guard, e)| guard.into_iter().chain([e])).collect();
        while let Some(e) = open.pop() {
            all.push(e);
            self.tree.children(self.tree.kind(e), |_, child| open.push(child));
        }
        all.into_iter().for_each(|e| f(self, e));
    }

    /// Refuses to rename what is named in text that has no meaning here, such as `gantt`.
    fn is_known(&self, sym: Sym) -> Result<(), EditError> {
        if self.tree.mentioned.contains(&sym) || self.tree.lost.contains(&sym) {
            let name = self.tree.text(sym);
            return Err(EditError::new(format!("`{name}` is also used in text that can't be changed along"))
                .help("rename it in the text"));
        }
        Ok(())
    }
}

/// Renames the uses of a location: in queries, as `P.name`.
pub(crate) fn location_uses(
    source: EditedText<'_>,
    template: usize,
    location: usize,
    name: &str,
) -> Result<Vec<Patch>, EditError> {
    let (sources, tree) = read(source);
    let found = tree.templates.get(template).ok_or_else(|| EditError::absent("template", template))?;
    let old = found.locations.get(location).ok_or_else(|| EditError::absent("location", location))?;
    if old.anonymous {
        return Ok(Vec::new());
    }
    let old = old.name.sym;
    let mut uses = Uses { sources: &sources, tree: &tree, patches: Vec::new() };
    uses.is_known(old)?;
    let processes = uses.processes(template);
    uses.each(|uses, e| {
        if let ExprKind::Member(of, member) = uses.tree.kind(e)
            && member.sym == old
            && uses.head(of).is_some_and(|(process, _)| processes.contains(&process))
        {
            uses.rename(old, member.span, name);
        }
    });
    if name.is_empty() && !uses.patches.is_empty() {
        return Err(EditError::new("queries use the name of this location").help("give it another name instead"));
    }
    Ok(uses.patches)
}

/// Renames the uses of a template: in instances, in the system line, and in queries.
pub(crate) fn template_uses(source: EditedText<'_>, template: usize, name: &str) -> Result<Vec<Patch>, EditError> {
    let (sources, tree) = read(source);
    let found = tree.templates.get(template).ok_or_else(|| EditError::absent("template", template))?;
    let old = found.name.sym;
    if tree.templates.iter().filter(|t| t.name.sym == old).count() > 1 {
        return Err(EditError::new(format!("several templates are called `{}`", tree.text(old)))
            .help("rename the template in its text"));
    }
    let mut uses = Uses { sources: &sources, tree: &tree, patches: Vec::new() };
    uses.is_known(old)?;
    let mut names = Vec::new();
    for decl in tree.decls.iter().chain(&tree.system_decls) {
        match decl {
            Decl::Instantiation(i) if i.template.sym == old => names.push(i.template),
            _ => {}
        }
    }
    names.extend(tree.system.processes.iter().map(|(name, _)| *name).filter(|name| name.sym == old));
    names.into_iter().for_each(|at| uses.rename(old, at.span, name));
    uses.each(|uses, e| {
        if let ExprKind::Member(of, _) = uses.tree.kind(e)
            && let Some((process, span)) = uses.head(of)
            && process == old
        {
            uses.rename(old, span, name);
        }
    });
    Ok(uses.patches)
}
