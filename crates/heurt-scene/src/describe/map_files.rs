//! Maps of files: each file is read once a run, and its tracker is prepared once.

use crate::files::{SceneFiles, line_of, read_map};
use heurt_map::placed::MapSearch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A map of a file, or the error.
type FoundMap = Result<Arc<MapSearch>, String>;

/// The maps of a run, by the path without links and detours.
#[derive(Default)]
pub(crate) struct MapFiles(Mutex<BTreeMap<PathBuf, Arc<OnceLock<FoundMap>>>>);

impl MapFiles {
    /// Returns the map of a file.
    pub(crate) fn of(&self, files: &dyn SceneFiles, path: &Path) -> FoundMap {
        // A thread that panicked leaves the table valid: entries are only added.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(known.entry(files.key(path)).or_default());
        drop(known);
        // Nothing in it runs in parallel, so that a thread that waits here never has to finish it.
        let read = || {
            let map = read_map(files, path).map_err(|error| line_of(&error))?;
            map.notes.iter().for_each(|note| files.note(note));
            MapSearch::new(map.placed).map(Arc::new).map_err(|error| line_of(&error))
        };
        cell.get_or_init(read).clone()
    }
}
