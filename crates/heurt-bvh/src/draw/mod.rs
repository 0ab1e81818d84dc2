//! Drawing of trees: the outlines of their volumes, all of them or those of one level.
//!
//! In: a [`Bvh`] and a level. Out: lines of a [`DrawSink`] with the meaning [`Meaning::Volume`] and the depth of the
//! volume; the root has depth 0.
//! Guarantees: coordinates are metres in the frame of the primitives. Volumes come with parents before their children,
//! in the same order in every run. Not guaranteed: that a line lies exactly on the surface of its volume; it is
//! rounded.
//! Cost: at most [`MAX_LINES`] lines for a volume, and the nodes down to the level.

mod outline;

pub use outline::{MAX_LINES, Outline};

use crate::tree::bvh::{Bvh, Child};
use crate::volume::BoundingVolume;
use heurt_geometry::{Draw, DrawSink, Meaning};

/// One level of a tree: the volumes at a depth, and the leaves above it, which have no volumes there.
///
/// ```
/// use heurt_bvh::{Aabb32, Boxes, Bvh, TreeLevel};
/// use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Triangle, Vec3};
/// struct Depths(Vec<u32>);
/// impl DrawSink for Depths {
///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
///     fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {}
///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
///     fn draw_box(&mut self, _: &Aabb, meaning: Meaning) {
///         let Meaning::Volume(depth) = meaning else { return };
///         self.0.push(depth);
///     }
/// }
/// let row = (0..100).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 });
/// let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(row))?;
/// let mut drawn = Depths(Vec::new());
/// TreeLevel { tree: &tree, level: 0 }.draw(&mut drawn);
/// assert_eq!(drawn.0, [0], "the root");
/// TreeLevel { tree: &tree, level: 1 }.draw(&mut drawn);
/// assert!(drawn.0.len() > 2 && drawn.0[1..].iter().all(|&depth| depth == 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TreeLevel<'a, V: BoundingVolume, const W: usize> {
    /// The tree.
    pub tree: &'a Bvh<V, W>,
    /// The depth, from 0 to [`Bvh::levels`] − 1; a greater one draws the leaves.
    pub level: u32,
}

impl<V: BoundingVolume, const W: usize> Bvh<V, W> {
    /// Returns the number of levels of volumes, at least 1.
    pub fn levels(&self) -> u32 {
        self.stats().depth as u32
    }

    /// Visits the volumes down to the depth `deepest`, each with its depth and whether it holds a leaf; children follow
    /// their parents.
    pub(crate) fn for_each_volume_to(&self, deepest: u32, mut visit: impl FnMut(&V, u32, bool)) {
        let mut pending = vec![(0, 0)];
        while let Some((index, depth)) = pending.pop() {
            let Some(node) = self.nodes.get(index) else { continue };
            for (lane, &child) in node.children.iter().enumerate().filter(|(_, child)| **child != Child::NONE) {
                visit(&V::load(&node.volumes, lane), depth, child.is_leaf());
            }
            let below = node.children.iter().rev().filter(|child| !child.is_leaf() && depth < deepest);
            pending.extend(below.map(|child| (child.index(), depth + 1)));
        }
    }
}

impl<V: BoundingVolume, const W: usize> Draw for TreeLevel<'_, V, W> {
    /// Draws the outlines of the volumes of the level and of the leaves above it.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let mut outline = Outline::new(self.tree.frame(), sink);
        self.tree.for_each_volume_to(self.level, |volume, depth, is_leaf| {
            if depth == self.level || is_leaf {
                outline.set_meaning(Meaning::Volume(depth));
                volume.draw_outline(&mut outline);
            }
        });
    }
}

impl<V: BoundingVolume, const W: usize> Draw for Bvh<V, W> {
    /// Draws the outlines of all volumes.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let mut outline = Outline::new(self.frame(), sink);
        self.for_each_volume_to(u32::MAX, |volume, depth, _| {
            outline.set_meaning(Meaning::Volume(depth));
            volume.draw_outline(&mut outline);
        });
    }
}
