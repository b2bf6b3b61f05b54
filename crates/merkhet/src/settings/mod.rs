//! Options by their names: one table from which command lines, other languages and documentation
//! are made.
//!
//! ```
//! use merkhet::settings::{self, Given, Settings};
//!
//! let mut settings = Settings::default();
//! settings::named("order")?.set(&mut settings, Given::Text("dfs"))?;
//! assert_eq!(settings.options.order, Some(merkhet::Order::Dfs));
//! let wrong = settings::named("ordr").unwrap_err();
//! assert_eq!(wrong.to_string(), "there is no option `ordr`; did you mean `order`?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod table;
mod value;

use std::time::Duration;

use syntax::nearest;
use thiserror::Error;

use crate::{Choices, Fraction, Limits, Options};

pub use table::ALL;
pub use value::{ValueError, bytes, duration};

/// What options say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How queries are answered.
    pub options: Options,
    /// The limits of the work.
    pub limits: Limits,
}

/// Options that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The order of the search.
    Search,
    /// The states that are stored.
    StateSpace,
    /// What shows an answer.
    Evidence,
    /// Limits on the work.
    Limits,
    /// Formulas instead of states.
    Formulas,
    /// Statistical queries.
    Statistics,
}

impl Group {
    /// Returns its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Group::Search => "Search",
            Group::StateSpace => "State space",
            Group::Evidence => "Evidence",
            Group::Limits => "Limits",
            Group::Formulas => "Formulas",
            Group::Statistics => "Statistics",
        }
    }
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, with dashes.
    pub name: &'static str,
    /// Where help lists it.
    pub group: Group,
    /// What it is, in one sentence without a full stop.
    pub help: &'static str,
    /// More about it: paragraphs, or nothing.
    pub details: &'static str,
    /// What its values are.
    pub kind: Kind,
}

/// The values of an option.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One value of a table.
    Choice(ChoiceKind),
    /// It is given or not.
    Flag(fn(&mut Settings)),
    /// It is given or not. A command line writes what it asks for into a file.
    File(fn(&mut Settings)),
    /// A number in a range.
    Number {
        /// The least one.
        least: u64,
        /// The greatest one.
        most: u64,
        /// The word for it in help.
        metavar: &'static str,
        /// The number without the option, unless that depends on other options.
        default: Option<u64>,
        /// Sets it.
        set: fn(&mut Settings, u64),
    },
    /// A number between 0 and 1, both excluded.
    Fraction {
        /// The word for it in help.
        metavar: &'static str,
        /// The number without the option.
        default: &'static str,
        /// Sets it.
        set: fn(&mut Settings, Fraction),
    },
    /// Text.
    Text {
        /// The word for it in help.
        metavar: &'static str,
        /// Sets it.
        set: fn(&mut Settings, String),
    },
    /// A time: seconds, or a number with a unit.
    Time(fn(&mut Settings, Duration)),
    /// An amount of memory: bytes, or a number with a unit.
    Size(fn(&mut Settings, usize)),
}

/// An option with a table of values.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceKind {
    /// The names of the values, and what they mean.
    pub values: fn() -> Vec<(&'static str, &'static str)>,
    /// The value without the option, unless that depends on other options.
    pub default: Option<&'static str>,
    /// The word for it in help, if it is not the name of the option.
    pub metavar: Option<&'static str>,
    /// Sets the value with a name. Returns whether there is one.
    set: fn(&mut Settings, &str) -> bool,
}

/// The value that is given to an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<'v> {
    /// Whether a flag is set.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// A time.
    Time(Duration),
    /// Text: any value can be given as on the command line.
    Text(&'v str),
}

/// Why an option can't be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// There is no such option.
    #[error("there is no option `{name}`{}", did_you_mean(.near.as_deref()))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The nearest name of an option.
        near: Option<String>,
    },
    /// There is no such value.
    #[error("`{name}` has no value `{value}`{}", near.as_ref().map_or_else(|| format!("; there are {all}"), |near| did_you_mean(Some(near))))]
    NoValue {
        /// The name of the option.
        name: String,
        /// The value that was given.
        value: String,
        /// The nearest value.
        near: Option<String>,
        /// All values.
        all: String,
    },
    /// The value is wrong.
    #[error("`{name}`: {why}")]
    Wrong {
        /// The name of the option.
        name: String,
        /// What is wrong.
        why: ValueError,
    },
    /// The value is of another kind.
    #[error("`{name}` takes {expected}")]
    Kind {
        /// The name of the option.
        name: String,
        /// What it takes.
        expected: &'static str,
    },
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// Returns the option with a name, in which `_` is as good as `-`.
///
/// # Errors
/// There is none; the error has the nearest name.
pub fn named(name: &str) -> Result<&'static Setting, SettingError> {
    let written = name.replace('_', "-");
    ALL.iter().find(|setting| setting.name == written).ok_or_else(|| {
        let near = nearest(&written, ALL.iter().map(|setting| setting.name));
        // The suggestion is written as the mistake is.
        let near = near.map(|near| if name.contains('_') { near.replace('-', "_") } else { near.to_owned() });
        SettingError::Unknown { name: name.to_owned(), near }
    })
}

impl Setting {
    /// Sets the option.
    ///
    /// # Errors
    /// The value is wrong.
    pub fn set(&self, settings: &mut Settings, given: Given<'_>) -> Result<(), SettingError> {
        let wrong = |why| SettingError::Wrong { name: self.name.to_owned(), why };
        let kind = |expected| SettingError::Kind { name: self.name.to_owned(), expected };
        match (self.kind, given) {
            (Kind::Choice(choice), Given::Text(text)) => {
                if !(choice.set)(settings, text) {
                    let names: Vec<&str> = (choice.values)().into_iter().map(|(name, _)| name).collect();
                    return Err(SettingError::NoValue {
                        name: self.name.to_owned(),
                        value: text.to_owned(),
                        near: nearest(text, names.iter().copied()).map(str::to_owned),
                        all: names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                    });
                }
            }
            (Kind::Choice(_), _) => return Err(kind("the name of a value")),
            (Kind::Flag(set) | Kind::File(set), Given::Flag(true)) => set(settings),
            (Kind::Flag(_) | Kind::File(_), Given::Flag(false)) => {}
            (Kind::Flag(_) | Kind::File(_), _) => return Err(kind("no value but whether it is set")),
            (Kind::Number { least, most, set, .. }, Given::Number(number)) => {
                if !(least..=most).contains(&number) {
                    return Err(wrong(ValueError::OutOfRange { number, least, most }));
                }
                set(settings, number);
            }
            (Kind::Number { .. }, Given::Text(text)) => {
                let number = text.parse().map_err(|_| wrong(ValueError::NotNumber(text.to_owned())))?;
                return self.set(settings, Given::Number(number));
            }
            (Kind::Number { .. }, _) => return Err(kind("a whole number")),
            (Kind::Fraction { set, .. }, Given::Text(text)) => {
                let number: f64 = text.trim().parse().map_err(|_| wrong(ValueError::NotNumber(text.to_owned())))?;
                set(settings, Fraction::new(number).ok_or_else(|| wrong(ValueError::NotFraction(text.to_owned())))?);
            }
            (Kind::Fraction { .. }, _) => return Err(kind("a number between 0 and 1")),
            (Kind::Text { set, .. }, Given::Text(text)) => set(settings, text.to_owned()),
            (Kind::Text { .. }, _) => return Err(kind("text")),
            (Kind::Time(set), Given::Time(time)) => set(settings, time),
            (Kind::Time(set), Given::Number(seconds)) => set(settings, Duration::from_secs(seconds)),
            (Kind::Time(set), Given::Text(text)) => set(settings, duration(text).map_err(wrong)?),
            (Kind::Time(_), Given::Flag(_)) => return Err(kind("a time")),
            (Kind::Size(set), Given::Number(size)) => set(settings, usize::try_from(size).unwrap_or(usize::MAX)),
            (Kind::Size(set), Given::Text(text)) => set(settings, bytes(text).map_err(wrong)?),
            (Kind::Size(_), _) => return Err(kind("an amount of memory")),
        }
        Ok(())
    }
}

/// Returns the values of a table.
fn values<T: Choices>() -> Vec<(&'static str, &'static str)> {
    T::ALL.iter().map(|choice| (choice.name, choice.help)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_options() {
        for setting in ALL {
            let mut settings = Settings::default();
            let given = match setting.kind {
                Kind::Choice(ChoiceKind { default: Some(default), .. }) => Given::Text(default),
                Kind::Number { default: Some(default), .. } => Given::Number(default),
                Kind::Fraction { default, .. } => Given::Text(default),
                _ => continue,
            };
            setting.set(&mut settings, given).unwrap();
            assert_eq!(settings, Settings::default(), "{}", setting.name);
        }
    }

    #[test]
    fn every_value_can_be_given_and_no_other() {
        for setting in ALL {
            let mut settings = Settings::default();
            let mut refused = |given| assert!(setting.set(&mut settings, given).is_err(), "{}", setting.name);
            match setting.kind {
                Kind::Choice(_) => refused(Given::Text("none such")),
                Kind::Flag(_) | Kind::File(_) => refused(Given::Text("yes")),
                Kind::Number { least, most, .. } => {
                    refused(Given::Text("many"));
                    if least > 0 {
                        refused(Given::Number(least - 1));
                    }
                    if most < u64::MAX {
                        refused(Given::Number(most + 1));
                    }
                }
                Kind::Fraction { .. } => {
                    ["0", "1", "-0.5", "NaN", "some"].map(Given::Text).into_iter().for_each(refused)
                }
                Kind::Text { .. } => refused(Given::Flag(true)),
                Kind::Time(_) | Kind::Size(_) => refused(Given::Text("1x")),
            }
            assert_eq!(settings, Settings::default(), "{}", setting.name);
            if let Kind::Choice(choice) = setting.kind {
                for (name, help) in (choice.values)() {
                    assert!(!help.is_empty());
                    setting.set(&mut settings, Given::Text(name)).unwrap();
                }
            }
        }
    }

    #[test]
    fn mistakes_have_suggestions() {
        assert_eq!(
            named("heuristic_tabel").unwrap_err().to_string(),
            "there is no option `heuristic_tabel`; did you mean `heuristic_table`?"
        );
        let mut settings = Settings::default();
        let mut set = |name: &str, given| named(name).unwrap().set(&mut settings, given).unwrap_err().to_string();
        assert_eq!(set("trace", Given::Text("shortst")), "`trace` has no value `shortst`; did you mean `shortest`?");
        assert_eq!(set("weight", Given::Number(2000)), "`weight`: 2000 is not in 1..=1000");
        assert_eq!(set("no_refine", Given::Number(1)), "`no-refine` takes no value but whether it is set");
        assert_eq!(set("symmetry", Given::Text("maybe")), "`symmetry` has no value `maybe`; there are `on`, `off`");
    }
}
