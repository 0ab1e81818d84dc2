//! Live page: a server on the local machine, its page, and the scene that the page shows.
//!
//! In: a scene and frames, as bytes. Out: messages of viewers, in order of arrival.
//! Method: the server runs on a thread of its own (`server`). It keeps the newest frame only (`hub`), so that a slow
//! viewer never slows the caller. The page is in the program (`page`).
//! Guarantees: without `--host` only this machine is served; requests with a foreign `Host` or `Origin` are refused.

mod arguments;
mod command;
#[cfg(feature = "view")]
mod hub;
pub(crate) mod page;
#[cfg(feature = "view")]
mod scene;
#[cfg(feature = "view")]
mod server;
#[cfg(feature = "view")]
mod web_socket;

pub(crate) use arguments::ViewArguments;
pub(crate) use command::{RunnableFile, ViewFilesArguments, run};
#[cfg(feature = "view")]
pub(crate) use hub::{Hub, Incoming, Viewer};
#[cfg(feature = "view")]
pub(crate) use scene::{BoundsJson, LayerJson, SceneBodyJson, SceneJson, SceneMeshes, TintJson};
#[cfg(feature = "view")]
pub(crate) use server::Server;
