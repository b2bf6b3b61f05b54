//! Labels of text formats: what is written must be read back as the label that was meant, and
//! everything else as before.

use syntax::Format;

use crate::{EditError, EditedText, Item, Operation, arrange, offsets::shown, outline::TextTemplate, tck, xta};

/// The label of an element of a template: its kind and its text. Elements without labels have an
/// empty one.
type LabelText = (usize, Item, (String, String));

/// Refuses an edit that changes more than it should, such as a label with a brace that ends the
/// process.
pub(crate) fn check(before: EditedText<'_>, after: EditedText<'_>, operation: &Operation) -> Result<(), EditError> {
    let Operation::Label { template, of, kind, text, .. } = operation else { return Ok(()) };
    let is_own = |label: &LabelText| label.0 == *template && label.1 == *of && label.2.0 == *kind;
    let (mut old, mut new) = (labels(before), labels(after));
    let wanted = shown(text.trim()).into_owned();
    let found: String = new.iter().filter(|l| is_own(l)).map(|l| l.2.1.as_str()).collect();
    old.retain(|label| !is_own(label));
    new.retain(|label| !is_own(label));
    if found == wanted && old == new {
        return Ok(());
    }
    let text: String = text.chars().take(40).collect();
    let help = match before.format {
        Format::Tck => "it can't contain `:`, `{`, `}` or `#`",
        _ => "it has a bracket or a `;` too many",
    };
    Err(EditError::new(format!("`{text}` is not a label")).help(help))
}

/// Returns all labels of a text.
fn labels(source: EditedText<'_>) -> Vec<LabelText> {
    let (_, tree) = arrange::read(source);
    let all = match source.format {
        Format::Tck => tck::outline(source.text, &tree),
        format => xta::outline(source.text, format, &tree),
    };
    let items = |number: usize, t: &TextTemplate| -> Vec<LabelText> {
        let locations = t.locations.iter().enumerate().map(|(i, item)| (Item::Location(i), item));
        let items = locations.chain(t.edges.iter().enumerate().map(|(i, item)| (Item::Edge(i), item)));
        let labels = items.flat_map(|(of, item)| {
            let own = item.labels.iter().map(|l| (l.kind.clone(), shown(&l.text).into_owned()));
            own.chain([(String::new(), String::new())]).map(move |label| (number, of, label))
        });
        labels.collect()
    };
    all.iter().enumerate().flat_map(|(number, t)| items(number, t)).collect()
}
