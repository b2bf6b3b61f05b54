//! A solver that runs as a child process.

use std::fmt::Write;

use super::{
    FoundSolver,
    child::{Child, WaitLimit},
    error::SolverError,
};
use crate::{
    evaluate::{Evaluation, Leaves},
    script::{Expression, Logic, ScriptWriter, rational},
    solver::{SatResult, Solver},
    terms::{Real, Term, Terms},
};

/// The number of values in one query.
const VALUES_PER_QUERY: usize = 500;

/// The greatest number of expressions without content before an answer.
const MAX_NOISE: usize = 100;

/// A solver process with its assertions. The process is started on the first query, and again after
/// a failure.
#[derive(Debug)]
pub struct External {
    found: FoundSolver,
    one_shot: bool,
    asserted: Vec<Term>,
    session: Option<Session>,
    evaluation: Evaluation,
    values: SolverValues,
    core: Vec<Term>,
    logic: Logic,
}

#[derive(Debug)]
struct Session {
    child: Child,
    writer: ScriptWriter,
    /// The number of formulas that were sent.
    sent: usize,
    /// Names of terms that can be assumed.
    named: Vec<(Term, String)>,
    queries: u64,
}

/// SolverValues of the variables by their indices.
#[derive(Debug, Default)]
struct SolverValues {
    booleans: Vec<bool>,
    reals: Vec<(i64, i64)>,
}

impl Leaves for SolverValues {
    fn boolean(&self, _: usize, number: u32) -> bool {
        self.booleans.get(number as usize).copied().unwrap_or(false)
    }

    fn real(&self, x: Real) -> (i64, i64) {
        self.reals.get(x.0 as usize).copied().unwrap_or((0, 1))
    }
}

impl External {
    /// Creates an incremental solver.
    #[must_use]
    pub fn new(found: FoundSolver) -> External {
        External {
            found,
            one_shot: false,
            asserted: Vec::new(),
            session: None,
            evaluation: Evaluation::default(),
            values: SolverValues::default(),
            core: Vec::new(),
            logic: Logic::Differences,
        }
    }

    /// Creates a solver that is restarted for each query. Some solvers are faster if no other query
    /// follows.
    #[must_use]
    pub fn one_shot(found: FoundSolver) -> External {
        External { one_shot: true, ..External::new(found) }
    }

    /// Returns the program of the solver.
    #[must_use]
    pub fn found(&self) -> &FoundSolver {
        &self.found
    }

    fn ask(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> Result<SatResult, SolverError> {
        let needed = Logic::of(terms, &self.asserted).max(Logic::of(terms, assumptions));
        if needed > self.found.profile.logic {
            return Err(SolverError::Logic(needed));
        }
        if needed > self.logic || self.one_shot {
            self.session = None;
            self.logic = self.logic.max(needed);
        }
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::start(&self.found, self.one_shot, self.logic)?,
        };
        let mut text = session.new_assertions(terms, &self.asserted);
        let assuming = self.found.profile.assumptions && !self.one_shot && !assumptions.is_empty();
        let pushed = !assuming && !self.one_shot && !assumptions.is_empty();
        let answer = if assuming {
            session.check_assuming(terms, assumptions, &mut text);
            // Sent without a mark: yices forgets the names of assumptions after it. The next query
            // has one.
            session.child.send(text);
            session.answer(stop)?
        } else {
            session.check_asserting(terms, assumptions, pushed, &mut text);
            session.query(text, stop)?
        };
        let outcome = match answer {
            Expression::Word(word) if word == "sat" => {
                self.values = session.values(terms, stop)?;
                self.check_values(terms, assumptions)?;
                SatResult::Satisfiable
            }
            Expression::Word(word) if word == "unsat" => {
                self.core = if assuming { session.unsat_core(assumptions, stop)? } else { assumptions.to_vec() };
                SatResult::Unsatisfiable
            }
            Expression::Word(word) if word == "unknown" => {
                SatResult::Unknown(format!("{} answers `unknown`", self.found.profile.name))
            }
            other => return Err(SolverError::Answer(other)),
        };
        if pushed {
            session.child.send("(pop 1)\n".to_owned());
        }
        if !self.one_shot {
            self.session = Some(session);
        }
        Ok(outcome)
    }

    /// Checks that the solver's values satisfy all formulas.
    fn check_values(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<(), SolverError> {
        self.evaluation.invalidate();
        for t in self.asserted.iter().chain(assumptions) {
            if !self.evaluation.term(terms, *t, &self.values) {
                return Err(SolverError::WrongValues);
            }
        }
        Ok(())
    }
}

impl Session {
    fn start(found: &FoundSolver, one_shot: bool, logic: Logic) -> Result<Session, SolverError> {
        let profile = found.profile;
        let mut child = Child::start(&found.path, if one_shot { profile.one_shot } else { profile.incremental })?;
        let mut text = "(set-option :print-success false)\n(set-option :produce-models true)\n".to_owned();
        if profile.assumptions && !one_shot {
            text.push_str("(set-option :produce-unsat-assumptions true)\n");
        }
        let _ = writeln!(text, "(set-logic {})", logic.name());
        child.send(text);
        Ok(Session { child, writer: ScriptWriter::default(), sent: 0, named: Vec::new(), queries: 0 })
    }

    /// Returns the commands that assert the formulas that were not sent yet.
    fn new_assertions(&mut self, terms: &Terms, asserted: &[Term]) -> String {
        let mut text = String::new();
        for t in &asserted[self.sent..] {
            self.writer.assert(terms, *t, &mut text);
        }
        self.sent = asserted.len();
        text
    }

    /// Appends a check with assumptions.
    fn check_assuming(&mut self, terms: &Terms, assumptions: &[Term], text: &mut String) {
        let names: Vec<String> = assumptions.iter().map(|t| self.name(terms, *t, text)).collect();
        let _ = writeln!(text, "(check-sat-assuming ({}))", names.join(" "));
    }

    /// Appends a check that asserts the assumptions, on a level of their own if `pushed`.
    fn check_asserting(&mut self, terms: &Terms, assumptions: &[Term], pushed: bool, text: &mut String) {
        let written: Vec<String> = assumptions.iter().map(|t| self.writer.term(terms, *t, text)).collect();
        text.push_str(if pushed { "(push 1)\n" } else { "" });
        for t in written {
            let _ = writeln!(text, "(assert {t})");
        }
        text.push_str("(check-sat)\n");
    }

    /// Returns a literal that implies a term: assumptions must be literals.
    fn name(&mut self, terms: &Terms, t: Term, text: &mut String) -> String {
        if let Some((_, name)) = self.named.iter().find(|(other, _)| *other == t) {
            return name.clone();
        }
        let name = self.writer.fresh("assumed");
        let written = self.writer.term(terms, t, text);
        let _ = writeln!(text, "(declare-fun {name} () Bool)\n(assert (=> {name} {written}))");
        self.named.push((t, name.clone()));
        name
    }

    /// Sends commands of which one has an answer, and waits for the answer and for a mark after it.
    ///
    /// The mark shows that there is only one answer: a second one would be taken for the answer to
    /// the next query.
    fn query(&mut self, mut text: String, stop: &dyn Fn() -> bool) -> Result<Expression, SolverError> {
        self.queries += 1;
        let mark = format!("merkhet-{}", self.queries);
        let _ = writeln!(text, "(echo \"{mark}\")");
        self.child.send(text);
        let answer = self.answer(stop)?;
        if is_word(&answer, &mark) {
            return Err(SolverError::NoAnswer);
        }
        if is_word(&self.answer(stop)?, &mark) { Ok(answer) } else { Err(SolverError::SeveralAnswers) }
    }

    /// Receives the next expression with content.
    fn answer(&mut self, stop: &dyn Fn() -> bool) -> Result<Expression, SolverError> {
        for _ in 0..MAX_NOISE {
            match self.child.receive(WaitLimit::Until(stop))? {
                Expression::Word(word) if word == "success" || word == "unsupported" => {}
                error if is_error(&error) => return Err(SolverError::Answer(error)),
                other => return Ok(other),
            }
        }
        Err(SolverError::TooMuch)
    }

    /// Queries the values of all declared variables.
    fn values(&mut self, terms: &Terms, stop: &dyn Fn() -> bool) -> Result<SolverValues, SolverError> {
        let mut values = SolverValues { booleans: vec![false; terms.booleans()], reals: vec![(0, 1); terms.reals()] };
        let booleans: Vec<(u32, String)> = self.writer.booleans().map(|(n, name)| (n, name.to_owned())).collect();
        for batch in booleans.chunks(VALUES_PER_QUERY) {
            let names: Vec<&str> = batch.iter().map(|(_, name)| name.as_str()).collect();
            for ((number, name), value) in batch.iter().zip(self.get(&names, stop)?) {
                values.booleans[*number as usize] = match value {
                    Expression::Word(word) if word == "true" => true,
                    Expression::Word(word) if word == "false" => false,
                    other => return Err(SolverError::Value { name: name.clone(), value: other }),
                };
            }
        }
        let reals: Vec<(Real, String)> = self.writer.reals().map(|(x, name)| (x, name.to_owned())).collect();
        for batch in reals.chunks(VALUES_PER_QUERY) {
            let names: Vec<&str> = batch.iter().map(|(_, name)| name.as_str()).collect();
            for ((x, name), value) in batch.iter().zip(self.get(&names, stop)?) {
                values.reals[x.0 as usize] =
                    rational(&value).ok_or_else(|| SolverError::Value { name: name.clone(), value })?;
            }
        }
        Ok(values)
    }

    fn get(&mut self, names: &[&str], stop: &dyn Fn() -> bool) -> Result<Vec<Expression>, SolverError> {
        let answer = self.query(format!("(get-value ({}))\n", names.join(" ")), stop)?;
        let pairs = match answer {
            Expression::List(pairs) if pairs.len() == names.len() => pairs,
            other => return Err(SolverError::Answer(other)),
        };
        let value = |pair| match pair {
            Expression::List(mut pair) if pair.len() == 2 => pair.pop().ok_or(SolverError::NoValue),
            other => Err(SolverError::Answer(other)),
        };
        pairs.into_iter().map(value).collect()
    }

    /// Returns the assumptions of the unsatisfiable core.
    fn unsat_core(&mut self, assumptions: &[Term], stop: &dyn Fn() -> bool) -> Result<Vec<Term>, SolverError> {
        let Expression::List(list) = self.query("(get-unsat-assumptions)\n".to_owned(), stop)? else {
            return Err(SolverError::NoCore);
        };
        let mut core = Vec::new();
        for item in list {
            let named = self
                .named
                .iter()
                .find(|(t, name)| assumptions.contains(t) && matches!(&item, Expression::Word(word) if word == name));
            core.push(named.ok_or_else(|| SolverError::UnknownAssumption(item.clone()))?.0);
        }
        Ok(core)
    }
}

fn is_word(expression: &Expression, expected: &str) -> bool {
    matches!(expression, Expression::Word(word) | Expression::Text(word) if word == expected)
}

fn is_error(expression: &Expression) -> bool {
    matches!(expression, Expression::List(list) if matches!(list.first(), Some(Expression::Word(w)) if w == "error"))
}

impl Solver for External {
    fn assert(&mut self, _: &Terms, t: Term) {
        self.asserted.push(t);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> SatResult {
        self.core.clear();
        if stop() {
            return SatResult::Stopped;
        }
        match self.ask(terms, assumptions, stop) {
            Ok(outcome) => outcome,
            // A failed session is never used again. The next query starts a new one.
            Err(why) => {
                self.session = None;
                if stop() {
                    SatResult::Stopped
                } else {
                    SatResult::Unknown(format!("{} {why}", self.found.profile.name))
                }
            }
        }
    }

    fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.evaluation.term(terms, t, &self.values)
    }

    fn real(&mut self, _: &Terms, x: Real) -> (i64, i64) {
        self.values.real(x)
    }

    fn core(&self) -> &[Term] {
        &self.core
    }
}
