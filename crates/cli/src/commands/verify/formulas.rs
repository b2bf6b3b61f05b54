//! Asks solvers instead of searching.

use std::{cell::RefCell, io::Write, rc::Rc};

use explore::search::Limits;
use model::{Model, Property, System, net::Net};
use smt::{
    Embedded, Real, SatResult, Solver, Term, Terms,
    process::{External, FoundSolver, SOLVERS, find},
    script::script,
};
use syntax::nearest;
use verify::{Answer, FormulaOptions, Proof};

use crate::{
    args::word,
    args::{Encoding, Engine, Method, Steps, TraceKind, VerifyArgs},
    json::verify::Formulas,
    outputs::{Outputs, Target},
    progress::Console,
};

/// With more clocks a zone takes megabytes.
const MOST_CLOCKS: usize = 200;

/// What was chosen, and who solves.
pub struct Setup {
    options: FormulaOptions,
    encoding: Option<String>,
    solver: Option<FoundSolver>,
    script: Option<Target>,
    written: Rc<RefCell<String>>,
}

impl Setup {
    /// What the command line says; `None` where zones answer.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn new(verify: &VerifyArgs, outputs: &mut Outputs, model: &Model) -> Result<Option<Setup>, String> {
        let args = &verify.formulas;
        let net = model.tree.net.as_deref();
        match args.engine {
            Engine::Zones => {
                return match args.wish() {
                    Some(option) => Err(format!("{option} is for formulas; take it with --engine smt")),
                    None => Ok(None),
                };
            }
            Engine::Auto if args.wish().is_none() && (net.is_none() || model.system.clocks.len() <= MOST_CLOCKS) => {
                return Ok(None);
            }
            Engine::Auto | Engine::Smt => {}
        }
        let encoding = args.encoding.unwrap_or(Encoding::Event);
        let of_nets = [
            (args.encoding.is_some(), "--encoding"),
            (args.steps.is_some(), "--steps"),
            (args.raw, "--raw"),
            (args.no_reduce, "--no-reduce"),
        ];
        if let (None, Some((_, option))) = (net, of_nets.iter().find(|(is_given, _)| *is_given)) {
            return Err(format!("{option} is for nets, and the model is none"));
        }
        let papers = matches!(encoding, Encoding::La | Encoding::Dl);
        if args.raw && !papers {
            return Err("--raw is for the encodings `la` and `dl`".to_owned());
        }
        if args.steps.is_some() && papers {
            return Err("--steps is for the encodings `event` and `dl-exact`".to_owned());
        }
        let options = FormulaOptions {
            encoding: encoding.into(),
            raw: args.raw,
            steps: args.steps.unwrap_or(Steps::Exists).into(),
            bound: args.bound,
            method: match (args.method, args.bound) {
                (Some(Method::Search), _) | (None, Some(_)) => verify::Method::Search,
                (Some(Method::Induction), _) => verify::Method::Induction,
                (Some(Method::Invariant), None) | (None, None) => verify::Method::Invariant,
                (Some(Method::Invariant), Some(_)) => {
                    return Err("--bound does not go with --method invariant".to_owned());
                }
            },
            reduces: !args.no_reduce,
            traces: verify.trace != TraceKind::None || verify.trace_file.is_some() || verify.certificate.is_some(),
        };
        Ok(Some(Setup {
            options,
            encoding: net.map(|_| word(encoding)),
            solver: solver(args.solver.as_deref())?,
            script: args.smt_lib.as_deref().map(|path| outputs.start(path)).transpose()?,
            written: Rc::default(),
        }))
    }

    /// Answers a property.
    pub fn answer(
        &self,
        system: &System,
        net: Option<&Net>,
        property: &Property,
        limits: &Limits<'_>,
        console: &Console<'_, '_>,
    ) -> (Answer, Result<Proof, &'static str>) {
        let make = || -> Box<dyn Solver> {
            match &self.solver {
                None => Box::new(Embedded::new()),
                Some(found) => Box::new(External::new(found.clone())),
            }
        };
        let mut solvers = || -> Box<dyn Solver> {
            match self.script {
                None => make(),
                Some(_) => Box::new(Recorder { solver: make(), facts: Vec::new(), script: Rc::clone(&self.written) }),
            }
        };
        verify::answer_by_formulas(system, net, property, &self.options, &mut solvers, limits, &mut |asked| {
            console.asks(asked);
        })
    }

    /// What is said about the formulas of an answer.
    pub fn told(&self, asked: &verify::Asked) -> Formulas {
        Formulas {
            encoding: self.encoding.clone(),
            solver: self.solver.as_ref().map_or("embedded", |found| found.profile.name),
            steps: asked.steps,
            places: asked.net.map(|(places, _)| places),
            transitions: asked.net.map(|(_, transitions)| transitions),
            booleans: asked.booleans,
            reals: asked.reals,
            nodes: asked.nodes,
            variables: asked.written.map(|size| size.variables),
            constraints: asked.written.map(|size| size.constraints),
            levels: asked.levels,
            clauses: asked.clauses,
            induction: asked.induction,
        }
    }

    /// Writes the script, if one is wanted. Returns a note about it.
    ///
    /// # Errors
    /// Why that is impossible.
    pub fn finish(self) -> Result<Option<String>, String> {
        let Some(mut target) = self.script else { return Ok(None) };
        let script = self.written.borrow();
        if script.is_empty() {
            return Ok(Some(format!("`{}` was not written: no formula was asked about", target.path().display())));
        }
        target.write_all(script.as_bytes()).map_err(|e| target.unwritable(&e))?;
        target.finish("a formula").map(Some)
    }
}

/// The solver of a name; `None` is our own.
///
/// # Errors
/// It is not here, or nobody knows it.
pub fn solver(name: Option<&str>) -> Result<Option<FoundSolver>, String> {
    let Some(name) = name.filter(|name| *name != "embedded") else { return Ok(None) };
    let Some(profile) = SOLVERS.iter().find(|profile| profile.name == name) else {
        let names = || SOLVERS.iter().map(|profile| profile.name).chain(["embedded"]);
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(format!("there is no solver `{name}`; {hint}"));
    };
    match find(profile) {
        Some(found) => Ok(Some(found)),
        None => Err(format!(
            "the solver `{name}` is not here: no {} on the PATH, and MERKHET_{} names none",
            profile.programs.join(" or "),
            name.to_ascii_uppercase()
        )),
    }
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
