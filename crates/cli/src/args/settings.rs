//! The options of the library's table, as arguments.

use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches,
    builder::{PossibleValue, PossibleValuesParser},
    value_parser,
};
use merkhet::{
    Limits, Options,
    settings::{self, Given, Kind, Setting, SettingError, Settings},
};

/// The options of an answer, with the files for what they ask for.
#[derive(Clone, Debug, Default)]
pub struct SettingArgs {
    pub options: Options,
    pub limits: Limits,
    /// The file for proofs.
    pub certificate: Option<PathBuf>,
    /// The file for the last formula.
    pub smt_lib: Option<PathBuf>,
}

/// The argument for an option.
fn argument(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.name).long(setting.name).help_heading(setting.group.title()).help(setting.help);
    let arg = if setting.details.is_empty() {
        arg
    } else {
        arg.long_help(format!("{}\n\n{}", setting.help, setting.details))
    };
    let name = |metavar: Option<&'static str>| {
        metavar.map_or_else(|| setting.name.to_uppercase().replace('-', "_"), str::to_owned)
    };
    let parsed = move |text: &str| match setting.set(&mut Settings::default(), Given::Text(text)) {
        Ok(()) => Ok(text.to_owned()),
        // The message names the option already.
        Err(SettingError::Wrong { why, .. }) => Err(why.to_string()),
        Err(why) => Err(why.to_string()),
    };
    match setting.kind {
        Kind::Choice(choice) => {
            let values = (choice.values)().into_iter().map(|(name, help)| PossibleValue::new(name).help(help));
            let values = PossibleValuesParser::new(values.collect::<Vec<_>>());
            let arg = arg.value_name(name(choice.metavar)).value_parser(values);
            choice.default.map_or(arg.clone(), |default| arg.default_value(default))
        }
        Kind::Flag(_) => arg.action(ArgAction::SetTrue),
        Kind::File(_) => arg.value_name("FILE").value_parser(value_parser!(PathBuf)),
        Kind::Number { metavar, default, .. } => {
            let arg = arg.value_name(metavar).value_parser(parsed).allow_negative_numbers(true);
            default.map_or(arg.clone(), |default| arg.default_value(default.to_string()))
        }
        Kind::Fraction { metavar, default, .. } => {
            // What is wrong with a negative number is its sign, not that it looks like an option.
            arg.value_name(metavar).value_parser(parsed).default_value(default).allow_negative_numbers(true)
        }
        Kind::Text { metavar, .. } => arg.value_name(metavar),
        Kind::Time(_) => arg.value_name("TIME").value_parser(parsed),
        Kind::Size(_) => arg.value_name("SIZE").value_parser(parsed),
    }
}

impl Args for SettingArgs {
    fn augment_args(command: Command) -> Command {
        settings::ALL.iter().fold(command, |command, setting| command.arg(argument(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingArgs::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingArgs, Error> {
        let mut args = SettingArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
        let mut all = Settings { options: self.options.clone(), limits: self.limits };
        for setting in settings::ALL {
            let given = match setting.kind {
                Kind::Flag(_) => Some(Given::Flag(matches.get_flag(setting.name))),
                Kind::File(_) => Some(Given::Flag(path(setting.name).is_some())),
                _ => matches.get_one::<String>(setting.name).map(|text| Given::Text(text)),
            };
            if let Some(given) = given {
                setting.set(&mut all, given).map_err(|why| Error::raw(clap::error::ErrorKind::ValueValidation, why))?;
            }
        }
        let (certificate, smt_lib) = (path("certificate"), path("smt-lib"));
        *self = SettingArgs { options: all.options, limits: all.limits, certificate, smt_lib };
        Ok(())
    }
}
