//! The passage of time for elements of lattices of the user, as in opaal.
//!
//! A class may have a method that lets time pass. A model that does not call it itself gets a
//! process that does, which is written here as text and parsed like the rest. So all engines,
//! traces and drawings have it, and the model that is printed means the same.

use lattice::Library;
use syntax::{
    Diagnostic, Sources, Span, Tree,
    ast::{Decl, ExprId},
    print,
};

use crate::{
    check::{self, Checked},
    symbols::SymbolKind,
    types::{Index, RangeBound, Ty, TyKind},
};

/// The calls that let time pass.
#[derive(Default)]
struct PassageCalls {
    /// Those for one unit of time.
    unit: Vec<String>,
    /// Those for any time.
    any: Vec<String>,
    /// The declaration of the first element.
    origin: Option<Span>,
}

/// Adds the process that lets time pass for elements, if the model has such elements and does not
/// let it pass itself. Returns what is wrong.
#[must_use]
pub fn add_passage(sources: &mut Sources, tree: &mut Tree, library: &Library) -> Vec<Diagnostic> {
    let has_extern = |decls: &[Decl]| decls.iter().any(|decl| matches!(decl, Decl::Extern(_)));
    let declares = has_extern(&tree.decls)
        || has_extern(&tree.system_decls)
        || tree.templates.iter().any(|template| has_extern(&template.decls));
    if !declares || !library.has_classes() {
        return Vec::new();
    }
    let (checked, found) = check::check_with(tree, library);
    // They are reported when the model is loaded.
    if found.iter().any(Diagnostic::is_error) || tree.signal.raised().is_some() {
        return Vec::new();
    }
    if (0..tree.exprs.len() as u32).any(|e| checked.is_delay(tree, ExprId(e))) {
        return Vec::new();
    }
    let mut calls = PassageCalls::default();
    let mut problems = Vec::new();
    for (_, symbol) in checked.symbols.iter().filter(|(_, symbol)| symbol.kind == SymbolKind::Var) {
        let before = calls.unit.len() + calls.any.len();
        calls.add(tree, &checked, symbol.ty, tree.text(symbol.name).to_owned(), 0);
        if calls.unit.len() + calls.any.len() == before {
            continue;
        }
        calls.origin.get_or_insert(symbol.span);
        if symbol.template.is_some() {
            let message = format!("time can't pass for `{}`, which belongs to a process", tree.text(symbol.name));
            let d = Diagnostic::error("delay", symbol.span, message);
            problems.push(d.help("declare it beside the global variables, or call `delay` in an edge"));
        }
    }
    let Some(origin) = calls.origin else { return problems };
    if let Some(span) = priorities(tree) {
        let message = "time passes for elements by a transition, which these priorities may exclude";
        let d = Diagnostic::error("delay", span, message).also(origin, "time passes for this element");
        problems.push(d.help("remove the priorities, or call `delay` in an edge"));
    }
    if problems.is_empty() {
        let text = calls.text(tree);
        problems = syntax::extend(sources, tree, text, origin);
    }
    problems
}

/// Returns where priorities are declared.
fn priorities(tree: &Tree) -> Option<Span> {
    let declared = tree.decls.iter().chain(&tree.system_decls).find_map(|decl| match decl {
        Decl::ChanPriority(_, span) => Some(*span),
        _ => None,
    });
    let of_processes = tree.system.processes.iter().any(|(_, above)| *above);
    declared.or(tree.system.span.filter(|_| of_processes))
}

/// Returns a name that the model does not use.
fn unused(tree: &Tree, name: &str) -> String {
    let mut name = name.to_owned();
    while tree.names.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// Returns the text of a type whose values are indices.
fn type_text(tree: &Tree, checked: &Checked, ty: Ty) -> String {
    let bound = |bound: RangeBound| match bound {
        RangeBound::Value(value) => value.to_string(),
        RangeBound::Expr(e) => print::expression(tree, e),
    };
    let named = checked.symbols.iter().find(|(_, symbol)| symbol.kind == SymbolKind::Type && symbol.ty == ty);
    match (named, checked.types.kind(ty)) {
        (Some((_, symbol)), _) => tree.text(symbol.name).to_owned(),
        (None, TyKind::Int(Some((low, high)))) => format!("int[{}, {}]", bound(*low), bound(*high)),
        _ => "bool".to_owned(),
    }
}

impl PassageCalls {
    /// Adds the calls for all elements of a variable or a part of one, within so many loops.
    fn add(&mut self, tree: &Tree, checked: &Checked, ty: Ty, place: String, loops: usize) {
        if let Some(delay) = checked.delay(ty) {
            let list = if delay.is_inclusive { &mut self.any } else { &mut self.unit };
            list.push(format!("{place}.delay()"));
            return;
        }
        syntax::grow(|| match checked.types.kind(ty) {
            TyKind::Array(index, element) => {
                let name = unused(tree, &format!("i{loops}"));
                let range = match index {
                    Index::Size(size) => format!("int[0, ({}) - 1]", print::expression(tree, *size)),
                    Index::Type(of) => type_text(tree, checked, *of),
                };
                let mut inner = PassageCalls::default();
                inner.add(tree, checked, *element, format!("{place}[{name}]"), loops + 1);
                let each = |call: String| format!("for ({name} : {range}) {call}");
                self.unit.extend(inner.unit.into_iter().map(each));
                self.any.extend(inner.any.into_iter().map(each));
            }
            TyKind::Struct(fields) => {
                for (field, ty) in fields {
                    self.add(tree, checked, *ty, format!("{place}.{}", tree.text(*field)), loops);
                }
            }
            _ => {}
        });
    }

    /// Returns the process.
    fn text(&self, tree: &Tree) -> String {
        let [process, at, unit, idle] = ["Time", "passes", "unit", "idle"].map(|name| unused(tree, name));
        let (mut globals, mut locals, mut edges) = (String::new(), String::new(), Vec::new());
        let mut invariant = String::new();
        let mut updates = |calls: &[String], name: &str| {
            let (plain, loops): (Vec<_>, Vec<_>) = calls.iter().cloned().partition(|call| !call.starts_with("for"));
            if loops.is_empty() {
                return plain.join(", ");
            }
            let name = unused(tree, name);
            locals.push_str(&format!("    void {name}() {{ {}; }}\n", calls.join("; ")));
            format!("{name}()")
        };
        if !self.unit.is_empty() {
            let update = updates(&self.unit, "passUnit");
            globals.push_str(&format!("clock {unit};\n"));
            invariant = format!(" {{ {unit} <= 1 }}");
            edges.push(format!("{at} -> {at} {{ guard {unit} == 1; assign {unit} = 0, {update}; }}"));
        }
        if !self.any.is_empty() {
            let update = updates(&self.any, "passAny");
            // The time since the last transition: only where time may pass is it more than 0.
            globals.push_str(&format!("clock {idle};\nafter_update {{ {idle} = 0 }}\n"));
            edges.push(format!("{at} -> {at} {{ guard {idle} > 0; assign {update}; }}"));
        }
        let edges = edges.join(", ");
        format!(
            "{globals}process {process}() {{\n{locals}    state {at}{invariant};\n    init {at};\n    trans {edges};\n}}\n\
             system {process};\n"
        )
    }
}
