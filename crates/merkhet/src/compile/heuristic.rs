//! Heuristics: `user(EXPRESSION)` is an expression of the model.

use model::{Property, Quantity, code::Pc};
use verify::{Heuristic, OptionError};

use super::{Compiler, error::ExpressionError, messages};
use crate::{Options, OptionsError, options::Choices};

impl Compiler<'_> {
    /// Returns the heuristic that is a function of the user, with those in `--heuristic`.
    pub(super) fn function(&mut self, options: &Options) -> Result<Vec<Heuristic>, OptionsError> {
        if let Some(order) = options.order.filter(|order| !order.is_directed()) {
            return Err(OptionsError::BlindOrder(order.name()));
        }
        let named = options.heuristic.as_ref().map(|text| self.heuristics(text).map_err(OptionsError::Heuristic));
        let own = options.functions.heuristic.clone().map(Heuristic::Function);
        Ok(own.into_iter().chain(named.transpose()?.unwrap_or_default()).collect())
    }

    /// Compiles a list of heuristics.
    pub(super) fn heuristics(&mut self, text: &str) -> Result<Vec<Heuristic>, OptionError> {
        let heuristics = verify::heuristics(text, &mut |expression| match expression {
            Some(text) if text.trim().is_empty() => {
                Err(OptionError::Expression("`user()` lacks an expression; write `user(EXPRESSION)`".to_owned()))
            }
            Some(text) => Ok(self.heuristic(text)?),
            // A variable or a function of that name.
            None => self.heuristic("heuristic").or_else(|_| self.heuristic("heuristic()")).map_err(|_| {
                OptionError::Expression("the model declares no integer variable or function `heuristic`".to_owned())
            }),
        })?;
        heuristics.iter().try_for_each(|one| one.check(&self.model.system))?;
        Ok(heuristics)
    }

    /// Compiles an expression to estimate distances.
    fn heuristic(&mut self, text: &str) -> Result<Pc, ExpressionError> {
        let query = self.values(text, "<heuristic>").map_err(|problems| {
            if problems.iter().any(|d| d.code == "side-effect") {
                return ExpressionError::HeuristicWrites(text.to_owned());
            }
            let all = problems.iter().flat_map(|d| [&d.message].into_iter().chain(&d.help));
            ExpressionError::WrongHeuristic(text.to_owned(), messages(all.map(String::as_str)))
        })?;
        let (extended, property) = self.system.with(&query);
        if let Property::Bounds { quantities, .. } = property
            && let [Quantity::Integer(code)] = quantities[..]
        {
            *self.system = extended;
            return Ok(code);
        }
        Err(ExpressionError::HeuristicType(text.to_owned()))
    }
}
