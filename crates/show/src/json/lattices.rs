//! The reports of `merkhet list lattices` and of `merkhet check --laws`.

use lattice::{LibraryEntry, ReturnType, Trend};
use serde::Serialize;

/// What `merkhet list lattices --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeLibraryReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The lattices.
    pub lattices: Vec<NamedLattice>,
}

/// A lattice that models can name.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedLattice {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: Vec<&'static str>,
    /// Its name with its arguments.
    pub signature: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Its order and its join.
    pub laws: &'static str,
    /// What `v[i]` does when the element grows; null if it has no bits.
    pub bits: Option<Growth>,
    /// What members are declared with, as `intvar` in `oct.intvar i;`; null if there are none.
    pub member: Option<&'static str>,
    /// The methods that models can call. Products and vectors have none of their own, only those of
    /// their components.
    pub methods: Vec<NamedMethod>,
    /// A declaration and its use.
    pub example: &'static str,
}

/// A method of a lattice.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedMethod {
    /// Its name.
    pub name: String,
    /// The names of its arguments, all of them integers.
    pub parameters: Vec<&'static str>,
    /// Its type: `bool`, `int`, or null for none.
    pub result: Option<&'static str>,
    /// Whether it changes the element.
    pub changes: bool,
    /// What the result does when the element grows; null if there is no result.
    pub trend: Option<Growth>,
    /// What it does.
    pub help: &'static str,
}

/// What a value does when the element grows.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// It may do both.
    Varies,
}

impl Growth {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Growth::Rises => "rises",
            Growth::Falls => "falls",
            Growth::Varies => "varies",
        }
    }
}

impl From<Trend> for Growth {
    fn from(trend: Trend) -> Growth {
        match trend {
            Trend::Rises => Growth::Rises,
            Trend::Falls => Growth::Falls,
            Trend::Varies => Growth::Varies,
        }
    }
}

impl From<&LibraryEntry> for NamedLattice {
    fn from(entry: &LibraryEntry) -> NamedLattice {
        let specimen = entry.specimen();
        let specimen = specimen.as_deref();
        let bits = specimen.filter(|lattice| !lattice.bits().is_empty()).map(|lattice| lattice.bit_trend().into());
        NamedLattice {
            name: entry.name,
            aliases: entry.aliases.to_vec(),
            signature: entry.signature,
            help: entry.help,
            laws: entry.laws,
            bits,
            member: entry.member,
            methods: specimen.map_or(&[][..], |lattice| lattice.methods()).iter().map(Into::into).collect(),
            example: entry.example,
        }
    }
}

impl From<&lattice::Method> for NamedMethod {
    fn from(method: &lattice::Method) -> NamedMethod {
        let result = match method.result {
            ReturnType::Nothing => "",
            ReturnType::Bool => "bool",
            ReturnType::Int => "int",
        };
        NamedMethod {
            name: method.name.to_string(),
            parameters: method.parameters.to_vec(),
            result: (!result.is_empty()).then_some(result),
            changes: method.changes,
            trend: (method.result != ReturnType::Nothing).then(|| method.trend.into()),
            help: method.help,
        }
    }
}

/// The laws of the lattices of a model.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Laws {
    /// The lattices.
    pub lattices: Vec<CheckedLattice>,
    /// How many guards, invariants and updates depend on elements of lattices.
    pub dependent: usize,
    /// How many of these are not monotone. They are not checked if a law of a lattice is violated.
    pub not_monotone: usize,
}

/// A lattice whose laws were checked.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckedLattice {
    /// Its name, with its arguments.
    pub name: String,
    /// The variables whose values are its elements.
    pub variables: Vec<String>,
    /// The number of elements that the laws were checked on.
    pub elements: usize,
    /// Whether these are all elements of the lattice.
    pub complete: bool,
    /// How many laws do not hold.
    pub violations: usize,
}

impl From<verify::Laws> for Laws {
    fn from(laws: verify::Laws) -> Laws {
        let lattice = |lattice: verify::CheckedLattice| {
            let verify::CheckedLattice { name, variables, elements, complete, violations } = lattice;
            CheckedLattice { name, variables, elements, complete, violations }
        };
        Laws {
            lattices: laws.lattices.into_iter().map(lattice).collect(),
            dependent: laws.pieces,
            not_monotone: laws.lost,
        }
    }
}
