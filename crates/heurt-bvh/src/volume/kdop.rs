//! Discrete oriented polytopes (k-DOPs): intervals along the directions of a fixed set (S0 §4.5.8).
//!
//! In: a direction set with components −1, 0, 1. Out: k-DOPs of k = 14, 18, 26 (6 is [`Aabb32`]).
//! Method: two polytopes under a rotation have no directions in common. One of them must be recomputed along the
//! directions of the second one (the N_u·C_u of S0 §4.5.1). The rotation is the same for all volumes of a pair of
//! trees. Once for the pair, each rotated direction is written as a sum of at most three directions of the own set with
//! nonnegative weights ([`DirectionSet::sorted_cone`]). The support along it is at most the same sum of stored reaches.
//! This bound is exact wherever the three faces meet in a corner. The children are transformed into the frame of the
//! query polytope, all lanes at once. A second test in the opposite direction would double the cost and separate hardly
//! more pairs. Error: a rotated direction errs by under 8u in each component, its decomposition by as much again, sums
//! by 8u of their magnitude; with |d|₁ ≤ 3 components a direction that is covered by 2E·|d|₁.

use super::{Aabb32, BoundingVolume, Fitting, NOWHERE, PairGap, PointCloud, Wide, all_above, along};
use crate::draw::Outline;
use crate::frame::relative::{Placement, QueryView, RelativePose};
use crate::frame::tree_frame::{round_down, round_up};
use crate::simd::Lanes8;
use crate::simd::{Lanes, LanesFor, Row, WideIsa};
use heurt_geometry::Vec3;
use std::f32::consts::FRAC_1_SQRT_2;
use std::fmt::Debug;
use std::marker::PhantomData;

/// A set of directions, one of each two opposite directions; `N` = k/2 is at most 16.
pub trait DirectionSet<const N: usize>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The directions, with components −1, 0 and 1; the first three are the axes.
    const AXES: [[i8; 3]; N];
    /// Identifier of the set in files.
    const KIND: u32;
    /// Row of a polytope for the direction whose components the index spells in base three.
    const ROWS: [Row<N>; 32] = rows(&Self::AXES);
    /// The components of all directions, eight by eight; zero beyond the last.
    const COMPONENTS: [[[f32; 8]; 3]; ROOM / 8] = components(&Self::AXES);

    /// Writes directions with nonnegative components in descending order as sums of directions of the set. Returns
    /// three times the components, 0 or ±1 in each lane, and a nonnegative weight.
    fn sorted_cone<F: Lanes<8>>(direction: [F; 3]) -> [([F; 3], F); 3];
}

/// Builds the table of rows by components in base three with digits −1, 0, 1; 13 is no direction. Row 2k is direction
/// k, the next row its opposite. The table has 32 entries, so every five-bit index is valid.
const fn rows<const N: usize>(axes: &[[i8; 3]; N]) -> [Row<N>; 32] {
    let mut out = [row(0); 32];
    let mut k = 0;
    while k < N {
        let [x, y, z] = axes[k];
        let name = 9 * x + 3 * y + z;
        out[(13 + name) as usize] = row(2 * k as u8);
        out[(13 - name) as usize] = row(2 * k as u8 + 1);
        k += 1;
    }
    out
}

const fn row<const N: usize>(number: u8) -> Row<N> {
    Row::new(number).expect("two rows for each direction")
}

const fn components<const N: usize>(axes: &[[i8; 3]; N]) -> [[[f32; 8]; 3]; ROOM / 8] {
    assert!(N <= ROOM, "direction sets have 16 directions at most");
    let mut out = [[[0.0; 8]; 3]; ROOM / 8];
    let mut k = 0;
    while k < N {
        let mut axis = 0;
        while axis < 3 {
            out[k / 8][axis][k % 8] = axes[k][axis] as f32;
            axis += 1;
        }
        k += 1;
    }
    out
}

/// The axes and the corners of a cube: k = 14.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corners;
/// The axes and the edges of a cube: k = 18.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edges;
/// The axes, edges and corners of a cube: k = 26.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CornersAndEdges;

impl DirectionSet<7> for Corners {
    const AXES: [[i8; 3]; 7] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, -1, 1], [1, 1, -1], [1, -1, -1]];
    const KIND: u32 = 14;

    #[inline(always)]
    fn sorted_cone<F: Lanes<8>>([a, b, c]: [F; 3]) -> [([F; 3], F); 3] {
        let (zero, one, half) = (F::splat(0.0), F::splat(1.0), F::splat(0.5));
        [
            ([one, zero, zero], a.sub(b)),
            ([one, one, one], b.add(c).mul(half)),
            ([one, one, F::splat(-1.0)], b.sub(c).mul(half)),
        ]
    }
}

impl DirectionSet<9> for Edges {
    const AXES: [[i8; 3]; 9] =
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]];
    const KIND: u32 = 18;

    #[inline(always)]
    fn sorted_cone<F: Lanes<8>>([a, b, c]: [F; 3]) -> [([F; 3], F); 3] {
        let (zero, one, half) = (F::splat(0.0), F::splat(1.0), F::splat(0.5));
        // Between two edges and the face between them, or between three edges round a corner.
        let rest = b.add(c).sub(a);
        let at_corner = rest.gt(zero);
        let share = rest.mul(half);
        let part = at_corner.select(share, zero);
        let of_third = at_corner.select(share, zero.sub(rest));
        [
            ([one, one, zero], b.sub(part)),
            ([one, zero, one], c.sub(part)),
            ([at_corner.select(zero, one), at_corner.select(one, zero), at_corner.select(one, zero)], of_third),
        ]
    }
}

impl DirectionSet<13> for CornersAndEdges {
    const AXES: [[i8; 3]; 13] = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [1, -1, 0],
        [1, 0, 1],
        [1, 0, -1],
        [0, 1, 1],
        [0, 1, -1],
        [1, 1, 1],
        [1, -1, 1],
        [1, 1, -1],
        [1, -1, -1],
    ];
    const KIND: u32 = 26;

    #[inline(always)]
    fn sorted_cone<F: Lanes<8>>([a, b, c]: [F; 3]) -> [([F; 3], F); 3] {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        [([one, zero, zero], a.sub(b)), ([one, one, zero], b.sub(c)), ([one, one, one], c)]
    }
}

/// A polytope of 2·`N` faces in local units, by its reach along each direction and against it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KDop<D, const N: usize> {
    /// `reach[k][0]` is the greatest dot product with direction k, `reach[k][1]` the least, negated.
    pub reach: [[f32; 2]; N],
    directions: PhantomData<D>,
}

/// Fourteen faces: a box with its corners cut off.
pub type KDop14 = KDop<Corners, 7>;
/// Eighteen faces: a box with its edges cut off.
pub type KDop18 = KDop<Edges, 9>;
/// Twenty-six faces: a box with its edges and corners cut off.
pub type KDop26 = KDop<CornersAndEdges, 13>;

/// `W` polytopes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideKDop<const N: usize, const W: usize> {
    /// As [`KDop::reach`], lane by lane.
    pub reach: [[[f32; W]; 2]; N],
}

/// Decompositions of the directions of both trees, each into directions of the opposite tree.
#[derive(Debug, Clone, Copy, Default)]
pub struct KDopPairConstants<const N: usize> {
    of_a: RotatedKDop<N>,
    of_b: RotatedKDop<N>,
    aim: Option<KDopHintAxis<N>>,
}

/// The hint direction from A to B, decomposed in the set of each tree.
#[derive(Debug, Clone, Copy)]
struct KDopHintAxis<const N: usize> {
    /// The direction in A, and its opposite in B.
    of_a: Share<N>,
    of_b: Share<N>,
    /// Offset of B's centre from A's along the direction less the errors, in local units of A.
    between: f32,
    /// Units of A in a unit of B.
    ratio: f32,
}

/// A direction as a sum of three directions of a set.
#[derive(Debug, Clone, Copy)]
struct Share<const N: usize> {
    rows: [Row<N>; 3],
    weights: [f32; 3],
}

impl<const N: usize> Share<N> {
    /// Bounds the reach of one polytope.
    #[inline(always)]
    fn reach<D>(&self, own: &KDop<D, N>) -> f32 {
        let of = |i: usize| self.rows[i].of_pair(&own.reach) * self.weights[i];
        of(0) + of(1) + of(2)
    }

    /// Bounds the reach of each polytope.
    #[inline(always)]
    fn reaches<F: Lanes<W>, const W: usize>(&self, lanes: &WideKDop<N, W>) -> F {
        let mut sum = F::splat(0.0);
        let mut i = 0;
        while i < 3 {
            sum = F::load(self.rows[i].of(&lanes.reach)[0]).mul(F::splat(self.weights[i])).add(sum);
            i += 1;
        }
        sum
    }
}

/// Maximum number of directions of a set, rounded up to whole registers.
const ROOM: usize = 16;

/// The directions of one tree as sums of directions of another tree, each scaled to unit length.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct RotatedKDop<const N: usize> {
    /// Weights, by summand and direction.
    weights: [[f32; ROOM]; 3],
    /// Rows, by summand and direction.
    rows: [[Row<N>; ROOM]; 3],
    /// Offset of the second tree's centre along the direction and against it, errors included.
    shift: [[f32; ROOM]; 2],
    /// One over the length of the direction, rounded down.
    scale: [f32; ROOM],
}

impl<const N: usize> RotatedKDop<N> {
    /// Computes the reach of a polytope against each rotated direction and along it, plus the offset to the second
    /// tree.
    #[inline(always)]
    fn reaches<D, I: WideIsa>(&self, own: &KDop<D, N>) -> [[f32; ROOM]; 2] {
        let mut out = [[0.0; ROOM]; 2];
        let mut k = 0;
        while k < N {
            (out[0][k], out[1][k]) = (own.reach[k][1], own.reach[k][0]);
            k += 1;
        }
        let mut eight = 0;
        while eight < N.div_ceil(8) {
            let scale = <I as LanesFor<8>>::F::load(eighth(&self.scale, eight));
            let mut end = 0;
            while end < 2 {
                let shift = <I as LanesFor<8>>::F::load(eighth(&self.shift[end], eight));
                let reach = <I as LanesFor<8>>::F::load(eighth(&out[end], eight));
                *eighth_mut(&mut out[end], eight) = reach.mul(scale).add(shift).to_array();
                end += 1;
            }
            eight += 1;
        }
        out
    }
}

/// Returns eight of the numbers that fill whole registers.
#[inline(always)]
fn eighth(numbers: &[f32; ROOM], which: usize) -> &[f32; 8] {
    &numbers.as_chunks().0[which]
}

#[inline(always)]
fn eighth_mut(numbers: &mut [f32; ROOM], which: usize) -> &mut [f32; 8] {
    &mut numbers.as_chunks_mut().0[which]
}

/// Decomposes the directions of the tree that `place` leads to into directions of the placed tree.
#[inline(always)]
fn turned<D: DirectionSet<N>, I: WideIsa, const N: usize>(place: &Placement) -> RotatedKDop<N> {
    let mut out = RotatedKDop::default();
    let splat = Lanes8::<I>::splat;
    let mut eight = 0;
    while eight < N.div_ceil(8) {
        let first = 8 * eight;
        let [x, y, z] = &D::COMPONENTS[eight];
        let axes = [Lanes8::<I>::load(x), Lanes8::<I>::load(y), Lanes8::<I>::load(z)];
        let count = axes[0].abs().add(axes[1].abs()).add(axes[2].abs());
        let scale = count.gt(splat(1.5)).select(splat(FRAC_1_SQRT_2.next_down()), splat(1.0));
        let scale = count.gt(splat(2.5)).select(splat(0.577_350_2), scale);
        let r = &place.rotation;
        // A loop, not a closure: the closure would be a call, and so would everything in it.
        let mut directions = [splat(0.0); 3];
        let mut k = 0;
        while k < 3 {
            directions[k] = along(&axes, &[r[0][k], r[1][k], r[2][k]]).mul(scale).mul(splat(place.ratio));
            k += 1;
        }
        let (rows, weights) = cone::<D, Lanes8<I>, N>(directions);
        let mut i = 0;
        while i < 3 {
            *eighth_mut(&mut out.weights[i], eight) = weights[i].to_array();
            out.rows[i][first..first + 8].copy_from_slice(&rows[i]);
            i += 1;
        }
        let [x, y, z, _] = place.translation;
        let shift = along(&axes, &[x, y, z]).mul(scale);
        let room = count.mul(scale).mul(splat(2.0 * place.error));
        *eighth_mut(&mut out.shift[0], eight) = room.add(shift).to_array();
        *eighth_mut(&mut out.shift[1], eight) = room.sub(shift).to_array();
        *eighth_mut(&mut out.scale, eight) = scale.to_array();
        eight += 1;
    }
    out
}

/// Writes eight directions as sums of three of the set: returns rows and weights.
#[inline(always)]
fn cone<D: DirectionSet<N>, F: Lanes<8>, const N: usize>(directions: [F; 3]) -> ([[Row<N>; 8]; 3], [F; 3]) {
    let splat = F::splat;
    // Magnitude and signed base-three weight of each component; then sorted, the largest first.
    let (mut size, mut digit) = ([splat(0.0); 3], [splat(0.0); 3]);
    let mut k = 0;
    while k < 3 {
        let worth = [9.0, 3.0, 1.0][k];
        size[k] = directions[k].abs();
        digit[k] = splat(0.0).gt(directions[k]).select(splat(-worth), splat(worth));
        k += 1;
    }
    exchange(&mut size, &mut digit, 0, 1);
    exchange(&mut size, &mut digit, 0, 2);
    exchange(&mut size, &mut digit, 1, 2);
    let shares = D::sorted_cone(size);
    let (mut rows, mut weights) = ([[Row::default(); 8]; 3], [splat(0.0); 3]);
    let mut i = 0;
    while i < 3 {
        let ([a, b, c], weight) = shares[i];
        // The sum is a whole number; next to 2²³ its bits are the last ones.
        let name = digit[0].mul(a).add(digit[1].mul(b)).add(digit[2].mul(c)).add(splat(13.0 + (1 << 23) as f32));
        let names = name.to_array();
        let mut lane = 0;
        while lane < 8 {
            rows[i][lane] = D::ROWS[(names[lane].to_bits() & 31) as usize];
            lane += 1;
        }
        weights[i] = weight;
        i += 1;
    }
    (rows, weights)
}

/// Puts the larger of two components first.
#[inline(always)]
fn exchange<F: Lanes<8>>(size: &mut [F; 3], digit: &mut [F; 3], i: usize, j: usize) {
    let swap = size[j].gt(size[i]);
    (size[i], size[j]) = (swap.select(size[j], size[i]), swap.select(size[i], size[j]));
    (digit[i], digit[j]) = (swap.select(digit[j], digit[i]), swap.select(digit[i], digit[j]));
}

impl<D: DirectionSet<N>, const N: usize> KDop<D, N> {
    fn direction(k: usize) -> Vec3 {
        let [x, y, z] = D::AXES[k].map(f64::from);
        Vec3::new(x, y, z)
    }
}

impl<D: DirectionSet<N>, const N: usize> PairGap<KDop<D, N>> for KDop<D, N> {
    type PairConstants = KDopPairConstants<N>;
    /// 26-DOPs.
    const IS_WALKED_BY_DEFAULT: bool = N == 13;

    #[inline(always)]
    fn pair_constants<I: WideIsa>(_isa: I, pose: &RelativePose) -> KDopPairConstants<N> {
        KDopPairConstants { of_a: turned::<D, I, N>(&pose.b_in_a), of_b: turned::<D, I, N>(&pose.a_in_b), aim: None }
    }

    /// Weights are computed from the rounded direction; their errors are those of rotated directions.
    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(
        _isa: I,
        relation: &mut KDopPairConstants<N>,
        pose: &RelativePose,
        direction: [f32; 3],
    ) {
        let place = &pose.b_in_a;
        // Scaled so that its length is at most 1 for any rounding.
        let [x, y, z] = direction.map(|along| along * (1.0 - 1e-6));
        let r = &place.rotation;
        let mut both = [[0.0; 8]; 3];
        let mut k = 0;
        while k < 3 {
            both[k][0] = [x, y, z][k];
            both[k][1] = -(r[0][k] * x + r[1][k] * y + r[2][k] * z);
            k += 1;
        }
        // Not by `map`: a closure that is not inlined calls each vector instruction.
        let [along_x, along_y, along_z] = &both;
        let along = [Lanes8::<I>::load(along_x), Lanes8::<I>::load(along_y), Lanes8::<I>::load(along_z)];
        let (rows, [w0, w1, w2]) = cone::<D, Lanes8<I>, N>(along);
        let weights = [w0.to_array(), w1.to_array(), w2.to_array()];
        let share = |of: usize| Share { rows: rows.map(|rows| rows[of]), weights: weights.map(|each| each[of]) };
        let [to_x, to_y, to_z, _] = place.translation;
        let room = 4.0 * place.error * (x.abs() + y.abs() + z.abs());
        relation.aim = Some(KDopHintAxis {
            of_a: share(0),
            of_b: share(1),
            between: x * to_x + y * to_y + z * to_z - room,
            ratio: place.ratio,
        });
    }

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        relation: &KDopPairConstants<N>,
        volumes: &WideKDop<N, W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let splat = Wide::<W, I>::splat;
        let mut aimed = splat(f32::NEG_INFINITY);
        if let Some(aim) = &relation.aim {
            aimed = aim.gap::<D, Wide<W, I>, W>(self, volumes, view.is_from_b);
            if all_above(aimed, cutoff) {
                return aimed;
            }
        }
        let own = if view.is_from_b { &relation.of_b } else { &relation.of_a };
        let [mine_along, mine_against] = own.reaches::<D, I>(self);
        // The sum of both reaches towards each other along a direction is the overlap.
        let mut overlap = splat(f32::INFINITY);
        let mut k = 0;
        while k < N {
            let (mut along, mut against) = (splat(mine_along[k]), splat(mine_against[k]));
            let mut i = 0;
            while i < 3 {
                let [row, opposite] = own.rows[i][k].of(&volumes.reach);
                let weight = splat(own.weights[i][k]);
                along = Wide::<W, I>::load(row).mul(weight).add(along);
                against = Wide::<W, I>::load(opposite).mul(weight).add(against);
                i += 1;
            }
            overlap = along.min(against).min(overlap);
            k += 1;
        }
        overlap.mul(splat(-2.0)).max(aimed)
    }
}

impl<const N: usize> KDopHintAxis<N> {
    /// Returns the gaps along the direction, in doubled units of the query polytope.
    #[inline(always)]
    fn gap<D, F: Lanes<W>, const W: usize>(&self, own: &KDop<D, N>, lanes: &WideKDop<N, W>, is_from_b: bool) -> F {
        let splat = F::splat;
        if is_from_b {
            let to_b = 2.0 / self.ratio;
            let room = self.between - self.of_b.reach(own) * self.ratio;
            splat(room).sub(self.of_a.reaches(lanes)).mul(splat(to_b))
        } else {
            let room = self.between - self.of_a.reach(own);
            splat(room).sub(self.of_b.reaches::<F, W>(lanes).mul(splat(self.ratio))).mul(splat(2.0))
        }
    }
}

impl<D: DirectionSet<N>, const N: usize> BoundingVolume for KDop<D, N> {
    type Wide<const W: usize> = WideKDop<N, W>;
    const KIND: u32 = D::KIND;
    const NUMBERS: usize = 2 * N;
    const FITTING: Fitting = Fitting::Merged;

    fn from_box(box_: &Aabb32) -> Self {
        let mut out = Self { reach: [[0.0; 2]; N], directions: PhantomData };
        for k in 0..N {
            let (mut least, mut greatest) = (0.0, 0.0);
            for (j, component) in D::AXES[k].map(f64::from).into_iter().enumerate() {
                let ends = [component * f64::from(box_.min[j]), component * f64::from(box_.max[j])];
                least += ends[0].min(ends[1]);
                greatest += ends[0].max(ends[1]);
            }
            out.reach[k] = [round_up(greatest), -round_down(least)];
        }
        out
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        let mut out = Self { reach: [[0.0; 2]; N], directions: PhantomData };
        for k in 0..N {
            let (least, greatest) = cloud.range(Self::direction(k));
            out.reach[k] = [round_up(greatest), -round_down(least)];
        }
        out
    }

    #[inline(always)]
    fn merged_lanes<const W: usize>(lanes: &WideKDop<N, W>, _count: usize, _before: &Self) -> Self {
        // Lanes without a child have an infinitely negative reach and add nothing.
        let mut out = Self { reach: [[f32::NEG_INFINITY; 2]; N], directions: PhantomData };
        for (reach, rows) in out.reach.iter_mut().zip(&lanes.reach) {
            for (reach, row) in reach.iter_mut().zip(rows) {
                for &of_lane in row {
                    *reach = if of_lane > *reach { of_lane } else { *reach };
                }
            }
        }
        out
    }

    fn to_box(&self) -> Aabb32 {
        // The first three directions are the axes.
        let [x, y, z] = [self.reach[0], self.reach[1], self.reach[2]];
        Aabb32 { min: [-x[1], -y[1], -z[1]], max: [x[0], y[0], z[0]] }
    }

    fn holds(&self, point: Vec3) -> bool {
        (0..N).all(|k| {
            let along = Self::direction(k).dot(point);
            along <= f64::from(self.reach[k][0]) && -along <= f64::from(self.reach[k][1])
        })
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(_isa: I, lanes: &WideKDop<N, W>) -> I::F {
        let extent = |k: usize| I::F::load(&lanes.reach[k][0]).add(I::F::load(&lanes.reach[k][1]));
        let (x, y, z) = (extent(0), extent(1), extent(2));
        x.mul(y).add(y.mul(z)).add(z.mul(x))
    }

    fn empty_lanes<const W: usize>() -> WideKDop<N, W> {
        WideKDop { reach: [[[-NOWHERE; W]; 2]; N] }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideKDop<N, W>, lane: usize) {
        let mut k = 0;
        while k < N {
            lanes.reach[k][0][lane] = self.reach[k][0];
            lanes.reach[k][1][lane] = self.reach[k][1];
            k += 1;
        }
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideKDop<N, W>, lane: usize) -> Self {
        let mut out = Self { reach: [[0.0; 2]; N], directions: PhantomData };
        let mut k = 0;
        while k < N {
            out.reach[k] = [lanes.reach[k][0][lane], lanes.reach[k][1][lane]];
            k += 1;
        }
        out
    }

    fn to_numbers(&self) -> Vec<f32> {
        self.reach.iter().flatten().copied().collect()
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let (pairs, rest) = numbers.as_chunks::<2>();
        Some(Self { reach: pairs.try_into().ok()?, directions: PhantomData }).filter(|_| rest.is_empty())
    }

    fn draw_outline(&self, outline: &mut Outline<'_>) {
        // Both faces of a direction; a set has 16 directions at most.
        let mut faces = [(Vec3::ZERO, 0.0); 2 * ROOM];
        for (k, reach) in self.reach.iter().enumerate() {
            let direction = Self::direction(k);
            faces[2 * k] = (direction, f64::from(reach[0]));
            faces[2 * k + 1] = (-direction, f64::from(reach[1]));
        }
        outline.draw_polytope(&faces[..2 * N], &self.to_box());
    }
}
