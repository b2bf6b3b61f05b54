//! The options of searches as a form, and as a command line.

use merkhet::{
    Limits,
    settings::{self, Given, Kind, Setting, Settings},
};
use serde::{Deserialize, Serialize};

use crate::error::Refused;

/// A group of options.
#[derive(Serialize)]
pub struct FormGroup {
    title: &'static str,
    options: Vec<FormOption>,
}

/// An option.
#[derive(Serialize)]
struct FormOption {
    name: &'static str,
    help: &'static str,
    details: &'static str,
    #[serde(flatten)]
    kind: FormKind,
}

/// The values of an option.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum FormKind {
    Choice { values: Vec<FormValue>, default: Option<&'static str> },
    Flag,
    // Numbers may be larger than those of JavaScript.
    Number { least: String, most: String, default: Option<String> },
    Fraction { default: &'static str },
    Text { metavar: &'static str },
    Time,
    Size,
}

/// A value of an option.
#[derive(Serialize)]
struct FormValue {
    name: &'static str,
    help: &'static str,
}

/// An option that a page sets.
#[derive(Clone, Debug, Deserialize)]
pub struct ChosenOption {
    /// Its name.
    pub name: String,
    /// Its value as on the command line; empty for flags.
    pub value: String,
}

/// Returns the form. What is written to files is downloaded from the page instead.
pub fn form() -> Vec<FormGroup> {
    let mut groups: Vec<FormGroup> = Vec::new();
    for setting in settings::ALL.iter().filter(|setting| setting.name != "smt-lib") {
        let title = setting.group.title();
        if !groups.iter().any(|group| group.title == title) {
            groups.push(FormGroup { title, options: Vec::new() });
        }
        if let Some(group) = groups.iter_mut().find(|group| group.title == title) {
            group.options.push(option(setting));
        }
    }
    groups
}

fn option(setting: &Setting) -> FormOption {
    let kind = match setting.kind {
        Kind::Choice(choice) => FormKind::Choice {
            values: (choice.values)().into_iter().map(|(name, help)| FormValue { name, help }).collect(),
            default: choice.default,
        },
        Kind::Flag(_) | Kind::File(_) => FormKind::Flag,
        Kind::Number { least, most, default, .. } => {
            let default = default.map(|n| n.to_string());
            FormKind::Number { least: least.to_string(), most: most.to_string(), default }
        }
        Kind::Fraction { default, .. } => FormKind::Fraction { default },
        Kind::Text { metavar, .. } => FormKind::Text { metavar },
        Kind::Time(_) => FormKind::Time,
        Kind::Size(_) => FormKind::Size,
    };
    FormOption { name: setting.name, help: setting.help, details: setting.details, kind }
}

/// Returns whether an option is given without a value.
fn is_flag(setting: &Setting) -> bool {
    matches!(setting.kind, Kind::Flag(_) | Kind::File(_))
}

/// Reads options. The limits are at most those of the server.
///
/// # Errors
/// An option is unknown, or its value is wrong.
pub fn read(chosen: &[ChosenOption], most: &Limits) -> Result<Settings, Refused> {
    let mut settings = Settings::default();
    for ChosenOption { name, value } in chosen {
        let setting = settings::named(name).map_err(|e| Refused::wrong(e.to_string()))?;
        let given = if is_flag(setting) { Given::Flag(true) } else { Given::Text(value) };
        setting.set(&mut settings, given).map_err(|e| Refused::wrong(e.to_string()))?;
    }
    // All workers of a search are threads of this process.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    settings.options.threads = settings.options.threads.map(|count| count.min(threads));
    settings.limits.time = settings.limits.time.into_iter().chain(most.time).min();
    settings.limits.memory = settings.limits.memory.into_iter().chain(most.memory).min();
    Ok(settings)
}

/// Returns the command that answers the same queries.
///
/// # Errors
/// An option is unknown.
pub fn command(model: &str, queries: &[String], chosen: &[ChosenOption]) -> Result<String, Refused> {
    let mut words = vec!["merkhet".to_owned(), "verify".to_owned()];
    for ChosenOption { name, value } in chosen {
        let setting = settings::named(name).map_err(|e| Refused::wrong(e.to_string()))?;
        words.push(match setting.kind {
            Kind::Flag(_) => format!("--{name}"),
            Kind::File(_) => format!("--{name}={}", quoted(&format!("{}.{name}", stem(model)))),
            _ => format!("--{name}={}", quoted(value)),
        });
    }
    for query in queries {
        words.extend(["-q".to_owned(), quoted(query)]);
    }
    // A name with a dash in front would be an option.
    words.push(quoted(&if model.starts_with('-') { format!("./{model}") } else { model.to_owned() }));
    Ok(words.join(" "))
}

fn stem(model: &str) -> &str {
    model.rsplit_once('.').map_or(model, |(stem, _)| stem)
}

/// Quotes a word for a shell, if it needs that.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted() {
        let chosen = |name: &str, value: &str| ChosenOption { name: name.to_owned(), value: value.to_owned() };
        let options =
            [chosen("order", "dfs"), chosen("helpful", ""), chosen("certificate", ""), chosen("join", "x > 'a'")];
        let queries = ["E<> P.b".to_owned()];
        assert_eq!(
            command("my model.xml", &queries, &options).unwrap(),
            "merkhet verify --order=dfs --helpful --certificate='my model.certificate' --join='x > '\\''a'\\''' -q 'E<> P.b' 'my model.xml'"
        );
        assert!(command("m", &queries, &[chosen("ordr", "")]).unwrap_err().message.contains("did you mean `order`?"));
    }

    #[test]
    fn every_option_is_in_the_form_and_can_be_set() {
        let all: usize = form().iter().map(|group| group.options.len()).sum();
        assert_eq!(all, settings::ALL.len() - 1);
        let limits = Limits { time: Some(std::time::Duration::from_secs(5)), memory: Some(1 << 20), states: None };
        let chosen = |name: &str, value: &str| ChosenOption { name: name.to_owned(), value: value.to_owned() };
        let read =
            read(&[chosen("time-limit", "1h"), chosen("memory-limit", "4G"), chosen("certificate", "")], &limits);
        let settings = read.unwrap();
        assert_eq!((settings.limits, settings.options.certificate), (limits, true));
    }
}
