//! Models for tests.

use model::{Model, system::LatticeOrder};
use syntax::{Diagnostic, Format, Sources};

/// Reads a model from XTA text, and returns its diagnostics with the text under them.
pub fn try_load(text: &str) -> Result<(Sources, Model), Vec<(Diagnostic, String)>> {
    oracle::read_model(text, Format::Xta).map_err(|(sources, diagnostics)| {
        let quote = |d: Diagnostic| {
            let text = sources.text(d.primary.span).to_owned();
            (d, text)
        };
        diagnostics.into_iter().map(quote).collect()
    })
}

/// Reads a model from XTA text, which must be correct.
#[track_caller]
pub fn load(text: &str) -> Model {
    try_load(text).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{text}")).1
}

/// Returns a model with these declarations, and one edge with this label.
pub fn one_edge(declarations: &str, label: &str) -> String {
    format!("{declarations}\nprocess P() {{ state L0, L1; init L0; trans L0 -> L1 {{ {label} }}; }}\nsystem P;")
}

/// Formats the lattice elements of a row.
pub fn elements(model: &Model, row: &[i32]) -> String {
    let texts = model.system.lattices.iter().map(|v| {
        let element = &row[v.first as usize..(v.first + v.width) as usize];
        match v.order {
            LatticeOrder::Library(number) => {
                format!("{}={}", v.name, model.system.library[number as usize].0.show(element))
            }
            LatticeOrder::Model(_) => format!("{}={element:?}", v.name),
        }
    });
    texts.collect::<Vec<_>>().join(" ")
}
