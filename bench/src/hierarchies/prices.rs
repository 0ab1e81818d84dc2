//! What a test of two volumes costs by itself, C_v, and what setting two trees in relation costs, C_u (S0 §4.5.1).
//!
//! In: nothing; two meshes of 10k triangles and a pose at which they are near. Out: nanoseconds of one wide test, looked at along
//! every axis and along as few as an early end may take, of degree 8 and 2; nanoseconds of a relation.
//! Method: volumes from the middle of either tree, each of one against packs of the other, all in the nearest cache.

use super::concentric::fitted;
use crate::meshes;
use crate::peers::ours::Triangles;
use crate::timing::{Contestant, Mode, contest};
use heurt_bvh::simd::{HasLanes, Kernel, Lanes, LanesFor, Machine, WideIsa, dispatch};
use heurt_bvh::volume::PairGap;
use heurt_bvh::{
    Aabb32, AabbSlab, BoundingVolume, BuildOptions, Bvh, KDop14, KDop18, KDop26, Obb, RelativePose, Rss, Sphere,
    VolumeKind,
};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use std::hint::black_box;
use std::time::Duration;

/// Volumes that ask, and packs that are asked.
const QUERIES: usize = 64;
const PACKS: usize = 16;

/// The prices of one volume, in nanoseconds.
pub struct Price {
    /// The volume.
    pub name: &'static str,
    /// A test of eight lanes along all axes.
    pub wide: f64,
    /// The same when the first axes part all lanes.
    pub early: f64,
    /// A test of two lanes along all axes.
    pub narrow: f64,
    /// Beside composing the poses, what a pair of trees needs.
    pub relation: f64,
}

/// Two meshes near each other.
pub struct Stage {
    meshes: [TriMesh; 2],
    boxes: [Bvh<Aabb32, 2>; 2],
    pose: [Pose; 2],
}

impl Stage {
    /// Sets the meshes up.
    pub fn new() -> Self {
        let meshes = [meshes::toroid(10_000), meshes::bumpy(10_000)];
        let options = BuildOptions { leaf_size: 1, ..BuildOptions::default() };
        let boxes =
            meshes.each_ref().map(|mesh| Bvh::with_options(&Triangles(mesh), &options).expect("a mesh fits a tree"));
        let turn = crate::random::Random(3).rotation().to_array();
        let there = Pose::from_quaternion(turn, Vec3::new(0.5, 0.4, 1.4)).expect("a unit quaternion");
        Self { meshes, boxes, pose: [Pose::IDENTITY, there] }
    }

    /// Volumes about a few dozen triangles each, from either mesh.
    pub fn volumes<V: PairGap<V>>(&self) -> [Vec<V>; 2] {
        [0, 1].map(|i| {
            let mut out = Vec::new();
            fitted::<V, 2>(&self.boxes[i], &self.meshes[i]).for_each_volume(|volume, leaves| {
                if (16..64).contains(&leaves.len()) && out.len() < 8 * PACKS {
                    out.push(*volume);
                }
            });
            out
        })
    }

    /// How the two trees stand.
    pub fn relative(&self) -> RelativePose {
        let [a, b] = &self.boxes;
        RelativePose::new(a.frame(), &self.pose[0], b.frame(), &self.pose[1])
    }

    /// Measures all volumes, and what composing the poses costs.
    pub fn prices(&self, rounds: usize) -> (Vec<Price>, f64) {
        eprintln!("single tests");
        let prices = vec![
            self.price::<Sphere>(VolumeKind::Sphere, rounds),
            self.price::<Aabb32>(VolumeKind::Aabb, rounds),
            self.price::<AabbSlab>(VolumeKind::AabbSlab, rounds),
            self.price::<KDop14>(VolumeKind::KDop14, rounds),
            self.price::<KDop18>(VolumeKind::KDop18, rounds),
            self.price::<KDop26>(VolumeKind::KDop26, rounds),
            self.price::<Obb>(VolumeKind::Obb, rounds),
            self.price::<Rss>(VolumeKind::Rss, rounds),
        ];
        let compose = nanoseconds(rounds, |_| u64::from(black_box(self).relative().edge_axes));
        (prices, compose)
    }

    fn price<V: PairGap<V>>(&self, kind: VolumeKind, rounds: usize) -> Price {
        let ([queries, candidates], pose) = (self.volumes::<V>(), self.relative());
        // No gap is above infinity, all are above the least number: a test then looks along all axes, or ends early.
        let (wide, narrow) = (packed::<V, 8>(&candidates), packed::<V, 2>(&candidates));
        let all = f32::INFINITY;
        Price {
            name: kind.name(),
            wide: test(&queries, &wide, &pose, all, rounds),
            early: test(&queries, &wide, &pose, f32::MIN, rounds),
            narrow: test(&queries, &narrow, &pose, all, rounds),
            relation: nanoseconds(rounds, |_| dispatch(Relate::<V>(black_box(&pose), std::marker::PhantomData))),
        }
    }
}

/// Packs of `W` volumes.
fn packed<V: BoundingVolume, const W: usize>(volumes: &[V]) -> Vec<V::Wide<W>> {
    let pack = |volumes: &[V]| {
        let mut lanes = V::empty_lanes::<W>();
        volumes.iter().enumerate().for_each(|(lane, volume)| volume.store(&mut lanes, lane));
        lanes
    };
    volumes.chunks_exact(W).take(PACKS).map(pack).collect()
}

/// Nanoseconds of one wide test.
fn test<V: PairGap<V>, const W: usize>(
    queries: &[V],
    packs: &[V::Wide<W>],
    pose: &RelativePose,
    cutoff: f32,
    rounds: usize,
) -> f64
where
    Machine: HasLanes<W>,
{
    let sweep = |i: usize| dispatch(Tests { volume: &queries[i], packs, pose, cutoff });
    (nanoseconds(rounds, sweep)
        - nanoseconds(rounds, |i| dispatch(Tests::<V, W> { volume: &queries[i], packs: &[], pose, cutoff })))
        / packs.len() as f64
}

/// Nanoseconds of a call, one of `QUERIES`.
pub fn nanoseconds(rounds: usize, call: impl FnMut(usize) -> u64) -> f64 {
    let one = vec![Contestant::new("", call)];
    contest(QUERIES, rounds, Mode::Sweep(64), Duration::from_secs(1), one)[0].median()
}

/// One volume against many packs, after the relation has been worked out.
struct Tests<'a, V: BoundingVolume, const W: usize> {
    volume: &'a V,
    packs: &'a [V::Wide<W>],
    pose: &'a RelativePose,
    cutoff: f32,
}

impl<V: PairGap<V>, const W: usize> Kernel<W> for Tests<'_, V, W> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> u64 {
        let relation = V::pair_constants(isa, self.pose);
        let mut kept = 0;
        for pack in self.packs {
            let gaps = self.volume.gap::<W, I>(isa, self.pose.from_a(), &relation, pack, self.cutoff);
            kept += gaps.gt(<I as LanesFor<W>>::F::splat(0.0)).bits();
        }
        u64::from(kept)
    }
}

/// The relation of two trees.
struct Relate<'a, V>(&'a RelativePose, std::marker::PhantomData<V>);

impl<V: PairGap<V>> Kernel for Relate<'_, V> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> u64 {
        black_box(V::pair_constants(isa, self.0));
        0
    }
}
