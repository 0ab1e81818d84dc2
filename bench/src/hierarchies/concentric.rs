//! The claim of S0 §4.5.7: two concentric spheres, how many pairs of volumes are tested against how wide the gap is.
//!
//! In: one tessellated sphere, its trees. Out: the work of a walk that finds all pairs of leaves that may meet, for gaps from
//! 10% to 0.01% of the radius, of a finer sphere from 32% to 0.18%; N_v ∝ gap^k, fitted where the trees do not bottom out.
//! Method: the inner sphere is the outer one, turned to a general pose and seen through a smaller unit of length, which the
//! placement of a tree in the frame of another allows: one tree a volume serves all gaps. Leaves hold one triangle.

use super::power::Power;
use super::quospo::Quospo;
use crate::peers::ours::Triangles;
use crate::random::Random;
use heurt_bvh::simd::{HasLanes, Machine, WideIsa};
use heurt_bvh::volume::PairGap;
use heurt_bvh::{
    Aabb32, AabbSlab, BoxAxes, BuildOptions, Bvh, KDop14, KDop18, KDop26, Leaf, Obb, PairVisitor, Placement,
    RelativePose, Rss, Sphere, VolumeKind, Work, walk_pair,
};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use std::ops::{ControlFlow, RangeInclusive};

/// Just under a power of two: trees count in units of the next one, and their `f32` error bound with it.
pub const RADIUS: f64 = 0.99;

/// Gaps a decade.
const STEPS: u32 = 4;
/// The gaps that are walked, in steps down from the radius: 10% to 0.01%.
const GAPS: RangeInclusive<u32> = 4..=16;
/// The same for volumes that bottom out early, over a sphere that is fine enough: 32% to 0.18%.
const WIDE_GAPS: RangeInclusive<u32> = 2..=11;
/// A walk of which a larger share ends at pairs of leaves has bottomed out.
const MAX_LEAVES: f64 = 0.01;

/// A walk between spheres of some gap.
pub struct Count {
    /// As a share of the radius.
    pub gap: f64,
    /// What the walk did.
    pub work: Work,
}

/// What walks with one kind of volume did.
pub struct Curve {
    /// The volume.
    pub name: &'static str,
    /// By falling gap.
    pub counts: Vec<Count>,
}

impl Count {
    /// Tells whether the tree went on deep enough to tell the spheres apart above its leaves.
    fn is_resolved(&self) -> bool {
        (self.work.primitives as f64) < MAX_LEAVES * self.work.volumes as f64
    }

    fn point(&self) -> [f64; 2] {
        [self.gap, self.work.volumes as f64]
    }
}

impl Curve {
    /// Gaps and N_v.
    pub fn points(&self) -> Vec<[f64; 2]> {
        self.counts.iter().map(Count::point).collect()
    }

    /// Gaps and N_v where the tree does not bottom out.
    pub fn resolved(&self) -> Vec<[f64; 2]> {
        self.counts.iter().take_while(|count| count.is_resolved()).map(Count::point).collect()
    }

    /// N_v against the gap over one of its decades of gaps, where all of it counts.
    pub fn law_of(&self, decade: usize) -> Option<Power> {
        let first = decade * STEPS as usize;
        Power::fit(self.resolved().get(first..=first + STEPS as usize)?)
    }

    /// N_v against the gap.
    pub fn law(&self) -> Option<Power> {
        Power::fit(&self.resolved())
    }

    /// The same of N_v by surface of the inner sphere, which is less the wider the gap.
    pub fn law_by_surface(&self) -> Option<Power> {
        let by_surface: Vec<_> = self.resolved().iter().map(|&[gap, n]| [gap, n / (1.0 - gap).powi(2)]).collect();
        Power::fit(&by_surface)
    }

    /// The widest gap and the narrowest of each decade.
    pub fn decades(&self) -> Vec<[f64; 2]> {
        let ends: Vec<f64> = self.counts.iter().step_by(STEPS as usize).map(|count| count.gap).collect();
        ends.windows(2).map(|ends| [ends[0], ends[1]]).collect()
    }
}

/// Takes all leaves and looks at none.
pub struct Counter;

impl PairVisitor for Counter {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }
    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, _a: Leaf, _b: Leaf) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Walks spheres about `mesh`, a sphere about the origin, with volumes of every kind and `W` children a node.
pub fn curves<const W: usize>(mesh: &TriMesh) -> Vec<Curve>
where
    Machine: HasLanes<W>,
{
    let boxes = &boxes::<W>(mesh);
    vec![
        curve(VolumeKind::Aabb.name(), boxes, GAPS),
        curve(VolumeKind::Sphere.name(), &fitted::<Sphere, W>(boxes, mesh), GAPS),
        curve(VolumeKind::KDop14.name(), &fitted::<KDop14, W>(boxes, mesh), GAPS),
        curve(VolumeKind::KDop18.name(), &fitted::<KDop18, W>(boxes, mesh), GAPS),
        curve(VolumeKind::KDop26.name(), &fitted::<KDop26, W>(boxes, mesh), GAPS),
        curve(Quospo::NAME, &fitted::<Quospo, W>(boxes, mesh), GAPS),
        curve(VolumeKind::AabbSlab.name(), &fitted::<AabbSlab, W>(boxes, mesh), GAPS),
        curve(VolumeKind::Obb.name(), &fitted::<Obb, W>(boxes, mesh), GAPS),
        curve(VolumeKind::Rss.name(), &fitted::<Rss, W>(boxes, mesh), GAPS),
    ]
}

/// The same with those two volumes that bottom out first, in binary trees, from wider gaps on.
pub fn wide_curves(mesh: &TriMesh) -> Vec<Curve> {
    let boxes = &boxes::<2>(mesh);
    vec![
        curve(VolumeKind::Aabb.name(), boxes, WIDE_GAPS),
        curve(VolumeKind::Sphere.name(), &fitted::<Sphere, 2>(boxes, mesh), WIDE_GAPS),
    ]
}

fn boxes<const W: usize>(mesh: &TriMesh) -> Bvh<Aabb32, W> {
    let options = BuildOptions { leaf_size: 1, ..BuildOptions::default() };
    Bvh::with_options(&Triangles(mesh), &options).expect("a sphere fits a tree")
}

/// The nodes of `boxes` with other volumes.
pub fn fitted<V: PairGap<V>, const W: usize>(boxes: &Bvh<Aabb32, W>, mesh: &TriMesh) -> Bvh<V, W> {
    boxes.with_volumes(&Triangles(mesh), BoxAxes::default(), true).expect("the mesh that the tree was built over")
}

fn curve<V: PairGap<V>, const W: usize>(name: &'static str, tree: &Bvh<V, W>, steps: RangeInclusive<u32>) -> Curve
where
    Machine: HasLanes<W>,
{
    eprintln!("concentric spheres: {name}, degree {W}");
    let gap = |step| 10f64.powf(-f64::from(step) / f64::from(STEPS));
    let count = |gap| Count { gap, work: walk_pair(tree, tree, &inside(tree, 1.0 - gap), &mut Counter) };
    Curve { name, counts: steps.map(gap).map(count).collect() }
}

/// The tree in itself, turned to a general pose and `size` times as large.
fn inside<V: PairGap<V>, const W: usize>(tree: &Bvh<V, W>, size: f64) -> RelativePose {
    let turn = Random(5).rotation().to_array();
    let turned = Pose::from_quaternion(turn, Vec3::ZERO).expect("a unit quaternion");
    let mut pose = RelativePose::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &turned);
    resize(&mut pose.b_in_a, size);
    resize(&mut pose.a_in_b, 1.0 / size);
    pose
}

/// Makes a tree that is placed about the other one's centre `size` times as large.
fn resize(place: &mut Placement, size: f64) {
    let size = size as f32;
    place.ratio *= size;
    place.scaled_rotation.iter_mut().chain(&mut place.scaled_abs_rotation).flatten().for_each(|entry| *entry *= size);
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_mesh::generate::icosphere;

    #[test]
    fn a_resized_placement_is_a_resized_mesh() {
        let (outer, inner) = (icosphere(RADIUS, 4).unwrap(), icosphere(RADIUS * 0.97, 4).unwrap());
        let options = BuildOptions { leaf_size: 1, ..BuildOptions::default() };
        let tree = |mesh: &TriMesh| Bvh::<Aabb32, 2>::with_options(&Triangles(mesh), &options).unwrap();
        let (outer, inner) = (tree(&outer), tree(&inner));
        let turned = Pose::from_quaternion(Random(5).rotation().to_array(), Vec3::ZERO).unwrap();
        let pose = RelativePose::new(outer.frame(), &Pose::IDENTITY, inner.frame(), &turned);
        let made = walk_pair(&outer, &inner, &pose, &mut Counter).volumes as f64;
        let seen = walk_pair(&outer, &outer, &inside(&outer, 0.97), &mut Counter).volumes as f64;
        assert!((seen / made - 1.0).abs() < 0.01, "{made} tests of a mesh made anew, {seen} of a placement");
    }
}
