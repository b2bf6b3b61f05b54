//! `age(p)` and `available(p)` in queries about nets.

use super::{
    Net,
    automata::{NetWords, QUERY_WORDS},
};
use crate::{
    Tree,
    ast::{ExprId, ExprKind},
    diagnostic::{Diagnostic, nearest},
    source::Span,
};

/// Replaces calls of these words by the variables and clocks of the automata, in all expressions
/// from the number `first` on. Reports those that the net lacks.
pub(crate) fn resolve(tree: &mut Tree, first: u32, diagnostics: &mut Vec<Diagnostic>) {
    let Some(net) = tree.net.clone() else { return };
    let mut words = None;
    for e in (first..tree.exprs.len() as u32).map(ExprId) {
        let ExprKind::Call(callee, arguments) = tree.kind(e) else { continue };
        let ExprKind::Name(word) = tree.kind(callee) else { continue };
        let word = tree.text(word).to_owned();
        if !QUERY_WORDS.contains(&word.as_str()) {
            continue;
        }
        let words = words.get_or_insert_with(|| NetWords::new(&net));
        let [argument] = *tree.list(arguments) else {
            let message = format!("`{word}` needs one place or transition");
            diagnostics.push(Diagnostic::error("arguments", tree.span(e), message));
            continue;
        };
        let ExprKind::Name(name) = tree.kind(argument) else {
            let message = format!("`{word}` needs the name of a place or transition");
            diagnostics.push(Diagnostic::error("arguments", tree.span(argument), message));
            continue;
        };
        let name = tree.text(name).to_owned();
        match words.identifier(&word, &name).map(|identifier| tree.names.intern(identifier)) {
            Some(sym) => tree.replace(e, ExprKind::Name(sym)),
            None => diagnostics.push(lacking(&net, &word, &name, tree.span(argument))),
        }
    }
}

/// Reports that there is no such value.
fn lacking(net: &Net, word: &str, name: &str, span: Span) -> Diagnostic {
    let names = || net.places.iter().map(|p| &*p.name).chain(net.transitions.iter().map(|t| &*t.name));
    if names().any(|known| known == name) {
        let message = match word {
            "age" => format!("`{name}` has no age: nothing waits there for a bounded time"),
            _ => format!("only tokens of places with a delay become available, not those of `{name}`"),
        };
        return Diagnostic::error("no-age", span, message);
    }
    let d = Diagnostic::error("unknown-name", span, format!("unknown place or transition `{name}`"));
    let d = d.label("not in the net");
    match nearest(name, names()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    }
}
