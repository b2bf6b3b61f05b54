//! Options from keywords.

use std::time::Duration;

use merkhet::settings::{self, Given, Kind, Setting, SettingError, Settings, ValueError};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyString},
};
use serde::Serialize;

use crate::{convert::value, errors::of_setting};

/// Reads options; `None` leaves one as it is.
pub fn read(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        let setting = settings::named(&name).map_err(|why| of_setting(&why))?;
        if !value.is_none() {
            set(setting, &name, &value, &mut settings)?;
        }
    }
    Ok(settings)
}

fn set(setting: &Setting, name: &str, value: &Bound<'_, PyAny>, settings: &mut Settings) -> PyResult<()> {
    // Names are written as keywords are.
    let wrong = |why: &SettingError| {
        let [theirs, ours] = [setting.name, name].map(|name| format!("`{name}`"));
        PyValueError::new_err(why.to_string().replace(&theirs, &ours))
    };
    let outcome = if value.is_instance_of::<PyBool>() {
        setting.set(settings, Given::Flag(value.extract()?))
    } else if let Ok(text) = value.cast::<PyString>() {
        setting.set(settings, Given::Text(text.to_cow()?.as_ref()))
    } else if let Kind::Time(_) = setting.kind {
        let seconds: f64 = value.extract()?;
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| ValueError::NoTime);
        let time = time.map_err(|why| wrong(&SettingError::Wrong { name: name.to_owned(), why }))?;
        setting.set(settings, Given::Time(time))
    } else if let (Kind::Fraction { .. }, Ok(number)) = (setting.kind, value.extract::<f64>()) {
        setting.set(settings, Given::Text(&number.to_string()))
    } else if value.is_instance_of::<PyInt>() {
        let number: u64 =
            value.extract().map_err(|_| PyValueError::new_err(format!("`{name}`: there is no such size")))?;
        setting.set(settings, Given::Number(number))
    } else if value.is_instance_of::<PyFloat>() {
        return Err(PyTypeError::new_err(format!("`{name}` takes no number with a decimal point")));
    } else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("`{name}` takes no value of type `{kind}`")));
    };
    outcome.map_err(|why| wrong(&why))
}

/// An option, for documentation and stubs.
#[derive(Serialize)]
struct Entry {
    name: String,
    group: &'static str,
    help: &'static str,
    details: &'static str,
    kind: &'static str,
    values: Vec<(&'static str, &'static str)>,
    default: Option<String>,
}

/// Returns the table of options.
#[pyfunction]
pub fn table(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let entry = |setting: &Setting| {
        let (kind, values, default) = match setting.kind {
            Kind::Choice(choice) => ("choice", (choice.values)(), choice.default.map(str::to_owned)),
            Kind::Flag(_) | Kind::File(_) => ("flag", Vec::new(), None),
            Kind::Number { default, .. } => ("number", Vec::new(), default.map(|number| number.to_string())),
            Kind::Fraction { default, .. } => ("fraction", Vec::new(), Some(default.to_owned())),
            Kind::Text { .. } => ("text", Vec::new(), None),
            Kind::Time(_) => ("time", Vec::new(), None),
            Kind::Size(_) => ("size", Vec::new(), None),
        };
        let Setting { group, help, details, .. } = *setting;
        Entry { name: setting.name.replace('-', "_"), group: group.title(), help, details, kind, values, default }
    };
    value(py, &settings::ALL.iter().map(entry).collect::<Vec<_>>())
}
