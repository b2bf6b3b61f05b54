//! Interned names.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

/// The set of names of a tree.
#[derive(Clone, Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, Sym>,
}

macro_rules! known_words {
    ($($constant:ident = $text:literal),* $(,)?) => {
        /// Words of the grammar that are not reserved: they are names wherever a name is legal, so
        /// that models written before UPPAAL reserved them can still be parsed.
        #[allow(missing_docs)]
        pub mod word {
            use super::Sym;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum WordIndex { $($constant),* }
            $(pub const $constant: Sym = Sym(WordIndex::$constant as u32);)*
        }
        pub(crate) const KNOWN_WORDS: &[&str] = &[$($text),*];
    };
}

known_words! {
    XOR = "xor", SUM = "sum", IMPORT = "import", PROGRESS = "progress", GANTT = "gantt", IO = "IO",
    DOUBLE = "double", STRING = "string", HYBRID = "hybrid", DYNAMIC = "dynamic", SPAWN = "spawn", EXIT = "exit",
    NUM_OF = "numOf", FOREACH = "foreach", QUERY = "query", LOCATION = "location", PROBABILITY = "probability",
    BRANCHPOINT = "branchpoint", ASSERT = "assert", SUP = "sup", INF = "inf", BOUNDS = "bounds", UNDER = "under",
    PRIORITY = "priority", SWITCH = "switch", BREAK = "break", CONTINUE = "continue", A = "A", E = "E",
    LABEL = "label", EXTERN = "extern",
}

impl Default for Names {
    fn default() -> Names {
        let mut names = Names { texts: Vec::new(), index: FxHashMap::default() };
        for word in KNOWN_WORDS {
            names.intern(word);
        }
        names
    }
}

impl Names {
    /// Interns `text`.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(&sym) = self.index.get(text) {
            return sym;
        }
        let sym = Sym(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, sym);
        sym
    }

    /// Returns the symbol of `text` if it is interned.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.index.get(text).copied()
    }

    /// Enumerates all names.
    pub fn iter(&self) -> impl Iterator<Item = (Sym, &str)> {
        self.texts.iter().zip(0..).map(|(text, i)| (Sym(i), &**text))
    }

    /// Returns the text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        &self.texts[sym.0 as usize]
    }
}
