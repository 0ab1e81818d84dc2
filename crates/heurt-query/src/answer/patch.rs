//! Contact patches: the points of a contact with a common normal, reduced to as many as hold a body.
//!
//! In: contact points, each with its normal. Out: groups of at most four points with one normal, as solvers of contact
//! constraints take them.
//! Method: points are grouped with the first patch whose normal is the same up to [`SAME_DIRECTION`]. The reduction
//! keeps the deepest point, the point most distant from it, and the two points that add the largest areas. On a surface
//! of triangles these may be too few: a box over a ridge touches it along the ridge and at corners next to it, and the
//! choice of four would change from step to step. Up to four more points are kept, as long as one lies outside of the
//! kept ones, or deeper than they are there. They make a second patch. Compounds have such points, too.
//! Guarantees: deterministic; the deepest point of each patch stays. Cost: points × patches; for points to which more
//! than four are kept, times the triangles of kept points.

use super::contact::{Contact, ContactPoint};
use heurt_geometry::{Vec3, power_of_two_scale};
use smallvec::SmallVec;

/// Cosine of the largest angle between normals of a patch: 1 mrad. The height of a point 1 m from another one differs
/// by 0.5 µm then.
const SAME_DIRECTION: f64 = 1.0 - 5e-7;
/// Maximum number of points of a manifold: the corners of a rectangle, as many as hold a rigid body.
const MAX_POINTS: usize = 4;
/// Points less deep than the deepest by this share of the extent count as equally deep, so that the kept points do not
/// change with the rounding errors of a body at rest.
const EQUAL_DEPTH: f64 = 1e-6;
/// Lengths and areas that differ by less than this share are equal, for the same reason.
const EQUAL_AREA: f64 = 1e-3;

/// Points of a contact with a common normal, at most four.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactPatch {
    /// A unit vector from A to B: the normal of the first point.
    pub normal: Vec3,
    /// Indices of the points in [`Contact::points`], ascending.
    pub indices: SmallVec<[u32; 4]>,
}

impl ContactPatch {
    /// Lists the points of the patch; `contact` is the contact that it belongs to.
    pub fn points<'c>(&self, contact: &'c Contact) -> impl Iterator<Item = &'c ContactPoint> {
        self.indices.iter().map(|index| &contact.points[*index as usize])
    }
}

impl Contact {
    /// Returns the points in groups with a common normal, of at most four points each: the manifolds that a solver of
    /// contact constraints needs. A contact of two convex shapes is one patch; a box that leans on two walls of a mesh
    /// has two, and so may a box over a ridge with one normal.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::generate;
    /// use heurt_query::contact_manifold;
    /// use heurt_shape::{Convex, MeshShape};
    /// // A box lies on a floor of 200 triangles.
    /// let floor = MeshShape::new(generate::height_field([-5.0, -5.0], [1.0, 1.0], &vec![vec![0.0; 11]; 11])?)?;
    /// let cube = Convex::cuboid(Vec3::splat(0.5))?;
    /// let pose = Pose::from_translation(Vec3::new(0.2, 0.3, 0.499))?;
    /// let contact = contact_manifold(&floor, &Pose::IDENTITY, &cube, &pose, 0.01).expect("they overlap");
    /// let patches = contact.patches();
    /// assert_eq!(patches.len(), 1);
    /// assert_eq!(patches[0].normal, Vec3::Z);
    /// assert!(patches[0].points(&contact).all(|point| (point.separation + 0.001).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn patches(&self) -> SmallVec<[ContactPatch; 1]> {
        self.patches_with(choose_support)
    }

    /// Returns [`Contact::patches`] with one patch for each normal, as curved shapes need: four points hold a curved
    /// face as well as eight do, and friction acts on a patch as a whole.
    pub fn patches_of_curved(&self) -> SmallVec<[ContactPatch; 1]> {
        self.patches_with(|points| distinct(choose_four(points)))
    }

    fn patches_with(
        &self,
        choose: impl Fn(&[ContactPoint]) -> SmallVec<[usize; MAX_SUPPORT]>,
    ) -> SmallVec<[ContactPatch; 1]> {
        let mut patches = group_by_normal(&self.points);
        let mut seconds: SmallVec<[ContactPatch; 1]> = SmallVec::new();
        for patch in patches.iter_mut().filter(|patch| patch.indices.len() > MAX_POINTS) {
            let points: SmallVec<[ContactPoint; 8]> = patch.points(self).copied().collect();
            let kept = choose(&points);
            let indices = |kept: &[usize]| {
                let mut indices: SmallVec<[u32; 4]> = kept.iter().map(|k| patch.indices[*k]).collect();
                indices.sort_unstable();
                indices
            };
            let (first, second) = kept.split_at(kept.len().min(MAX_POINTS));
            let (first, second) = (indices(first), indices(second));
            if !second.is_empty() {
                seconds.push(ContactPatch { normal: patch.normal, indices: second });
            }
            patch.indices = first;
        }
        patches.extend(seconds);
        patches
    }
}

/// Groups points with the first one whose normal is the same up to [`SAME_DIRECTION`].
fn group_by_normal(points: &[ContactPoint]) -> SmallVec<[ContactPatch; 1]> {
    let mut patches: SmallVec<[ContactPatch; 1]> = SmallVec::new();
    for (point, index) in points.iter().zip(0..) {
        match patches.iter_mut().find(|patch| patch.normal.dot(point.normal) >= SAME_DIRECTION) {
            Some(patch) => patch.indices.push(index),
            None => patches.push(ContactPatch { normal: point.normal, indices: SmallVec::from_iter([index]) }),
        }
    }
    patches
}

/// Keeps at most [`MAX_POINTS`] of the points of a manifold, in their order: the deepest, the point most distant from
/// it, and the two points that add the largest areas. Equal candidates are decided by their features.
pub(crate) fn keep_four(points: &mut SmallVec<[ContactPoint; 4]>) {
    if points.len() > MAX_POINTS {
        let kept = choose_four(points);
        retain_numbers(points, kept);
    }
}

/// Keeps the points of each normal that hold a body, as [`choose_support`] chooses them, normal by normal. Four hold a
/// curved face as well as eight do, and friction acts on them as a whole.
pub(crate) fn keep_support_of_each_normal(points: &mut SmallVec<[ContactPoint; 4]>, is_curved: bool) {
    if points.len() <= MAX_POINTS {
        return;
    }
    let all = std::mem::take(points);
    for patch in group_by_normal(&all) {
        let group: SmallVec<[ContactPoint; 8]> = patch.indices.iter().map(|index| all[*index as usize]).collect();
        if group.len() <= MAX_POINTS {
            points.extend(group);
            continue;
        }
        let mut kept = if is_curved { distinct(choose_four(&group)) } else { choose_support(&group) };
        kept.sort_unstable();
        points.extend(kept.into_iter().map(|k| group[k]));
    }
}

/// Keeps the points with the given numbers.
fn retain_numbers(items: &mut SmallVec<[ContactPoint; 4]>, kept: [usize; MAX_POINTS]) {
    let mut number = 0;
    items.retain(|_| {
        number += 1;
        kept.contains(&(number - 1))
    });
}

/// Largest number of points with one normal: two patches.
const MAX_SUPPORT: usize = 2 * MAX_POINTS;
/// How far outside of the kept points another one adds nothing, as a share of their extent: a hundredth of a box may be
/// without support.
const OUTSIDE: f64 = 0.01;
/// How much deeper than the kept points another one adds nothing, as a share of the extent: 60 µm of a box of 30 cm,
/// which sinks by a millimetre into soft contacts.
const DEEPER: f64 = 2e-4;

/// Chooses the points that hold a body, by number: four as [`choose_four`] does, then the point that the kept ones
/// explain least, until they explain all.
fn choose_support(points: &[ContactPoint]) -> SmallVec<[usize; MAX_SUPPORT]> {
    let mut kept = distinct(choose_four(points));
    let (origin, normal) = (points[kept[0]].point, points[kept[0]].normal);
    let offset = |point: &ContactPoint| point.point - origin;
    let reach = points.iter().map(|point| offset(point).abs().max_element()).fold(0.0, f64::max);
    // Along the plane and along the normal, in units of the largest distance from the first point. A power of two comes
    // first, so that no square overflows or vanishes.
    let unit = power_of_two_scale(reach);
    let along = |point: &ContactPoint| {
        let offset = offset(point) * unit;
        offset - normal * normal.dot(offset)
    };
    let extent = points.iter().map(|point| along(point).length()).fold(0.0, f64::max);
    if extent <= 0.0 {
        return kept;
    }
    let place = |point: &ContactPoint| (along(point) / extent, point.separation * unit / extent);
    let places: SmallVec<[(Vec3, f64); 16]> = points.iter().map(place).collect();
    while kept.len() < MAX_SUPPORT {
        let lack = |k: usize| if kept.contains(&k) { 0.0 } else { find_lack(&places, &kept, k, normal) };
        let next = best_of(points, |most| EQUAL_AREA * most, lack);
        if lack(next) <= 1.0 {
            break;
        }
        kept.push(next);
    }
    // Among points of equal depth the first one may lie in the middle of the rest.
    let mut number = 0;
    while kept.len() > MAX_POINTS && number < kept.len() {
        let point = kept.remove(number);
        if find_lack(&places, &kept, point, normal) > 1.0 {
            kept.insert(number, point);
            number += 1;
        }
    }
    kept
}

/// Lists numbers of which some may be equal, each once.
fn distinct(numbers: [usize; MAX_POINTS]) -> SmallVec<[usize; MAX_SUPPORT]> {
    let mut kept: SmallVec<[usize; MAX_SUPPORT]> = SmallVec::new();
    for number in numbers {
        if !kept.contains(&number) {
            kept.push(number);
        }
    }
    kept
}

/// Finds by how much a point lies outside of the kept ones or deeper than they are there, in multiples of what counts;
/// at most 1 if a kept point, a segment or a triangle of kept points explains it.
fn find_lack(places: &[(Vec3, f64)], kept: &[usize], point: usize, normal: Vec3) -> f64 {
    let (at, separation) = places[point];
    let lack = |outside: f64, between: f64| (outside / OUTSIDE).max((between - separation) / DEEPER);
    let mut least = f64::INFINITY;
    for (i, &first) in kept.iter().enumerate() {
        let (a, at_a) = places[first];
        least = least.min(lack((at - a).length(), at_a));
        for (j, &second) in kept.iter().enumerate().skip(i + 1) {
            let (b, at_b) = places[second];
            let along = b - a;
            let square = along.length_squared();
            if square <= 0.0 {
                continue;
            }
            let share = along.dot(at - a) / square;
            let nearest = share.clamp(0.0, 1.0);
            least = least.min(lack((at - a - along * nearest).length(), at_a + (at_b - at_a) * nearest));
            for &third in &kept[j + 1..] {
                let (c, at_c) = places[third];
                let area = normal.dot(along.cross(c - a));
                if area.abs() <= ON_A_LINE * square {
                    continue;
                }
                let weights = [
                    normal.dot((c - b).cross(at - b)) / area,
                    normal.dot((a - c).cross(at - c)) / area,
                    normal.dot(along.cross(at - a)) / area,
                ];
                if weights.iter().all(|weight| *weight >= 0.0) {
                    least = least.min(lack(0.0, weights[0] * at_a + weights[1] * at_b + weights[2] * at_c));
                }
            }
            if least <= 1.0 {
                return least;
            }
        }
    }
    least
}

/// Width of a set of points as a share of its length below which the points are on a line: both ends of it are kept.
const ON_A_LINE: f64 = 1e-6;

/// Chooses the points to keep, by number.
#[inline(never)]
fn choose_four(points: &[ContactPoint]) -> [usize; MAX_POINTS] {
    let (origin, normal) = (points[0].point, points[0].normal);
    let reach = points.iter().map(|point| (point.point - origin).abs().max_element()).fold(0.0, f64::max);
    // Areas of lengths in units of the reach neither overflow nor vanish.
    let unit = power_of_two_scale(reach);
    let places: SmallVec<[Vec3; 8]> = points.iter().map(|point| (point.point - origin) * unit).collect();
    let area = |from: usize, to: usize, k: usize| {
        let (from, to) = (places[from], places[to]);
        normal.dot((to - from).cross(places[k] - from))
    };
    let first = best_of(points, |_| EQUAL_DEPTH * reach, |k| -points[k].separation);
    let second = best_of(points, |most| EQUAL_AREA * most, |k| (places[k] - places[first]).length_squared());
    let distance_sq = |from: usize, to: usize| (places[to] - places[from]).length_squared();
    let widest = (0..points.len()).map(|k| area(first, second, k).abs()).fold(0.0, f64::max);
    let third = if widest > ON_A_LINE * distance_sq(first, second) {
        best_of(points, |most| EQUAL_AREA * most, |k| area(first, second, k).abs())
    } else {
        best_of(points, |most| EQUAL_AREA * most, |k| distance_sq(second, k))
    };
    let [p, q, r] = if area(first, second, third) < 0.0 { [first, third, second] } else { [first, second, third] };
    // A point outside the triangle is on the outer side of one edge.
    let outside = |k: usize| -area(p, q, k).min(area(q, r, k)).min(area(r, p, k));
    let fourth = best_of(points, |most| EQUAL_AREA * most, outside);
    [first, second, third, fourth]
}

/// Returns the first point, in the order of features, whose value is below the largest by at most `equal` of it.
#[inline(always)]
fn best_of(points: &[ContactPoint], equal: impl Fn(f64) -> f64, value: impl Fn(usize) -> f64) -> usize {
    let values: SmallVec<[f64; 8]> = (0..points.len()).map(value).collect();
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = most - equal(most);
    let mut best = None;
    for (k, point) in points.iter().enumerate() {
        if values[k] >= least {
            let [of_a, of_b] = point.features;
            // The same order for A and B swapped, unless both names are the same.
            let key = (of_a.min(of_b), of_a.max(of_b), of_a);
            best = best.filter(|(known, _)| *known <= key).or(Some((key, k)));
        }
    }
    best.map_or(0, |(_, k)| k)
}
