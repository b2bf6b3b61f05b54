//! The texts of a model that are edited as such.

use syntax::Format;

use crate::{Offsets, Part, Patch, Refusal, Source, TextChange, shown, xml};

/// Returns the parts of a model with a title and the text as it is shown.
#[must_use]
pub fn parts(source: Source<'_>) -> Vec<(Part, String, String)> {
    match source.format {
        Format::Xml => xml::parts(source.text),
        _ => vec![(Part::Whole, part_title(&Part::Whole, ""), shown(source.text).into_owned())],
    }
}

/// Returns the title of a part; `name` is that of its template.
pub(crate) fn part_title(part: &Part, name: &str) -> String {
    match part {
        Part::Whole => "Model".to_owned(),
        Part::Globals => "Declarations".to_owned(),
        Part::System => "System".to_owned(),
        Part::Declarations { .. } => format!("{name}: declarations"),
        Part::Parameters { .. } => format!("{name}: parameters"),
    }
}

/// Converts changes of a text from offsets in it as it is shown.
pub(crate) fn byte_changes(text: &str, changes: &[TextChange]) -> Result<Vec<(usize, usize, String)>, Refusal> {
    let offsets = Offsets::new(text);
    let mut last = 0;
    let mut out = Vec::with_capacity(changes.len());
    for change in changes {
        let range = offsets.bytes(change.from).zip(offsets.bytes(change.to));
        let Some((from, to)) = range.filter(|(from, to)| last <= *from && from <= to) else {
            return Err(Refusal::new("the changes do not fit the text").help("load the text again: it has changed since"));
        };
        last = to;
        out.push((from, to, change.text.clone()));
    }
    Ok(out)
}

/// Returns the patches of a whole file.
pub(crate) fn whole(text: &str, changes: &[TextChange]) -> Result<Vec<Patch>, Refusal> {
    let is_windows = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    let written = |new: String| {
        let new = new.replace("\r\n", "\n");
        if is_windows { new.replace('\n', "\r\n") } else { new }
    };
    let changes = byte_changes(text, changes)?;
    Ok(changes.into_iter().map(|(from, to, new)| Patch { from, to, text: written(new) }).collect())
}
