//! The report about the answers so far.

use std::{collections::HashMap, sync::Arc};

use axum::{Router, http::header, response::IntoResponse, routing::get};
use report::Report;
use show::{reported, shown::Shown};

use super::{Of, work};
use crate::{Studio, error::Refused, searches::KeptAnswer, session::StudioSession};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new().route("/api/sessions/{session}/report", get(report))
}

async fn report(Of(session): Of) -> Result<impl IntoResponse, Refused> {
    let html = work(move || write(&session)).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"report.html\""),
        // Nothing that it may do elsewhere is allowed here, where the page has its data.
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
    ];
    Ok((headers, html))
}

fn write(session: &StudioSession) -> Result<String, Refused> {
    // The document is not locked while pictures are drawn.
    let (name, revision, model, listed) = {
        let document = session.document();
        let listed: Vec<(String, String)> =
            document.loaded().queries.iter().map(|query| (query.text.clone(), query.comment.clone())).collect();
        (document.name().to_owned(), document.revision(), document.checked(), listed)
    };
    let model = model.ok_or_else(|| Refused::conflict("the model has errors; mend them first"))?;
    // The last answer to each query, of this text.
    let answers = session.searches.answers().into_iter().filter(|kept| kept.revision == revision);
    let last: HashMap<String, Arc<KeptAnswer>> = answers.map(|kept| (kept.result.query.clone(), kept)).collect();
    let mut queries = Vec::new();
    for (text, comment) in &listed {
        let Some(kept) = last.get(text) else { continue };
        let trace = kept.trace.as_ref().map(|trace| reported::trace(&kept.model.loaded, trace));
        let shown = Shown { sources: &kept.model.sources, file: &name, diagnostics: &[] };
        queries.push(reported::query(&kept.result, comment, shown, trace).map_err(|e| Refused::wrong(e.to_string()))?);
    }
    let open = listed.len() - queries.len();
    let report = Report {
        model: name,
        generator: format!("merkhet {}", env!("CARGO_PKG_VERSION")),
        notes: (open > 0).then(|| format!("{open} of {} queries were not asked.", listed.len())).into_iter().collect(),
        drawings: reported::drawings(&model.loaded.tree, &model.sources),
        queries,
    };
    Ok(report.html())
}
