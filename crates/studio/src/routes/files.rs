//! The files of the served folder.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    routing::{get, post},
};
use serde::Deserialize;

use super::{Answered, Body, Of, answer};
use crate::{
    Studio,
    document::{DocumentSummary, EditedFile},
    error::Refused,
    files::{Expected, ListedFile, ends_like_a_model},
};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new().route("/api/files", get(list)).route("/api/sessions/{session}/save", post(save))
}

async fn list(State(studio): State<Arc<Studio>>) -> Answered<Vec<ListedFile>> {
    answer(move || Ok(studio.folder.list())).await
}

/// How a document is saved.
#[derive(Deserialize)]
struct Saving {
    /// Another path within the folder.
    path: Option<String>,
    /// Whether a file is replaced that exists, or that another program has changed.
    #[serde(default)]
    force: bool,
}

async fn save(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Body(saving): Body<Saving>,
) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        if let Some(path) = saving.path {
            if !ends_like_a_model(&path) {
                return Err(Refused::wrong(format!(
                    "`{path}` does not end like a model: .xml, .xta, .ta, .tck, .net, .ndr, .pnml or .tapn"
                )));
            }
            // Nothing has changed if the file can't be written.
            let (model, _) = document.files_mut();
            if model.path.as_ref() != Some(&path) {
                let expected = if saving.force { Expected::Anything } else { Expected::New };
                studio.folder.write(&path, &model.bytes()?, expected)?;
                document.rename(&path);
                document.files_mut().0.mark_saved()?;
            }
        }
        let (model, queries) = document.files_mut();
        let write = |file: &mut EditedFile| -> Result<(), Refused> {
            if !file.is_changed() {
                return Ok(());
            }
            let Some(path) = file.path.clone() else { return Err(Refused::wrong("name the file to save to")) };
            let expected = match file.stored {
                _ if saving.force => Expected::Anything,
                Some(hash) => Expected::Same(hash),
                None => Expected::New,
            };
            studio.folder.write(&path, &file.bytes()?, expected)?;
            Ok(file.mark_saved()?)
        };
        write(model)?;
        queries.map_or(Ok(()), write)?;
        Ok(document.summary())
    })
    .await
}
