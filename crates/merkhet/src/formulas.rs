//! Formulas instead of states: which, and what solves them.

use std::{cell::RefCell, rc::Rc};

use bounded::net::NetEncoding;
use model::Model;
use smt::{
    Embedded, Real, SatResult, Solver, Term, Terms,
    process::{External, FoundSolver, SOLVERS, find},
    script::script,
};
use syntax::nearest;
use verify::{FormulaOptions, Method};

use crate::{EngineChoice, Options, OptionsError, SolverError, TraceChoice};

/// The number of clocks up to which nets are searched by zones. With more clocks a zone takes
/// megabytes.
const MAX_CLOCKS: usize = 200;

/// The choice of formulas.
pub(crate) struct Formulas {
    pub options: FormulaOptions,
    solver: Option<FoundSolver>,
    script: Option<Rc<RefCell<String>>>,
}

impl Formulas {
    /// Returns the formulas that options ask for; `None`: zones answer.
    pub(crate) fn choose(options: &Options, model: &Model) -> Result<Option<Formulas>, OptionsError> {
        let net = model.tree.net.as_deref();
        let wish = options.only_formulas();
        match (options.engine, wish) {
            (EngineChoice::Zones, Some(option)) => return Err(OptionsError::OnlyFormulas(option)),
            (EngineChoice::Zones, None) => return Ok(None),
            (EngineChoice::Auto, None) if net.is_none() || model.system.clocks.len() <= MAX_CLOCKS => return Ok(None),
            (EngineChoice::Auto | EngineChoice::Smt, _) => {}
        }
        let of_nets = [
            (options.encoding.is_some(), "--encoding"),
            (options.steps.is_some(), "--steps"),
            (options.replace.is_some(), "--replace"),
            (!options.reduce, "--no-reduce"),
            (options.method == Some(Method::Interpolation), "--method interpolation"),
        ];
        if let (None, Some((_, option))) = (net, of_nets.iter().find(|(is_given, _)| *is_given)) {
            return Err(OptionsError::OnlyNets(option));
        }
        let defaults = FormulaOptions::default();
        let encoding = options.encoding.unwrap_or(defaults.encoding);
        let is_papers = matches!(encoding, NetEncoding::Linear | NetEncoding::Differences);
        if options.replace.is_some() && !is_papers {
            return Err(OptionsError::Replace);
        }
        if options.steps.is_some() && is_papers {
            return Err(OptionsError::Steps);
        }
        let method = match (options.method, options.bound) {
            (Some(Method::Invariant), Some(_)) => return Err(OptionsError::BoundedInvariant),
            (Some(method), _) => method,
            (None, Some(_)) => Method::Search,
            (None, None) => Method::Invariant,
        };
        let formulas = FormulaOptions {
            encoding,
            replacing: options.replace.unwrap_or(defaults.replacing),
            steps: options.steps.unwrap_or(defaults.steps),
            bound: options.bound,
            method,
            reduces: options.reduce,
            traces: options.trace != TraceChoice::None || options.certificate,
        };
        let solver = solver(options.solver.as_deref())?;
        Ok(Some(Formulas { options: formulas, solver, script: options.script.then(Rc::default) }))
    }

    /// Makes a solver.
    pub(crate) fn solver(&self) -> Box<dyn Solver> {
        let solver: Box<dyn Solver> = match &self.solver {
            None => Box::new(Embedded::new()),
            Some(found) => Box::new(External::new(found.clone())),
        };
        match &self.script {
            None => solver,
            Some(script) => Box::new(Recorder { solver, facts: Vec::new(), script: Rc::clone(script) }),
        }
    }

    /// Returns the name of the solver.
    pub(crate) fn solver_name(&self) -> &'static str {
        self.solver.as_ref().map_or("embedded", |found| found.profile.name)
    }

    /// Returns the last formula that was solved, if it was to be kept.
    pub(crate) fn script(&self) -> Option<String> {
        let script = self.script.as_ref()?.borrow();
        (!script.is_empty()).then(|| script.clone())
    }
}

/// Returns the solver of a name; `None` is the built-in one.
///
/// # Errors
/// There is no such solver, or it is not installed.
pub fn solver(name: Option<&str>) -> Result<Option<FoundSolver>, SolverError> {
    let Some(name) = name.filter(|name| *name != "embedded") else { return Ok(None) };
    let Some(profile) = SOLVERS.iter().find(|profile| profile.name == name) else {
        let names = || SOLVERS.iter().map(|profile| profile.name).chain(["embedded"]);
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(SolverError::Unknown { name: name.to_owned(), hint });
    };
    let missing = || SolverError::Missing { name: profile.name, programs: profile.programs.to_vec() };
    find(profile).map(Some).ok_or_else(missing)
}

/// Keeps the last question as a script.
struct Recorder {
    solver: Box<dyn Solver>,
    facts: Vec<Term>,
    script: Rc<RefCell<String>>,
}

impl Solver for Recorder {
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.facts.push(t);
        self.solver.assert(terms, t);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> SatResult {
        let all: Vec<Term> = self.facts.iter().chain(assumptions).copied().collect();
        *self.script.borrow_mut() = script(terms, &all);
        self.solver.check(terms, assumptions, stop)
    }

    fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.solver.holds(terms, t)
    }

    fn real(&mut self, terms: &Terms, x: Real) -> (i64, i64) {
        self.solver.real(terms, x)
    }

    fn core(&self) -> &[Term] {
        self.solver.core()
    }
}
