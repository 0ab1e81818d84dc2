//! k-DOPs as S0 §4.5.9 has them: a node's polytope is made anew along the other tree's directions, then intervals are compared.
//!
//! In: polytopes of two trees under a pose. Out: nanoseconds of one making, C_u, and of one comparison, C_v, in plain code, one
//! polytope at a time. Two ways to make a polytope anew: the greatest dot products of its corners with each direction, the
//! textbook's; and sums of three of its numbers (`heurt_bvh::volume::DirectionSet`), as each test of our walks does. What is
//! known before a walk (corners, directions turned, weights) is not timed.

use super::prices::{Stage, nanoseconds};
use heurt_bvh::volume::{DirectionSet, KDop, PairGap};
use heurt_geometry::{Mat3, Vec3};
use std::hint::black_box;

/// What the parts of a test cost, in nanoseconds.
pub struct Price {
    /// The number of faces.
    pub k: usize,
    /// A comparison of intervals, C_v.
    pub compare: f64,
    /// A making by sums of three numbers.
    pub by_sums: f64,
    /// A making from corners.
    pub by_corners: f64,
    /// Corners of a polytope, on average.
    pub corners: f64,
}

/// How far a polytope reaches along each of `N` directions and against it.
type Reach<const N: usize> = [[f32; 2]; N];

/// A row of a polytope and how much of it.
type Share = (usize, f32);

/// Measures the polytopes of `stage`.
pub fn price<D: DirectionSet<N>, const N: usize>(stage: &Stage, rounds: usize) -> Price
where
    KDop<D, N>: PairGap<KDop<D, N>>,
{
    let [of_a, of_b] = stage.volumes::<KDop<D, N>>().map(|volumes| {
        let reaches: Vec<Reach<N>> = volumes.iter().map(|volume| volume.reach).collect();
        reaches
    });
    let place = stage.relative().b_in_a;
    let columns = [0, 1, 2].map(|j| [0, 1, 2].map(|i| f64::from(place.rotation[i][j])));
    let rotation = Mat3::from_cols_array_2d(&columns);
    let translation = Vec3::from_array([0, 1, 2].map(|i| f64::from(place.translation[i])));
    let directions: Vec<Vec3> = D::AXES.iter().map(|axis| Vec3::from_array(axis.map(f64::from))).collect();
    // The directions of a, in the frame of b.
    let turned: [Vec3; N] = std::array::from_fn(|k| rotation.transpose() * directions[k] * f64::from(place.ratio));
    let shift: [f32; N] = std::array::from_fn(|k| directions[k].dot(translation) as f32);
    let shares: [[Share; 3]; N] = std::array::from_fn(|k| shares(&directions, turned[k]));
    let turned = turned.map(|direction| direction.to_array().map(|x| x as f32));
    let corners: Vec<Vec<[f32; 3]>> = of_b.iter().map(|reach| corners(&directions, reach)).collect();

    let mean = corners.iter().map(Vec::len).sum::<usize>() as f64 / corners.len() as f64;
    let one = &made_by_sums(&of_b[0], &shares, &shift);
    let per = of_a.len() as f64;
    Price {
        k: 2 * N,
        compare: nanoseconds(rounds, |_| of_a.iter().map(|other| u64::from(are_disjoint(black_box(one), other))).sum())
            / per,
        by_sums: nanoseconds(rounds, |_| {
            of_b.iter().map(|reach| u64::from(black_box(made_by_sums(reach, &shares, &shift))[0][0].to_bits())).sum()
        }) / of_b.len() as f64,
        by_corners: nanoseconds(rounds, |_| {
            corners
                .iter()
                .map(|corners| u64::from(black_box(made_by_corners(corners, &turned, &shift))[0][0].to_bits()))
                .sum()
        }) / corners.len() as f64,
        corners: mean,
    }
}

/// Tells whether two polytopes along the same directions are apart.
#[inline(always)]
fn are_disjoint<const N: usize>(a: &Reach<N>, b: &Reach<N>) -> bool {
    // Both sums of each direction, without a branch: the compiler puts several side by side.
    a.iter().zip(b).fold(false, |are_disjoint, (a, b)| are_disjoint | (a[0] + b[1] < 0.0) | (a[1] + b[0] < 0.0))
}

/// The polytope along other directions, each a sum of three rows.
#[inline(always)]
fn made_by_sums<const N: usize>(of: &Reach<N>, shares: &[[Share; 3]; N], shift: &[f32; N]) -> Reach<N> {
    let rows = of.as_flattened();
    std::array::from_fn(|k| {
        let (mut along, mut against) = (shift[k], -shift[k]);
        for (row, weight) in shares[k] {
            along += rows[row] * weight;
            against += rows[row ^ 1] * weight;
        }
        [along, against]
    })
}

/// The polytope along other directions, from its corners.
#[inline(always)]
fn made_by_corners<const N: usize>(corners: &[[f32; 3]], turned: &[[f32; 3]; N], shift: &[f32; N]) -> Reach<N> {
    std::array::from_fn(|k| {
        let [x, y, z] = turned[k];
        let (mut most, mut least) = (f32::NEG_INFINITY, f32::INFINITY);
        for corner in corners {
            let along = corner[0] * x + corner[1] * y + corner[2] * z;
            most = if along > most { along } else { most };
            least = if along < least { along } else { least };
        }
        [most + shift[k], -(least + shift[k])]
    })
}

/// The rows of all directions and their opposites.
fn rows(directions: &[Vec3]) -> Vec<Vec3> {
    directions.iter().flat_map(|direction| [*direction, -*direction]).collect()
}

/// `direction` as a sum of three rows with weights that are not negative, of all such sums the one of the least weight.
fn shares(directions: &[Vec3], direction: Vec3) -> [Share; 3] {
    let rows = rows(directions);
    let mut best = ([(0, 0.0); 3], f64::INFINITY);
    for_each_three(rows.len(), |three| {
        let basis = Mat3::from_cols(rows[three[0]], rows[three[1]], rows[three[2]]);
        if basis.determinant().abs() < 1e-9 {
            return;
        }
        let weights = (basis.inverse() * direction).to_array();
        // Longer directions reach farther for the same weight.
        let cost: f64 = (0..3).map(|i| weights[i] * rows[three[i]].length()).sum();
        if weights.iter().all(|weight| *weight >= -1e-12) && cost < best.1 - 1e-12 {
            best = ([0, 1, 2].map(|i| (three[i], weights[i] as f32)), cost);
        }
    });
    best.0
}

/// The corners of a polytope, each once.
fn corners<const N: usize>(directions: &[Vec3], reach: &Reach<N>) -> Vec<[f32; 3]> {
    let (rows, reach) = (rows(directions), reach.as_flattened());
    let size = reach.iter().fold(0.0f64, |size, x| size.max(f64::from(x.abs())));
    let mut out: Vec<Vec3> = Vec::new();
    for_each_three(rows.len(), |[i, j, k]| {
        let planes = Mat3::from_cols(rows[i], rows[j], rows[k]).transpose();
        if planes.determinant().abs() < 1e-9 {
            return;
        }
        let at = [i, j, k].map(|row| f64::from(reach[row]));
        let corner = planes.inverse() * Vec3::from_array(at);
        let holds = rows.iter().zip(reach).all(|(row, reach)| row.dot(corner) <= f64::from(*reach) + 1e-6 * size);
        if holds && out.iter().all(|known| known.distance(corner) > 1e-5 * size) {
            out.push(corner);
        }
    });
    out.into_iter().map(|corner| corner.to_array().map(|x| x as f32)).collect()
}

fn for_each_three(count: usize, mut visit: impl FnMut([usize; 3])) {
    for i in 0..count {
        for j in i + 1..count {
            (j + 1..count).for_each(|k| visit([i, j, k]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_bvh::volume::{CornersAndEdges, Edges};

    /// Both ways must hold the polytope; the corners give the tightest, the sums nothing tighter.
    fn both_methods_agree<D: DirectionSet<N>, const N: usize>() {
        let directions: Vec<Vec3> = D::AXES.iter().map(|axis| Vec3::from_array(axis.map(f64::from))).collect();
        let reach: Reach<N> = std::array::from_fn(|k| [directions[k].length() as f32; 2]);
        let rotation = Mat3::from_quat(crate::random::Random(8).rotation());
        let turned: [Vec3; N] = std::array::from_fn(|k| rotation * directions[k]);
        let shift = [0.25; N];
        let sums = made_by_sums(&reach, &std::array::from_fn(|k| shares(&directions, turned[k])), &shift);
        let corners = corners(&directions, &reach);
        assert!(corners.len() >= N);
        let exact = made_by_corners(&corners, &turned.map(|d| d.to_array().map(|x| x as f32)), &shift);
        for (sum, exact) in sums.as_flattened().iter().zip(exact.as_flattened()) {
            assert!(*sum >= exact - 1e-5 && *sum < exact * 1.2 + 0.2, "{sum} for {exact}");
        }
    }

    #[test]
    fn sums_and_corners_make_the_same_polytope() {
        both_methods_agree::<Edges, 9>();
        both_methods_agree::<CornersAndEdges, 13>();
    }

    #[test]
    fn polytopes_with_a_gap_along_one_direction_are_disjoint() {
        let (at, distant) = ([[1.0, 1.0]; 9], [[3.0, -1.5]; 9]);
        assert!(are_disjoint(&at, &distant) && !are_disjoint(&at, &at));
    }
}
