//! HTTP server of the live page: static files, the scene, meshes, and a WebSocket for frames and messages.
//!
//! Method: `axum` on one thread with a runtime of its own. A WebSocket sends the newest frame whenever the last one has
//! gone out, so that a slow viewer loses frames.
//! Guarantees: `Host` and `Origin` must name the address that is served, or this machine. Only the names of the page's
//! files are served: no path reaches the disk.

use super::arguments::ViewArguments;
use super::hub::{Hub, Incoming};
use super::page;
use crate::Failure;
use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

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
/// Time between two attempts to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Policy of the page: everything comes from this server.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      connect-src 'self'; frame-ancestors 'none'";

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
                accept_connections(&listener, &router(served)).await;
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
async fn accept_connections(listener: &tokio::net::TcpListener, router: &Router) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // No file handle is free.
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
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

fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/", get(front_page))
        .route("/viewer.js", get(|| async { page_file("viewer.js") }))
        .route("/viewer.css", get(|| async { page_file("viewer.css") }))
        .route("/scene.json", get(scene))
        .route("/mesh/{number}", get(mesh))
        .route("/live", any(live))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(middleware::from_fn_with_state(Arc::clone(&served), check_host))
        .with_state(served)
}

/// Refuses requests that do not name this server: a page of another site, or a name that another site made point here.
async fn check_host(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    if !is_own(&served.hosts, request.headers()) {
        return (StatusCode::FORBIDDEN, "this server answers its own page only").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
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

async fn front_page() -> Response {
    if page::file("index.html").is_none() {
        let text = format!("this program was built without the page: {}\n", page::HOW_TO_BUILD);
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    }
    page_file("index.html")
}

fn page_file(name: &'static str) -> Response {
    match page::file(name) {
        Some(bytes) => ([(header::CONTENT_TYPE, page::media_type(name))], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn scene(State(served): State<Arc<Served>>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], served.hub.scene.clone()).into_response()
}

async fn mesh(State(served): State<Arc<Served>>, Path(number): Path<usize>) -> Response {
    match served.hub.meshes.get(number) {
        Some(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes.clone()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn live(State(served): State<Arc<Served>>, upgrade: WebSocketUpgrade) -> Response {
    if served.hub.viewers() >= MAX_VIEWERS {
        return (StatusCode::SERVICE_UNAVAILABLE, "there are as many viewers as this server takes").into_response();
    }
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    upgrade.on_upgrade(move |socket| attend(socket, served))
}

/// Serves one viewer until it leaves, or until nothing comes from it for [`SILENCE`].
async fn attend(mut socket: WebSocket, served: Arc<Served>) {
    let hub = &served.hub;
    // Several viewers may have been admitted at once.
    let Some((viewer, mut frames, mut texts)) = hub.join(MAX_VIEWERS) else { return };
    hub.want_frame();
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    let mut heard = Instant::now();
    loop {
        let message = tokio::select! {
            received = socket.recv() => {
                heard = Instant::now();
                match received {
                    Some(Ok(Message::Text(text))) => {
                        hub.pass_on(Incoming::Text(viewer, text.as_str().to_owned()));
                        continue;
                    }
                    Some(Ok(Message::Binary(_))) => {
                        Message::Text(r#"{"type":"error","message":"messages are JSON text"}"#.into())
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                    Some(Ok(_)) => continue,
                }
            }
            Some(text) = texts.recv() => Message::Text(text.into()),
            changed = frames.changed() => {
                let frame: Bytes = frames.borrow_and_update().clone();
                match changed {
                    Err(_) => break,
                    Ok(()) if frame.is_empty() => continue,
                    Ok(()) => Message::Binary(frame),
                }
            }
            _ = heartbeat.tick() => {
                if heard.elapsed() > SILENCE {
                    break;
                }
                Message::Ping(Bytes::new())
            }
        };
        let is_frame = matches!(message, Message::Binary(_));
        let sent = tokio::time::timeout(SILENCE, socket.send(message)).await;
        if is_frame {
            hub.want_frame();
        }
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    hub.leave(viewer);
}
