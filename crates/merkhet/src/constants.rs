//! Constants of a model that are given other values.

use syntax::{
    Diagnostic, Sources, Span, Tree,
    ast::{Decl, Declarator, QueryKind},
    nearest,
};

use crate::reading::read_one;

/// A constant and the text of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name: `N`, or `P.N` for a constant of a template.
    pub name: String,
    /// Its value, an expression of the language.
    pub value: String,
}

/// Gives constants of a tree other values. Returns everything that is wrong with them.
pub(crate) fn replace(constants: &[Constant], sources: &mut Sources, tree: &mut Tree) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // Nothing is known of a model whose reading was stopped.
    if tree.signal.raised().is_some() {
        return found;
    }
    for (number, constant) in constants.iter().enumerate() {
        if constants[..number].iter().any(|before| before.name == constant.name) {
            found.push(wrong(constant, "has two values".to_owned()));
        } else if let Err(mut problems) = replace_one(constant, sources, tree) {
            found.append(&mut problems);
        }
    }
    found
}

fn replace_one(constant: &Constant, sources: &mut Sources, tree: &mut Tree) -> Result<(), Vec<Diagnostic>> {
    let declared = find(tree, &constant.name).ok_or_else(|| vec![unknown(constant, tree)])?;
    if !tree.ty(declared.ty).prefix.constant {
        return Err(vec![wrong(constant, "is not a constant".to_owned()).also(declared.name.span, "declared here")]);
    }
    if !declared.dims.is_empty() {
        let problem = wrong(constant, "is an array".to_owned()).also(declared.name.span, "declared here");
        return Err(vec![problem.help("only single values can be given")]);
    }
    let name = format!("value of {}", constant.name);
    let value = read_one(&constant.value, &name, syntax::read_values, sources, tree)?;
    if !value.problems.is_empty() {
        return Err(value.problems);
    }
    let value = match value.kind {
        QueryKind::Sup(None, list) if tree.list(list).len() == 1 => tree.list(list)[0],
        _ => return Err(vec![wrong(constant, "has one value".to_owned())]),
    };
    if let Some(declared) = find_mut(tree, &constant.name) {
        declared.init = Some(value);
    }
    Ok(())
}

fn wrong(constant: &Constant, why: String) -> Diagnostic {
    Diagnostic::error("constant", Span::NONE, format!("`{}` can't be given a value: it {why}", constant.name))
}

fn unknown(constant: &Constant, tree: &Tree) -> Diagnostic {
    let d = Diagnostic::error("unknown-name", Span::NONE, format!("the model has no constant `{}`", constant.name));
    let names = constant_names(tree);
    match nearest(&constant.name, names.iter().map(String::as_str)) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => d.help("it has no constants at all"),
        None => d.help(format!("it has `{}`", names.join("`, `"))),
    }
}

fn variable(decl: &Decl) -> Option<&Declarator> {
    if let Decl::Var(declared) = decl { Some(declared) } else { None }
}

/// Returns the names of the constants that can be given values.
fn constant_names(tree: &Tree) -> Vec<String> {
    let constants = |decls: &[Decl], of: &str| -> Vec<String> {
        let declared = decls.iter().filter_map(variable);
        let constants = declared.filter(|d| tree.ty(d.ty).prefix.constant && d.dims.is_empty());
        constants.map(|d| format!("{of}{}", tree.text(d.name.sym))).collect()
    };
    let mut names = constants(&tree.decls, "");
    for template in &tree.templates {
        names.extend(constants(&template.decls, &format!("{}.", tree.text(template.name.sym))));
    }
    names
}

/// Returns where a name is declared: the number of its template, if it belongs to one, and that of
/// the declaration.
fn position(tree: &Tree, name: &str) -> Option<(Option<usize>, usize)> {
    let (template, name) = match name.split_once('.') {
        Some((of, name)) => (Some(tree.templates.iter().position(|t| tree.text(t.name.sym) == of)?), name),
        None => (None, name),
    };
    let decls = template.map_or(&tree.decls, |template| &tree.templates[template].decls);
    let is_it = |decl: &Decl| variable(decl).is_some_and(|declared| tree.text(declared.name.sym) == name);
    Some((template, decls.iter().position(is_it)?))
}

fn find<'t>(tree: &'t Tree, name: &str) -> Option<&'t Declarator> {
    let (template, number) = position(tree, name)?;
    variable(&template.map_or(&tree.decls, |template| &tree.templates[template].decls)[number])
}

fn find_mut<'t>(tree: &'t mut Tree, name: &str) -> Option<&'t mut Declarator> {
    let (template, number) = position(tree, name)?;
    let decls = match template {
        Some(template) => &mut tree.templates[template].decls,
        None => &mut tree.decls,
    };
    if let Decl::Var(declared) = &mut decls[number] { Some(declared) } else { None }
}
