//! Expressions of the model's query language.

use merkhet::{ConditionError, condition, plain, reading};
use model::{Formula, LoweredQuery, Property, System, replay::Refusal, simulate::Simulator};
use syntax::{
    Diagnostic,
    ast::{Query, QueryKind},
};

use super::{CommandError, session::Session};
use crate::json::simulate::ExpressionValue;

impl Session {
    /// A condition on states, and the system with its code and that of other conditions.
    pub fn formula(&mut self, text: &str) -> Result<(System, Formula), CommandError> {
        condition(text, &self.origin, &mut self.sources, &mut self.model, &self.system).map_err(|why| match why {
            ConditionError::Kind => CommandError::new(why.to_string()).help("for example `P.a and x > 3`"),
            ConditionError::Refused(diagnostics) => refused(diagnostics),
        })
    }

    /// The value of an expression, or of all elements of a variable.
    pub fn show(&mut self, text: &str) -> Result<Vec<ExpressionValue>, CommandError> {
        let text = plain(text);
        let elements = self.elements(&text);
        if !elements.is_empty() {
            return Ok(elements);
        }
        let fault = |fault| CommandError::from(Refusal::Fault(0, fault));
        // What has bounds has a value; everything else is true or false.
        if let Ok((query, lowered)) = self.query(format!("sup: {text}"))
            && let (system, Property::Bounds { quantities, .. }) = self.model.system.with(&lowered)
            && let ([quantity], QueryKind::Sup(_, list)) = (&quantities[..], &query.kind)
        {
            let value = Simulator::new(&system).value(quantity, self.state()).map_err(fault)?;
            let is_bool = self.model.tree.list(*list).first().is_some_and(|e| self.model.is_bool(*e));
            let value = match (is_bool, value.numerator()) {
                (true, 0) => "false".to_owned(),
                (true, _) => "true".to_owned(),
                _ => value.to_string(),
            };
            return Ok(vec![ExpressionValue { expression: text, value }]);
        }
        let (system, formula) = self.formula(&text)?;
        let holds = Simulator::new(&system).holds(&formula, self.state()).map_err(fault)?;
        let value = match holds {
            Some(true) => "true",
            Some(false) => "false",
            None => "unknown",
        };
        Ok(vec![ExpressionValue { expression: text, value: value.to_owned() }])
    }

    /// The elements of an array or a struct.
    fn elements(&self, name: &str) -> Vec<ExpressionValue> {
        let system = &self.model.system;
        let row = &self.state().row;
        if let Some(v) = system.lattices.iter().find(|v| v.name == name) {
            return vec![ExpressionValue { expression: name.to_owned(), value: system.show(v, row) }];
        }
        let Some(variable) = system.variables.iter().find(|v| v.name == name) else { return Vec::new() };
        let size = variable.shape.size().ints;
        if size < 2 {
            return Vec::new();
        }
        let value =
            |slot: u32| ExpressionValue { expression: system.slot_name(slot), value: row[slot as usize].to_string() };
        (variable.first..variable.first + size).map(value).collect()
    }

    fn query(&mut self, text: String) -> Result<(Query, LoweredQuery), CommandError> {
        reading::query(&text, &self.origin, &mut self.sources, &mut self.model).map_err(refused)
    }
}

/// The errors of an expression.
fn refused(diagnostics: Vec<Diagnostic>) -> CommandError {
    let message = diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone()).unwrap_or_default();
    CommandError { message, diagnostics, ..CommandError::default() }
}
