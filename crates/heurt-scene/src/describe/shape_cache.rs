//! Cache of shapes that lines write out or name, each described and resolved once.
//!
//! In: JSON of shapes, and names with shapes. Out: [`SharedShape`]s. If each line of a program repeats one shape,
//! reading and building it costs once only. Guarantees: answers do not depend on the cache; at most [`MAX_SHAPES`]
//! shapes of at most [`MAX_NUMBERS`] numbers in all are kept, further ones are made for their line only.

use super::fields::FieldError;
use super::shape::{ShapeRequest, read_shape};
use crate::describe::resolved_shape::Resolved;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Number of shapes that are kept: more than any robot has links or scene has kinds of objects.
const MAX_SHAPES: usize = 4096;
/// Numbers in the JSON of all shapes that are kept: some 100 MB with the data built from them.
const MAX_NUMBERS: usize = 1 << 20;

/// A described shape, resolved at the first query that needs it.
pub struct SharedShape {
    pub request: ShapeRequest,
    /// Depth of nested shapes, including those of names.
    pub depth: u32,
    /// Number of shapes that are not compounds, including those of names.
    pub leaves: u64,
    resolved: OnceLock<Arc<Resolved>>,
}

impl SharedShape {
    pub fn new(request: ShapeRequest) -> Self {
        Self { depth: request.depth(), leaves: request.leaves(), request, resolved: OnceLock::new() }
    }

    /// Returns whether the inside of the shape, once it is resolved, is decided exactly.
    pub fn is_exact(&self) -> bool {
        self.resolved.get().is_none_or(|resolved| resolved.is_exact())
    }

    /// Returns the resolved shape; `resolve` makes it if that was not done. Two threads at the same time both make it,
    /// so that neither blocks, and the first result is kept.
    pub fn resolved(
        &self,
        resolve: impl FnOnce(&ShapeRequest) -> Result<Resolved, FieldError>,
    ) -> Result<Arc<Resolved>, FieldError> {
        if let Some(resolved) = self.resolved.get() {
            return Ok(Arc::clone(resolved));
        }
        let made = Arc::new(resolve(&self.request)?);
        Ok(Arc::clone(self.resolved.get_or_init(|| made)))
    }
}

impl std::fmt::Debug for SharedShape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.request.fmt(out)
    }
}

/// The shapes of a run.
#[derive(Default)]
pub struct ShapeCache {
    written: RwLock<HashMap<Value, Arc<SharedShape>>>,
    numbers: AtomicUsize,
}

impl ShapeCache {
    /// Returns the shape that a line writes out, described before or now; `path` is the path of the field.
    pub fn written(&self, path: &str, value: Value) -> Result<Arc<SharedShape>, FieldError> {
        // Lookups only, no iteration: nothing depends on the order of the table.
        if let Some(known) = self.written.read().unwrap_or_else(PoisonError::into_inner).get(&value) {
            return Ok(Arc::clone(known));
        }
        let (size, shared) = (numbers_in(&value), Arc::new(SharedShape::new(read_shape(path, value.clone())?)));
        let mut written = self.written.write().unwrap_or_else(PoisonError::into_inner);
        let is_kept = written.len() < MAX_SHAPES && self.numbers.load(Ordering::Relaxed) + size <= MAX_NUMBERS;
        if is_kept && written.insert(value, Arc::clone(&shared)).is_none() {
            self.numbers.fetch_add(size, Ordering::Relaxed);
        }
        Ok(shared)
    }
}

/// Counts the values in JSON, without recursion.
fn numbers_in(value: &Value) -> usize {
    let (mut count, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    count
}
