//! Why a request is refused.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{document::ChangeError, encoding::EncodingError, files::FileError};

/// A refusal: a status of HTTP, and one sentence.
#[derive(Debug)]
pub struct Refused {
    /// The status.
    pub status: StatusCode,
    /// The sentence.
    pub message: String,
}

impl Refused {
    /// Something does not exist.
    pub fn missing(message: impl Into<String>) -> Refused {
        Refused { status: StatusCode::NOT_FOUND, message: message.into() }
    }

    /// The request makes no sense.
    pub fn wrong(message: impl Into<String>) -> Refused {
        Refused { status: StatusCode::UNPROCESSABLE_ENTITY, message: message.into() }
    }

    /// Something else is in the way.
    pub fn conflict(message: impl Into<String>) -> Refused {
        Refused { status: StatusCode::CONFLICT, message: message.into() }
    }

    /// A limit of the server is reached.
    pub fn busy(message: impl Into<String>) -> Refused {
        Refused { status: StatusCode::TOO_MANY_REQUESTS, message: message.into() }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}

impl From<ChangeError> for Refused {
    fn from(why: ChangeError) -> Refused {
        let status = match why {
            ChangeError::Revision(_) | ChangeError::Nothing(_) => StatusCode::CONFLICT,
            ChangeError::NoFragment(_) => StatusCode::NOT_FOUND,
            ChangeError::Unfit | ChangeError::Refused(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ChangeError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        };
        Refused { status, message: why.to_string() }
    }
}

impl From<EncodingError> for Refused {
    fn from(why: EncodingError) -> Refused {
        Refused::wrong(why.to_string())
    }
}

impl From<FileError> for Refused {
    fn from(why: FileError) -> Refused {
        let status = match &why {
            FileError::Outside(_) => StatusCode::FORBIDDEN,
            FileError::Exists(_) | FileError::Changed(_) => StatusCode::CONFLICT,
            FileError::Io(_, e) if e.kind() == std::io::ErrorKind::NotFound => StatusCode::NOT_FOUND,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refused { status, message: why.to_string() }
    }
}
