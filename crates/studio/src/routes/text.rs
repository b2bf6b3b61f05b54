//! Help with text: colours, completion, definitions.

use std::sync::Arc;

use axum::Router;

use crate::Studio;

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
}
