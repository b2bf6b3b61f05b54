//! Who may talk to the server: the page that it has delivered, and nobody else.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};

use crate::{Studio, error::Refused};

/// The policy of the page: scripts, styles and connections of this server only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Checks every request before anything else sees it, and adds headers to every response.
pub async fn guard(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let mut response = match refuse(&studio, &request) {
        Some(response) => response,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

/// Returns the answer to a request that goes no further.
fn refuse(studio: &Studio, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let no = |status, message: &str| Some(Refused { status, message: message.to_owned() }.into_response());
    let host = match host(headers) {
        Some(host) if studio.is_host(&host) => host,
        _ => return no(StatusCode::FORBIDDEN, "this server is not known by the name in `Host`"),
    };
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    // A browser names the page that a request comes from; other programs don't.
    if text(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
        return no(StatusCode::FORBIDDEN, "requests from other pages are refused");
    }
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let is_visit = request.method() == Method::GET && request.uri().path() == "/";
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) && !is_visit {
        return no(StatusCode::FORBIDDEN, "requests from other pages are refused");
    }
    // What a form of another page can send is not JSON.
    let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.split(';').next() == Some("application/json"));
    if request.method() == Method::POST && !is_json {
        return no(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body of a request has to be JSON");
    }
    let Some(token) = &studio.config.token else { return None };
    let cookie = format!("merkhet-{}", studio.port);
    let given = text(header::COOKIE).into_iter().flat_map(|cookies| cookies.split(';'));
    let mut given = given.filter_map(|pair| pair.trim().strip_prefix(&cookie)?.strip_prefix('='));
    if given.any(|given| is_same(given, token)) {
        return None;
    }
    let mut asked = request.uri().query().into_iter().flat_map(|query| query.split('&'));
    let is_link = asked.any(|pair| pair.strip_prefix("token=").is_some_and(|given| is_same(given, token)));
    if is_visit && is_link {
        let value = format!("{cookie}={token}; HttpOnly; SameSite=Strict; Path=/");
        let mut response = Redirect::to("/").into_response();
        response.headers_mut().extend(HeaderValue::from_str(&value).ok().map(|value| (header::SET_COOKIE, value)));
        return Some(response);
    }
    no(StatusCode::UNAUTHORIZED, "open the link that `merkhet serve` has printed; it has the token")
}

/// Returns the one `Host` of a request.
fn host(headers: &HeaderMap) -> Option<String> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    hosts.next().is_none().then(|| host.to_ascii_lowercase())
}

/// Compares secrets in a time that does not depend on where they differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |rest, (a, b)| rest | (a ^ b)) == 0
}

impl Studio {
    /// Returns whether a page of this server may have this `Host`. A name of another server that
    /// leads here, by DNS rebinding, is not accepted: it is neither an address nor `localhost`.
    fn is_host(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let is_port = authority.port_u16().unwrap_or(80) == self.port && !host.contains('@');
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let address = name.parse::<IpAddr>();
        is_port
            && match address {
                Ok(address) => address.is_loopback() || self.config.token.is_some(),
                Err(_) => name == "localhost",
            }
    }
}
