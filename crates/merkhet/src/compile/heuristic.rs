//! Heuristics: `user(EXPRESSION)` is an expression of the model.

use model::{Property, Quantity, code::Pc};
use verify::{Heuristic, OptionError};

use super::{Compiler, messages};

impl Compiler<'_> {
    /// Compiles a list of heuristics.
    pub(super) fn heuristics(&mut self, text: &str) -> Result<Vec<Heuristic>, OptionError> {
        let heuristics = verify::heuristics(text, &mut |expression| match expression {
            Some(text) if text.trim().is_empty() => {
                Err(OptionError::Expression("`user()` lacks an expression; write `user(EXPRESSION)`".to_owned()))
            }
            Some(text) => self.heuristic(text).map_err(OptionError::Expression),
            // A variable or a function of that name.
            None => self.heuristic("heuristic").or_else(|_| self.heuristic("heuristic()")).map_err(|_| {
                OptionError::Expression("the model declares no integer variable or function `heuristic`".to_owned())
            }),
        })?;
        heuristics.iter().try_for_each(|one| one.check(&self.model.system))?;
        Ok(heuristics)
    }

    /// Compiles an expression to estimate distances.
    fn heuristic(&mut self, text: &str) -> Result<Pc, String> {
        let query = self.values(text, "<heuristic>").map_err(|problems| {
            if problems.iter().any(|d| d.code == "side-effect") {
                return format!("the heuristic `{text}` changes something, and a heuristic may only read");
            }
            let all = problems.iter().flat_map(|d| [&d.message].into_iter().chain(&d.help));
            format!("the heuristic `{text}` is wrong: {}", messages(all.map(String::as_str)))
        })?;
        let (extended, property) = self.system.with(&query);
        if let Property::Bounds { quantities, .. } = property
            && let [Quantity::Integer(code)] = quantities[..]
        {
            *self.system = extended;
            return Ok(code);
        }
        Err(format!("the heuristic `{text}` is not one integer expression"))
    }
}
