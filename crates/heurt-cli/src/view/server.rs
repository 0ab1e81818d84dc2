//! HTTP server of the live page: static files, the scene, meshes, and a WebSocket for frames and messages.
//!
//! Method: `hyper` on one thread with a runtime of its own. A WebSocket sends the newest frame whenever the last one
//! has gone out, so that a slow viewer loses frames.
//! Guarantees: `Host` and `Origin` must name the address that is served, or this machine. Only the names of the page's
//! files are served: no path reaches the disk.

use super::arguments::ViewArguments;
use super::hub::{Hub, Incoming};
use super::page;
use super::web_socket::{WebSocket, accept_key};
use crate::Failure;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming as Body;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, StatusCode, upgrade};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio_websockets::Message;

/// Ports that are tried after the given one.
const MORE_PORTS: u16 = 100;
/// The longest message of a viewer, in bytes: 65,000 vertices of 60 letters. More go in several
/// messages, by `moved`.
const MAX_MESSAGE: usize = 4 << 20;
/// Viewers at one time.
const MAX_VIEWERS: usize = 64;

/// Connections at one time: viewers, and requests of their pages.
const MAX_CONNECTIONS: usize = 128;
/// Time for the header of a request, after which an idle connection ends.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Time between two pings of a viewer.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Time without an answer, or for one message to go out, after which a viewer is gone.
const SILENCE: Duration = Duration::from_secs(20);
/// Time for the last words to a viewer that has left.
const FAREWELL: Duration = Duration::from_secs(1);
/// Time between two attempts to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Policy of the page: everything comes from this server.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      connect-src 'self'; frame-ancestors 'none'";

type Response = hyper::Response<Full<Bytes>>;

/// The state that requests need.
struct Served {
    hub: Arc<Hub>,
    /// Values of `Host` that name this server.
    hosts: Vec<String>,
}

/// A running server; it ends with the program.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server for a hub, on the first free port from the given one.
    pub(crate) fn start(arguments: &ViewArguments, hub: Arc<Hub>) -> Result<Self, Failure> {
        let listener = listen(arguments.address(), arguments.port())?;
        let refuse = |source| Failure::NoServer { address: arguments.address(), port: arguments.port(), source };
        let address = listener.local_addr().map_err(refuse)?;
        listener.set_nonblocking(true).map_err(refuse)?;
        let served = Arc::new(Served { hub, hosts: hosts(address) });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refuse)?;
        let serve = move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                accept_connections(&listener, &served).await;
            });
        };
        std::thread::Builder::new().name("view".to_owned()).spawn(serve).map_err(refuse)?;
        Ok(Self { address })
    }

    /// Prints the address on standard error, and a warning if other machines can open it.
    pub(crate) fn announce(&self, arguments: &ViewArguments, may_move: bool) {
        let Self { address } = self;
        if page::file("index.html").is_none() {
            eprintln!("this program was built without the page, and serves its data only: {}", page::HOW_TO_BUILD);
        }
        if ![0, address.port()].contains(&arguments.port()) {
            eprintln!("port {} is taken", arguments.port());
        }
        let is_wide = !address.ip().is_loopback();
        let shown = if address.ip().is_unspecified() { "localhost".to_owned() } else { host_name(address.ip()) };
        eprintln!("open http://{shown}:{} in a browser; Ctrl-C ends the run", address.port());
        if is_wide {
            eprintln!(
                "warning: every machine that reaches this one can watch{}: leave out --host to serve this machine only",
                if may_move { " and move bodies" } else { "" }
            );
        }
    }
}

/// Serves each connection in a task of its own, as long as the program runs.
async fn accept_connections(listener: &tokio::net::TcpListener, served: &Arc<Served>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // No file handle is free.
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let served = Arc::clone(served);
        tokio::spawn(async move {
            let service = hyper::service::service_fn(|request| {
                let response = respond(&served, request);
                async { Ok::<_, Infallible>(response) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
            // A connection that breaks concerns its client only.
            let _ = http.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
            drop(place);
        });
    }
}

/// Listens on the first free port.
fn listen(address: IpAddr, port: u16) -> Result<TcpListener, Failure> {
    let mut last = None;
    for port in port..=port.saturating_add(MORE_PORTS) {
        match TcpListener::bind((address, port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => last = Some(error),
            Err(source) => return Err(Failure::NoServer { address, port, source }),
        }
    }
    let source = last.unwrap_or_else(|| std::io::ErrorKind::AddrInUse.into());
    Err(Failure::NoServer { address, port, source })
}

/// Lists the values of `Host` that name this server.
fn hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    let named = names.into_iter().chain([host_name(address.ip())]);
    // Browsers leave out the usual port.
    let forms = named.flat_map(|name| [Some(format!("{name}:{port}")), (port == 80).then_some(name)]);
    forms.flatten().collect()
}

/// Returns an address as it is written in a URL.
fn host_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Answers a request. Requests that do not name this server are refused: a page of another site, or a name that another
/// site made point here.
fn respond(served: &Arc<Served>, request: Request<Body>) -> Response {
    if !is_own(&served.hosts, request.headers()) {
        return make_text(StatusCode::FORBIDDEN, "this server answers its own page only");
    }
    let mut response = match request.uri().path() {
        "/live" => open_live(served, request),
        path => {
            let found = find_resource(served, path);
            match found.status() {
                StatusCode::NOT_FOUND => found,
                _ if is_read(request.method()) => found,
                _ => not_allowed("GET, HEAD"),
            }
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns what can be read at a path.
fn find_resource(served: &Served, path: &str) -> Response {
    match path {
        "/" => front_page(),
        "/viewer.js" => page_file("viewer.js"),
        "/viewer.css" => page_file("viewer.css"),
        "/scene.json" => make_bytes("application/json", served.hub.scene.clone()),
        "/favicon.ico" => make_status(StatusCode::NO_CONTENT),
        _ => {
            let number = path.strip_prefix("/mesh/").and_then(|number| number.parse::<usize>().ok());
            match number.and_then(|number| served.hub.meshes.get(number)) {
                Some(bytes) => make_bytes("application/octet-stream", bytes.clone()),
                None => make_status(StatusCode::NOT_FOUND),
            }
        }
    }
}

fn is_read(method: &Method) -> bool {
    [Method::GET, Method::HEAD].contains(method)
}

fn make_status(status: StatusCode) -> Response {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

/// Refuses a method where `allowed` ones are answered.
fn not_allowed(allowed: &'static str) -> Response {
    with_header(make_status(StatusCode::METHOD_NOT_ALLOWED), header::ALLOW, allowed)
}

fn with_header(mut response: Response, name: header::HeaderName, value: &'static str) -> Response {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}

fn make_bytes(media_type: &'static str, bytes: Bytes) -> Response {
    with_header(Response::new(Full::new(bytes)), header::CONTENT_TYPE, media_type)
}

fn make_text(status: StatusCode, text: impl Into<Bytes>) -> Response {
    let mut response = make_bytes("text/plain; charset=utf-8", text.into());
    *response.status_mut() = status;
    response
}

fn is_own(hosts: &[String], headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    // With --host 0.0.0.0 each address of the machine names it. A name of another site is no address.
    let is_open = hosts.iter().any(|known| known.starts_with("0.0.0.0:") || known.starts_with("[::]:"));
    let is_address = |host: &str| is_open && (host.parse::<SocketAddr>().is_ok() || host.parse::<IpAddr>().is_ok());
    let is_known = |host: &str| hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
    let is_host = host.is_some_and(|host| is_known(host) || is_address(host));
    let of_origin = |origin: &str| origin.strip_prefix("http://").map(str::to_owned);
    let is_origin = origin.is_none_or(|origin| {
        of_origin(origin).is_some_and(|origin| host.is_some_and(|host| host.eq_ignore_ascii_case(&origin)))
    });
    is_host && is_origin
}

fn front_page() -> Response {
    if page::file("index.html").is_none() {
        let text = format!("this program was built without the page: {}\n", page::HOW_TO_BUILD);
        return make_text(StatusCode::SERVICE_UNAVAILABLE, text);
    }
    page_file("index.html")
}

fn page_file(name: &'static str) -> Response {
    match page::file(name) {
        Some(bytes) => make_bytes(page::media_type(name), Bytes::from_static(bytes)),
        None => make_status(StatusCode::NOT_FOUND),
    }
}

/// Turns the connection of a request into a WebSocket, and serves the viewer in a task of its own.
fn open_live(served: &Arc<Served>, mut request: Request<Body>) -> Response {
    let accepted = match accept_key(&request) {
        Ok(accepted) => accepted,
        Err(StatusCode::METHOD_NOT_ALLOWED) => return not_allowed("GET"),
        Err(status) => {
            let mut response = make_text(status, "a WebSocket of version 13 is served here");
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            return response;
        }
    };
    if served.hub.viewers() >= MAX_VIEWERS {
        return make_text(StatusCode::SERVICE_UNAVAILABLE, "there are as many viewers as this server takes");
    }
    let (connection, served) = (upgrade::on(&mut request), Arc::clone(served));
    tokio::spawn(async move {
        // A client that goes before its answer is no viewer.
        if let Ok(connection) = connection.await {
            attend(WebSocket::new(connection, MAX_MESSAGE), &served).await;
        }
    });
    let mut response = make_status(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
    response
}

/// Serves one viewer until it leaves, or until nothing comes from it for [`SILENCE`].
async fn attend(mut socket: WebSocket, served: &Served) {
    let hub = &served.hub;
    // Several viewers may have been admitted at once.
    let Some((viewer, mut frames, mut texts)) = hub.join(MAX_VIEWERS) else { return };
    hub.want_frame();
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    let mut heard = Instant::now();
    loop {
        let message = tokio::select! {
            received = socket.receive() => {
                heard = Instant::now();
                let Some(Ok(received)) = received else { break };
                if received.is_text() {
                    // Checked here too, so that the run gets valid UTF-8 only.
                    let Ok(text) = std::str::from_utf8(received.as_payload()) else { break };
                    hub.pass_on(Incoming::Text(viewer, text.to_owned()));
                    continue;
                }
                if received.is_close() {
                    break;
                }
                // A viewer that pings and does not read must wait, or answers would pile up.
                if received.is_ping() && !matches!(tokio::time::timeout(SILENCE, socket.flush()).await, Ok(Ok(()))) {
                    break;
                }
                if !received.is_binary() {
                    continue;
                }
                Message::text(r#"{"type":"error","message":"messages are JSON text"}"#)
            }
            Some(text) = texts.recv() => Message::text(text),
            changed = frames.changed() => {
                let frame: Bytes = frames.borrow_and_update().clone();
                match changed {
                    Err(_) => break,
                    Ok(()) if frame.is_empty() => continue,
                    Ok(()) => Message::binary(frame),
                }
            }
            _ = heartbeat.tick() => {
                if heard.elapsed() > SILENCE {
                    break;
                }
                Message::ping("")
            }
        };
        let is_frame = message.is_binary();
        let sent = tokio::time::timeout(SILENCE, socket.send(message)).await;
        if is_frame {
            hub.want_frame();
        }
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    hub.leave(viewer);
    // This sends the acknowledgement of an end, or the reason of a refusal.
    let _ = tokio::time::timeout(FAREWELL, socket.receive()).await;
}
