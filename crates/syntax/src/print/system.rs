//! Prints the sections that XTA and XML share: global declarations and the system section.

use rustc_hash::FxHashSet;

use super::writer::Printer;
use crate::{ast::Decl, names::Sym};

impl Printer<'_> {
    /// Prints the global declarations.
    pub(super) fn globals(&mut self) {
        // An instantiation belongs to the system section, wherever it is written.
        let decls: Vec<&Decl> = self.tree.decls.iter().filter(|d| !matches!(d, Decl::Instantiation(_))).collect();
        self.declarations(&decls);
    }

    /// Prints the system section, with all remaining comments.
    pub(super) fn system(&mut self) {
        let tree = self.tree;
        let early = tree.decls.iter().filter(|d| matches!(d, Decl::Instantiation(_)));
        // Live sequence charts are not printed, so they can't be instantiated.
        let mut charts: FxHashSet<Sym> = tree.charts.iter().map(|c| c.sym).collect();
        let decls: Vec<&Decl> = early
            .chain(&tree.system_decls)
            .filter(|d| !matches!(d, Decl::Instantiation(i) if charts.contains(&i.template.sym) && charts.insert(i.name.sym)))
            .collect();
        self.declarations(&decls);
        self.ignored("IO declarations");
        self.system_line(&charts);
        self.progress();
        self.ignored("gantt charts");
        self.space();
        let left = self.comments.rest();
        self.comment_lines(left);
    }

    /// Copies features of which the tree only has the span.
    fn ignored(&mut self, name: &str) {
        for (_, span) in self.tree.ignored.iter().filter(|(n, _)| *n == name) {
            self.space();
            self.verbatim_item(*span);
        }
    }

    fn system_line(&mut self, charts: &FxHashSet<Sym>) {
        let Some(span) = self.tree.system.span else { return };
        self.space();
        self.item(span, |p| {
            p.write("system ");
            let processes = p.tree.system.processes.iter().filter(|(name, _)| !charts.contains(&name.sym));
            for (i, (name, above)) in processes.enumerate() {
                if i > 0 {
                    p.write(if *above { " < " } else { ", " });
                }
                p.name(name.sym);
            }
            p.write(";");
        });
    }

    fn progress(&mut self) {
        if self.tree.progress.is_empty() {
            return;
        }
        self.start_spaced();
        self.write("progress {");
        self.end_line();
        self.nested(|p| {
            for &(guard, measure) in &p.tree.progress {
                let end = p.tree.span(measure);
                p.item(guard.map_or(end, |g| p.tree.span(g).to(end)), |p| {
                    if let Some(guard) = guard {
                        p.expr(guard);
                        p.write(" : ");
                    }
                    p.expr(measure);
                    p.write(";");
                });
            }
        });
        self.write("}");
        self.end_line();
    }

    /// Starts a line after a blank one.
    pub(super) fn start_spaced(&mut self) {
        self.space();
        self.start_line(u32::MAX);
    }
}
