//! A mesh shape with the trees that requests choose for it, and the threads that build what requests share.

use heurt_shape::{AnyTree, MeshShape, TreeChoice};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The result of building a mesh shape, or why there is none.
pub type LoadedTrees = Result<Arc<MeshWithTrees>, String>;

/// Threads that build what requests share, and never answer a request.
pub struct Workers(pub rayon::ThreadPool);

impl Workers {
    /// Runs `work` on these threads; the caller waits and takes up nothing else.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        // A worker of another pool would go on with its own tasks while it waits; a thread of no pool does not.
        let outside = || std::thread::scope(|scope| scope.spawn(|| self.0.install(work)).join());
        outside().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// The result of building a tree, or why there is none.
type BuiltTree = Result<Arc<AnyTree>, String>;

/// A shape with the trees chosen for it, each built when it is first requested.
pub struct MeshWithTrees {
    pub shape: Arc<MeshShape>,
    trees: Mutex<Vec<(TreeChoice, Arc<OnceLock<BuiltTree>>)>>,
}

impl MeshWithTrees {
    pub fn new(shape: MeshShape) -> Self {
        Self { shape: Arc::new(shape), trees: Mutex::default() }
    }

    /// Returns the tree of a choice, built where it is not yet.
    pub fn tree(&self, choice: TreeChoice, workers: &Workers) -> Result<Arc<AnyTree>, String> {
        let build = || AnyTree::new(self.shape.mesh(), &choice, true).map(Arc::new).map_err(|error| error.to_string());
        self.cell_of(choice).get_or_init(|| workers.run(build)).clone()
    }

    fn cell_of(&self, choice: TreeChoice) -> Arc<OnceLock<BuiltTree>> {
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tree)) = trees.iter().find(|(known, _)| *known == choice) {
            return Arc::clone(tree);
        }
        let tree = Arc::default();
        trees.push((choice, Arc::clone(&tree)));
        tree
    }
}
