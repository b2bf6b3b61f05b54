//! Options whose values are tables of the library.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use merkhet::{Abstraction, Choices};

/// An abstraction, or the automatic choice. It has a name, since clap takes `Option` for an absent
/// option.
pub type AnyAbstraction = Option<Abstraction>;

/// The names of all values of an option, with their help.
pub fn values<T: Choices>() -> impl Iterator<Item = PossibleValue> {
    T::ALL.iter().map(|choice| PossibleValue::new(choice.name).help(choice.help))
}

/// Parses the name of a value.
pub fn choice<T: Choices>() -> impl TypedValueParser<Value = T> {
    choice_of(T::ALL.iter().map(|choice| choice.name).collect())
}

/// The same, for some of the values.
pub fn choice_of<T: Choices>(names: Vec<&'static str>) -> impl TypedValueParser<Value = T> {
    let possible: Vec<PossibleValue> = values::<T>().filter(|value| names.contains(&value.get_name())).collect();
    PossibleValuesParser::new(possible).try_map(|name| T::named(&name).ok_or("there is no such value"))
}
