//! The document: what it is, and every change of its text.

use std::sync::Arc;

use axum::{
    Router,
    extract::Query,
    routing::{get, post},
};
use serde::{Deserialize, Serialize};

use super::{Answered, Body, Of, answer};
use crate::{Studio, document::DocumentSummary, session::StudioSession, words};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/sessions/{session}/document", get(document))
        .route("/api/sessions/{session}/source", get(source))
        .route("/api/sessions/{session}/patches", post(change))
        .route("/api/sessions/{session}/undo", post(undo))
        .route("/api/sessions/{session}/redo", post(redo))
        .route("/api/sessions/{session}/fragment", get(fragment))
}

async fn document(Of(session): Of) -> Answered<DocumentSummary> {
    answer(move || Ok(session.document().summary())).await
}

/// The text of the files, which a page keeps until it is saved.
#[derive(Serialize)]
struct SourceText {
    revision: u64,
    model: String,
    queries: Option<String>,
}

async fn source(Of(session): Of) -> Answered<SourceText> {
    answer(move || {
        let mut document = session.document();
        let revision = document.revision();
        let (model, queries) = document.files_mut();
        Ok(SourceText { revision, model: model.text().to_owned(), queries: queries.map(|file| file.text().to_owned()) })
    })
    .await
}

/// Changes of one fragment.
#[derive(Deserialize)]
struct Changes {
    /// The revision that is changed.
    revision: u64,
    /// The fragment.
    path: String,
    /// The changes, each of the text after the one before.
    patches: Vec<TextPatch>,
    /// Changes of one group are undone together.
    group: Option<String>,
}

/// A range of a fragment, in UTF-16, and the text that replaces it.
#[derive(Deserialize)]
struct TextPatch {
    from: usize,
    to: usize,
    text: String,
}

async fn change(Of(session): Of, Body(changes): Body<Changes>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        let mut revision = changes.revision;
        for TextPatch { from, to, text } in changes.patches {
            revision = document.type_text(revision, &changes.path, (from, to, &text), changes.group.clone())?;
        }
        Ok(document.summary())
    })
    .await
}

async fn undo(Of(session): Of, Body(()): Body<()>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        document.undo()?;
        Ok(document.summary())
    })
    .await
}

async fn redo(Of(session): Of, Body(()): Body<()>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        document.redo()?;
        Ok(document.summary())
    })
    .await
}

/// Which fragment is wanted.
#[derive(Deserialize)]
pub struct WantedFragment {
    path: String,
}

/// A text to edit.
#[derive(Serialize)]
pub struct FragmentText {
    /// The revision of the document.
    revision: u64,
    /// The path.
    path: String,
    /// The text, with `\n` at the end of lines.
    text: String,
    /// The tokens with a colour: start, length and class of each.
    tokens: Vec<(usize, usize, &'static str)>,
    /// Whether the file has this text; if not, it begins with an edit of the whole.
    exists: bool,
}

async fn fragment(Of(session): Of, Query(wanted): Query<WantedFragment>) -> Answered<FragmentText> {
    answer(move || read(&session, wanted.path)).await
}

fn read(session: &StudioSession, path: String) -> Result<FragmentText, crate::error::Refused> {
    let document = session.document();
    let (_, view) = document.view(&path)?;
    let (tokens, exists) = (words::tokens(&document, &path), document.loaded().fragment(&path).is_some());
    Ok(FragmentText { revision: document.revision(), path, text: view.text().to_owned(), tokens, exists })
}
