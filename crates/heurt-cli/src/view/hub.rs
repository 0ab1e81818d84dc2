//! Exchange between the run and the viewers: the newest frame out, messages in.
//!
//! Method: a channel for frames keeps the last one. A viewer that has sent its frame raises a flag; the run
//! encodes a frame only if the flag is up. A bounded channel holds the texts for a viewer; texts are dropped if it
//! is full.

use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use tokio::sync::watch;

/// Texts that may wait for a viewer.
const MAX_TEXTS: usize = 256;
/// Messages of all viewers that may wait for the run: a second of dragging of many viewers.
const MAX_MESSAGES: usize = 4096;
/// Bytes of these messages: 16 of the longest ones.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Number of a viewer: none is used twice.
pub(crate) type Viewer = u64;

/// An event of a viewer.
#[derive(Debug)]
pub(crate) enum Incoming {
    Joined(Viewer),
    Left(Viewer),
    Text(Viewer, String),
}

/// The exchange.
pub(crate) struct Hub {
    pub(super) scene: Bytes,
    pub(super) meshes: Vec<Bytes>,
    frames: watch::Sender<Bytes>,
    is_wanted: AtomicBool,
    next: AtomicU64,
    texts: Mutex<BTreeMap<Viewer, tokio::sync::mpsc::Sender<String>>>,
    inbox: mpsc::Sender<Incoming>,
    /// Texts that wait for the run.
    waiting: AtomicUsize,
    /// Bytes of these texts.
    waiting_bytes: AtomicUsize,
}

impl Hub {
    /// Makes an exchange for a scene; returns the receiver of the viewers' events, too.
    pub(crate) fn new(scene: Vec<u8>, meshes: Vec<Vec<u8>>) -> (Self, mpsc::Receiver<Incoming>) {
        let (inbox, events) = mpsc::channel();
        let hub = Self {
            scene: scene.into(),
            meshes: meshes.into_iter().map(Bytes::from).collect(),
            frames: watch::Sender::new(Bytes::new()),
            is_wanted: AtomicBool::new(true),
            next: AtomicU64::new(1),
            texts: Mutex::default(),
            inbox,
            waiting: AtomicUsize::new(0),
            waiting_bytes: AtomicUsize::new(0),
        };
        (hub, events)
    }

    /// Reports whether a viewer is ready for a frame.
    pub(crate) fn wants_frame(&self) -> bool {
        self.is_wanted.load(Ordering::Acquire)
    }

    /// Replaces the newest frame.
    pub(crate) fn publish(&self, frame: Vec<u8>) {
        self.is_wanted.store(false, Ordering::Release);
        self.frames.send_replace(frame.into());
    }

    /// Sends a text to a viewer, if it is there and keeps up.
    pub(crate) fn reply(&self, viewer: Viewer, text: String) {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = texts.get(&viewer) {
            let _ = sender.try_send(text);
        }
    }

    /// Sends a text to all viewers.
    pub(crate) fn reply_all(&self, text: &str) {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.values().for_each(|sender| drop(sender.try_send(text.to_owned())));
    }

    /// Marks a viewer as ready for a frame.
    pub(super) fn want_frame(&self) {
        self.is_wanted.store(true, Ordering::Release);
    }

    /// Admits a viewer: its number, the newest frames, the texts for it. `None` if there are `most` already.
    pub(super) fn join(
        &self,
        most: usize,
    ) -> Option<(Viewer, watch::Receiver<Bytes>, tokio::sync::mpsc::Receiver<String>)> {
        let viewer = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, texts) = tokio::sync::mpsc::channel(MAX_TEXTS);
        {
            let mut known = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= most {
                return None;
            }
            known.insert(viewer, sender);
        }
        self.pass_on(Incoming::Joined(viewer));
        let mut frames = self.frames.subscribe();
        frames.mark_changed();
        Some((viewer, frames, texts))
    }

    /// Dismisses a viewer.
    pub(super) fn leave(&self, viewer: Viewer) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).remove(&viewer);
        self.pass_on(Incoming::Left(viewer));
    }

    /// Passes an event on to the run; a text that finds no room is dropped, and its viewer is informed.
    pub(super) fn pass_on(&self, event: Incoming) {
        if let Incoming::Text(viewer, text) = &event {
            let count = self.waiting.fetch_add(1, Ordering::Relaxed);
            let bytes = self.waiting_bytes.fetch_add(text.len(), Ordering::Relaxed);
            if count >= MAX_MESSAGES || bytes + text.len() > MAX_MESSAGE_BYTES {
                self.note_read(&event);
                let text = r#"{"type":"error","message":"too many messages: some were dropped"}"#;
                return self.reply(*viewer, text.to_owned());
            }
        }
        // A run that has ended reads nothing.
        let _ = self.inbox.send(event);
    }

    /// Notes that the run read an event.
    pub(crate) fn note_read(&self, event: &Incoming) {
        if let Incoming::Text(_, text) = event {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.waiting_bytes.fetch_sub(text.len(), Ordering::Relaxed);
        }
    }

    /// Returns the number of viewers.
    pub(super) fn viewers(&self) -> usize {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
