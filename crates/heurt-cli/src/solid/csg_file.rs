//! Files of CSG trees: OpenSCAD, JSON, TOML.
//!
//! In: a path with the extension `.csg`, `.json` or `.toml`. Out: a [`CsgFile`]; a fault names line and key. Leaves of
//! JSON and TOML are the shapes of `heurt query`, in metres; paths begin from the folder of the file. A `.csg` file has
//! no unit.

use crate::files::store;
use crate::units::Units;
use crate::{Failure, load};
use heurt::io::LengthUnit;
use heurt::scene::ShapeStore;
use heurt::scene::describe::FieldError;
use heurt::scene::describe::parse_json;
use heurt::scene::describe::{Located, LocatedFault};
use heurt::solid::{Csg, CsgNode};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A tree and its unit of length.
pub(super) struct CsgFile {
    pub(super) tree: Csg,
    pub(super) units: Units,
    /// The files that were read.
    pub(super) inputs: Vec<PathBuf>,
}

impl CsgFile {
    /// Reads a file and the mesh files that it names.
    pub(super) fn read(path: &Path, threads: Option<u16>) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let refuse = |line: Option<usize>, reason: String| Failure::BadCsg { path: path.to_owned(), line, reason };
        let kind = extension.to_ascii_lowercase();
        if !["csg", "json", "toml"].contains(&kind.as_str()) {
            return Err(refuse(None, "the extension is none of .csg, .json and .toml: rename the file".to_owned()));
        }
        let bytes = load::read_bytes(path)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| refuse(None, "the file is no UTF-8 text".to_owned()))?;
        let text = text.trim_start_matches('\u{feff}');
        let mut inputs = vec![path.to_owned()];
        if kind == "csg" {
            let tree = Csg::from_openscad(text).map_err(|error| refuse(None, error.to_string()))?;
            return Ok(Self { tree, units: Units(None), inputs });
        }
        let store = store(threads, None)?;
        let tree = if kind == "json" {
            let (value, repeated) =
                parse_json(text.as_bytes()).map_err(|error| refuse(Some(error.line()), error.to_string()))?;
            if let Some(field) = repeated {
                return Err(refuse(None, FieldError::Repeated { field }.to_string()));
            }
            let named =
                |error: FieldError| if error.field().is_empty() { format!("tree{error}") } else { error.to_string() };
            tree_of(value, path, &store).map_err(|error| refuse(None, named(error)))?
        } else {
            let mut located =
                Located::parse(text).map_err(|LocatedFault { line, reason, .. }| refuse(Some(line), reason))?;
            tree_of(located.take(), path, &store).map_err(|error| {
                let LocatedFault { line, reason, .. } = located.fault(&error);
                refuse(Some(line), reason)
            })?
        };
        inputs.extend(store.files());
        Ok(Self { tree, units: Units(Some(LengthUnit::Metre)), inputs })
    }

    /// Returns the number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.tree.nodes().filter(|node| matches!(node, CsgNode::Leaf(_))).count()
    }
}

fn tree_of(value: Value, path: &Path, store: &ShapeStore) -> Result<Csg, FieldError> {
    store.read_csg(value, path.parent().unwrap_or(Path::new("")))
}
