//! The WebSocket of a viewer: its handshake (RFC 6455 §4.2), and messages one at a time.
//!
//! In: the request of a viewer, then its connection. Out: the header that accepts it, then messages in both
//! directions.
//! Limits: no frame and no message of a viewer is longer than the limit that it is made with. Texts are bytes until the
//! caller has checked them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_core::Stream;
use futures_sink::Sink;
use hyper::header::{self, HeaderValue};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, StatusCode, Version};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::ready;
use tokio_websockets::{Error, Limits, Message, ServerBuilder, WebSocketStream};

/// Text that the server appends to the key of a client before it hashes both.
const KEY_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Returns the header that accepts a request for a WebSocket, or the status that refuses it.
pub(super) fn accept_key<B>(request: &Request<B>) -> Result<HeaderValue, StatusCode> {
    let headers = request.headers();
    let lists = |name, wanted: &str| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(wanted))
    };
    if request.method() != Method::GET {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let is_upgrade = request.version() >= Version::HTTP_11
        && lists(header::CONNECTION, "upgrade")
        && lists(header::UPGRADE, "websocket")
        && lists(header::SEC_WEBSOCKET_VERSION, "13");
    if !is_upgrade {
        return Err(StatusCode::UPGRADE_REQUIRED);
    }
    let key = headers.get(header::SEC_WEBSOCKET_KEY).ok_or(StatusCode::BAD_REQUEST)?;
    let mut hash = sha1_smol::Sha1::from(key.as_bytes());
    hash.update(KEY_SUFFIX.as_bytes());
    HeaderValue::from_str(&BASE64_STANDARD.encode(hash.digest().bytes())).map_err(|_| StatusCode::BAD_REQUEST)
}

/// A connection that carries messages. Pings are answered and ends acknowledged by the next message that is received or
/// sent.
pub(super) struct WebSocket(WebSocketStream<TokioIo<Upgraded>>);

impl WebSocket {
    /// Takes a connection over; `longest` is the greatest length of a message of the viewer, in bytes.
    pub(super) fn new(connection: Upgraded, longest: usize) -> Self {
        let limits = Limits::default().max_payload_len(Some(longest));
        Self(ServerBuilder::new().limits(limits).serve(TokioIo::new(connection)))
    }

    /// Waits for a message; `None` at the end. Nothing is lost if the wait is given up.
    pub(super) async fn receive(&mut self) -> Option<Result<Message, Error>> {
        poll_fn(|context| Pin::new(&mut self.0).poll_next(context)).await
    }

    /// Waits until answers to pings have gone out.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        poll_fn(|context| Pin::new(&mut self.0).poll_flush(context)).await
    }

    /// Sends a message, and waits until it has gone out.
    pub(super) async fn send(&mut self, message: Message) -> Result<(), Error> {
        let mut message = Some(message);
        poll_fn(|context| {
            let mut socket = Pin::new(&mut self.0);
            if message.is_some() {
                ready!(socket.as_mut().poll_ready(context))?;
            }
            if let Some(message) = message.take() {
                socket.as_mut().start_send(message)?;
            }
            socket.poll_flush(context)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455 §1.3.
    #[test]
    fn the_key_of_the_standard_is_accepted_as_it_says() {
        let mut request = Request::new(());
        let given = [
            (header::CONNECTION, "keep-alive, Upgrade"),
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let headers = request.headers_mut();
        given.into_iter().for_each(|(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
        assert_eq!(accept_key(&request).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let refused = |change: &dyn Fn(&mut Request<()>)| {
            let mut changed = request.clone();
            change(&mut changed);
            accept_key(&changed).unwrap_err()
        };
        assert_eq!(refused(&|request| *request.method_mut() = Method::POST), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(refused(&|request| *request.version_mut() = Version::HTTP_10), StatusCode::UPGRADE_REQUIRED);
        let without = |name| refused(&|request| drop(request.headers_mut().remove(&name)));
        assert_eq!(without(header::UPGRADE), StatusCode::UPGRADE_REQUIRED);
        assert_eq!(without(header::CONNECTION), StatusCode::UPGRADE_REQUIRED);
        assert_eq!(without(header::SEC_WEBSOCKET_VERSION), StatusCode::UPGRADE_REQUIRED);
        assert_eq!(without(header::SEC_WEBSOCKET_KEY), StatusCode::BAD_REQUEST);
    }
}
