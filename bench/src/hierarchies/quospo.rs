//! Boxes with the best of several slabs, for measuring only: along one of sixteen directions, which is QuOSPO as S0 §4.5.9
//! tells of it, beside [`AabbSlab`], whose slab lies across the direction in which the primitives face, whatever that is.
//!
//! Method: the sixteen axes through the corners of an icosahedron and of the dodecahedron dual to it, of which no direction
//! is farther than 23°: four bits. The best slab cuts most off the box: it is the least share of what the box reaches along its
//! direction. [`Free`] tries the direction of [`AabbSlab`] as well, which tells what quantising costs from what choosing gains.
//! Tests and everything else are those of [`AabbSlab`]; the normal is kept as numbers here, and counted as four bits.

use heurt_bvh::relative::QueryView;
use heurt_bvh::simd::{LanesFor, WideIsa};
use heurt_bvh::volume::{Fitting, PairGap};
use heurt_bvh::{Aabb32, AabbSlab, BoundingVolume, PointCloud};
use heurt_geometry::Vec3;

/// A box with the best slab along sixteen directions and, where `FACING` says so, the one in which the primitives face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slab<const FACING: bool>(AabbSlab);

/// A slab of a quantised direction.
pub type Quospo = Slab<false>;
/// A slab whose direction may be any.
pub type Free = Slab<true>;

/// The golden ratio.
const PHI: f64 = 1.618_033_988_749_895;
const INVERSE: f64 = PHI - 1.0;

/// The directions, not of unit length: six corners of an icosahedron, ten of a dodecahedron.
const DIRECTIONS: [Vec3; 16] = [
    Vec3::new(0.0, 1.0, PHI),
    Vec3::new(0.0, 1.0, -PHI),
    Vec3::new(1.0, PHI, 0.0),
    Vec3::new(1.0, -PHI, 0.0),
    Vec3::new(PHI, 0.0, 1.0),
    Vec3::new(PHI, 0.0, -1.0),
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(0.0, PHI, INVERSE),
    Vec3::new(0.0, PHI, -INVERSE),
    Vec3::new(INVERSE, 0.0, PHI),
    Vec3::new(-INVERSE, 0.0, PHI),
    Vec3::new(PHI, INVERSE, 0.0),
    Vec3::new(PHI, -INVERSE, 0.0),
];

impl Quospo {
    /// In tables.
    pub const NAME: &str = "aabb-slab of 16";
    /// What a volume would take with its direction in four bits.
    pub const BYTES: f64 = 4.0 * (AabbSlab::NUMBERS - 3) as f64 + 0.5;
}

impl Free {
    /// In tables.
    pub const NAME: &str = "aabb-slab, best";
}

impl<const FACING: bool> BoundingVolume for Slab<FACING> {
    type Wide<const W: usize> = <AabbSlab as BoundingVolume>::Wide<W>;
    /// Never written to a file.
    const KIND: u32 = u32::MAX;
    const FITTING: Fitting = AabbSlab::FITTING;
    const NUMBERS: usize = AabbSlab::NUMBERS;

    fn from_box(box_: &Aabb32) -> Self {
        Self(AabbSlab::from_box(box_))
    }
    fn around(cloud: &PointCloud<'_>) -> Self {
        let box_ = Aabb32::around(cloud);
        let extent = Vec3::from_array([0, 1, 2].map(|k| f64::from(box_.max[k] - box_.min[k])));
        let share = |direction: &Vec3| {
            let (least, greatest) = cloud.range(*direction);
            (greatest - least) / direction.abs().dot(extent)
        };
        let facing = Some(cloud.facing).filter(|facing| FACING && facing.length() > 0.0);
        let candidates = DIRECTIONS.into_iter().chain(facing);
        let best = candidates.min_by(|x, y| share(x).total_cmp(&share(y)));
        Self(AabbSlab::around(&PointCloud { facing: best.unwrap_or(Vec3::X), ..*cloud }))
    }
    fn merged_lanes<const W: usize>(lanes: &Self::Wide<W>, count: usize, before: &Self) -> Self {
        Self(AabbSlab::merged_lanes(lanes, count, &before.0))
    }
    fn to_box(&self) -> Aabb32 {
        self.0.to_box()
    }
    fn holds(&self, point: Vec3) -> bool {
        self.0.holds(point)
    }
    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(isa: I, lanes: &Self::Wide<W>) -> I::F {
        AabbSlab::areas(isa, lanes)
    }
    fn empty_lanes<const W: usize>() -> Self::Wide<W> {
        AabbSlab::empty_lanes()
    }
    fn store<const W: usize>(&self, lanes: &mut Self::Wide<W>, lane: usize) {
        self.0.store(lanes, lane);
    }
    #[inline(always)]
    fn load<const W: usize>(lanes: &Self::Wide<W>, lane: usize) -> Self {
        Self(AabbSlab::load(lanes, lane))
    }
    fn to_numbers(&self) -> Vec<f32> {
        self.0.to_numbers()
    }
    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        AabbSlab::from_numbers(numbers).map(Self)
    }
}

impl<const FACING: bool> PairGap<Self> for Slab<FACING> {
    type PairConstants = ();

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        isa: I,
        view: QueryView<'_>,
        relation: &(),
        volumes: &Self::Wide<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        PairGap::<AabbSlab>::gap::<W, I>(&self.0, isa, view, relation, volumes, cutoff)
    }
}

#[cfg(test)]
mod tests {
    use super::{DIRECTIONS, Quospo};
    use crate::random::Random;
    use heurt_bvh::{BoundingVolume, BoxAxes, PointCloud};
    use heurt_geometry::Vec3;

    #[test]
    fn no_direction_is_far_from_the_sixteen() {
        let mut random = Random(3);
        for _ in 0..10_000 {
            let direction = random.direction();
            let nearest = DIRECTIONS.iter().map(|d| d.normalize().dot(direction).abs()).fold(0.0, f64::max);
            assert!(nearest > 23f64.to_radians().cos());
        }
    }

    #[test]
    fn a_flat_patch_across_one_of_them_gets_a_thin_slab() {
        let normal = DIRECTIONS[0].normalize();
        let (x, y) = (normal.any_orthonormal_vector(), normal.cross(normal.any_orthonormal_vector()));
        let points = [x, y, -x, -y].map(|point| point * 0.5);
        let cloud = PointCloud { points: &points, facing: Vec3::ZERO, axes: BoxAxes::default() };
        let width = Quospo::around(&cloud).to_numbers()[10];
        assert!(width < 1e-6, "{width}");
        assert!(points.iter().all(|point| Quospo::around(&cloud).holds(*point)));
    }
}
