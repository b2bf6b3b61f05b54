//! Suggestions of processes, for queries that name unknown ones.

use syntax::{Diagnostic, Span, print};

use super::Lowerer;
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::TyKind,
};

impl Lowerer<'_> {
    /// Returns the error that a query names an unknown process, with the existing ones.
    pub(super) fn no_process(&self, symbol: SymbolId, args: &[i32], span: Span) -> Diagnostic {
        let text = self.name_of(symbol);
        let error = |message: String| Diagnostic::error("unknown-name", span, message);
        let sets = self.argument_lists(symbol);
        let Some(first) = sets.first() else {
            let d = error(format!("`{text}` is not in the system line"));
            let made = self.instances_of(symbol);
            return match &made[..] {
                [] => d,
                [one] => d.help(format!("did you mean `{one}`?")),
                [first, .., last] => d.help(format!("its processes are `{first}` to `{last}`")),
            };
        };
        let call = |args: &[i32]| {
            let args: Vec<String> = args.iter().map(i32::to_string).collect();
            format!("{text}({})", args.join(","))
        };
        if args.is_empty() {
            let d = error(format!("`{text}` is a set of processes"));
            return d.help(self.by_scalars(symbol).unwrap_or_else(|| format!("name one of them: `{}`", call(first))));
        }
        let d = error(format!("there is no process `{}`", call(args)));
        let mut sorted = args.to_vec();
        sorted.sort_unstable();
        let permuted = sets.iter().find(|set| {
            let mut set = set.to_vec();
            set.sort_unstable();
            args.len() > 1 && set == sorted
        });
        let last = sets.last().unwrap_or(first);
        d.help(match (permuted, sets.len()) {
            (Some(set), _) => format!("did you mean `{}`?", call(set)),
            (None, 1) => format!("there is only `{}`", call(first)),
            (None, _) => format!("the processes are `{}` to `{}`", call(first), call(last)),
        })
    }

    fn name_of(&self, symbol: SymbolId) -> &str {
        self.tree.text(self.checked.symbols.get(symbol).name)
    }

    /// Returns the arguments of the processes of an entry of the system line, in order.
    fn argument_lists(&self, symbol: SymbolId) -> Vec<&Vec<i32>> {
        let mut lists: Vec<&Vec<i32>> =
            self.s.by_name.keys().filter(|(known, _)| *known == symbol).map(|(_, args)| args).collect();
        lists.sort_unstable();
        lists
    }

    /// Returns the entries of the system line that instantiate a template or instance.
    fn instances_of(&self, symbol: SymbolId) -> Vec<&str> {
        let mut made: Vec<(SymbolId, &str)> = self
            .s
            .by_name
            .keys()
            .map(|(entry, _)| *entry)
            .filter(|entry| self.is_made_from(*entry, symbol))
            .map(|entry| (entry, self.name_of(entry)))
            .collect();
        made.sort_unstable();
        made.dedup();
        made.into_iter().map(|(_, name)| name).collect()
    }

    fn is_made_from(&self, entry: SymbolId, of: SymbolId) -> bool {
        let mut at = entry;
        while at != of {
            match self.checked.symbols.get(at).kind {
                SymbolKind::Instance(i) => at = self.checked.instances[i as usize].of,
                _ => return false,
            }
        }
        true
    }

    /// Returns a suggestion for processes with a scalar as parameter, which can't be named by a
    /// number.
    fn by_scalars(&self, symbol: SymbolId) -> Option<String> {
        let text = self.name_of(symbol);
        let [param] = self.params_of(symbol)[..] else { return None };
        let ty = self.checked.symbols.get(param).ty;
        if !matches!(self.checked.types.kind(self.checked.types.base(ty)), TyKind::Scalar(..)) {
            return None;
        }
        let declared = self.tree.templates.iter().flat_map(|template| &template.params);
        let ty = declared.into_iter().find(|d| self.checked.symbols.at(d.name.span) == Some(param)).map(|d| d.ty)?;
        let ty = print::type_expression(self.tree, ty).trim_start_matches("const ").to_owned();
        Some(format!("quantify over them: `exists (i : {ty}) {text}(i)…` or `forall (i : {ty}) {text}(i)…`"))
    }
}
