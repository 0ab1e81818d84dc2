//! The WebSocket of a viewer: its handshake (RFC 6455 §4.2), and messages one at a time.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_core::Stream;
use futures_sink::Sink;
use hyper::Method;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::ready;
use tokio_websockets::{Error, Limits, Message, ServerBuilder, WebSocketStream};

/// Text that the server appends to the key of a client before it hashes both.
const KEY_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Returns the header that accepts a request for a WebSocket; `None` if it is no such request, or one of another
/// version.
pub(super) fn accept_key(method: &Method, headers: &HeaderMap) -> Option<HeaderValue> {
    let lists = |name, wanted: &str| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(wanted))
    };
    let is_request = method == Method::GET
        && lists(header::CONNECTION, "upgrade")
        && lists(header::UPGRADE, "websocket")
        && lists(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_request)?;
    let mut hash = sha1_smol::Sha1::from(key.as_bytes());
    hash.update(KEY_SUFFIX.as_bytes());
    HeaderValue::from_str(&BASE64_STANDARD.encode(hash.digest().bytes())).ok()
}

/// A connection that carries messages. Pings of the viewer are answered, and its end is acknowledged, while messages
/// are received.
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
        let mut headers = HeaderMap::new();
        let given = [
            (header::CONNECTION, "keep-alive, Upgrade"),
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        given.into_iter().for_each(|(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
        assert_eq!(accept_key(&Method::GET, &headers).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(accept_key(&Method::POST, &headers), None);
        headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("8"));
        assert_eq!(accept_key(&Method::GET, &headers), None);
    }
}
