//! Volumes asked in exact arithmetic.

use heurt_bvh::volume::{BoundingVolume, DirectionSet, KDop};
use heurt_bvh::{Aabb32, AabbSlab, Bvh, Obb, PrimitiveSource, Rss, Sphere, TreeFrame};
use heurt_testkit::number::dyadic::{Dyadic, dot, minus};

/// A volume that can be asked in exact arithmetic.
pub trait Exact: BoundingVolume {
    /// Tells whether the volume, grown by `room`, holds a point in local units.
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool;
}

fn three(numbers: &[f32]) -> [Dyadic; 3] {
    [0, 1, 2].map(|k| Dyadic::of(numbers[k]))
}

pub fn square(x: &Dyadic) -> Dyadic {
    x * x
}

impl Exact for Aabb32 {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        let (min, max) = (three(&self.min), three(&self.max));
        (0..3).all(|k| &min[k] - room <= point[k] && point[k] <= &max[k] + room)
    }
}

impl Exact for AabbSlab {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        let numbers = self.to_numbers();
        // Middle and width are kept doubled.
        let doubled = |x: &Dyadic| x + x;
        let off = &doubled(&dot(&three(&numbers[6..]), point)) - &Dyadic::of(numbers[9]);
        self.to_box().holds_exactly(point, room) && off.abs() <= &Dyadic::of(numbers[10]) + &doubled(room)
    }
}

impl Exact for Sphere {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        let off = minus(point, &three(&self.centre));
        dot(&off, &off) <= square(&(&Dyadic::of(self.radius) + room))
    }
}

impl<D: DirectionSet<N>, const N: usize> Exact for KDop<D, N> {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        (0..N).all(|k| {
            let along = dot(&D::AXES[k].map(Dyadic::of), point);
            let [greatest, least] = self.reach[k].map(Dyadic::of);
            along <= &greatest + room && &Dyadic::of(0.0) - &along <= &least + room
        })
    }
}

/// How far a point lies beyond a box along each of its axes.
fn beyond(core: &Obb, point: &[Dyadic; 3]) -> [Dyadic; 3] {
    let off = minus(point, &three(&core.centre));
    [0, 1, 2].map(|j| &dot(&three(&core.axes[j]), &off).abs() - &Dyadic::of(core.half[j]))
}

impl Exact for Obb {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        beyond(self, point).iter().all(|beyond| beyond <= room)
    }
}

impl Exact for Rss {
    fn holds_exactly(&self, point: &[Dyadic; 3], room: &Dyadic) -> bool {
        let beyond = beyond(&self.core, point).map(Dyadic::or_zero);
        dot(&beyond, &beyond) <= square(&(&Dyadic::of(self.radius) + room))
    }
}

/// The points of a source in local units of a frame.
pub fn local_points(source: &impl PrimitiveSource, frame: &TreeFrame) -> Vec<[Dyadic; 3]> {
    let (centre, unit) = (Dyadic::of_point(frame.centre()), Dyadic::of(frame.inverse_scale()));
    let local = |&point| minus(&Dyadic::of_point(point), &centre).map(|x| &x * &unit);
    source.points().iter().map(local).collect()
}

/// Asks every volume of a tree for the points of all primitives below it that `is_checked` picks; `local` are the points in local
/// units. Gives how often it asked. Not for trees that were rotated, whose ranges of leaves are those of others, too.
///
/// # Errors
/// A point that is outside, in words.
pub fn check_held<V: Exact, const W: usize>(
    tree: &Bvh<V, W>,
    source: &impl PrimitiveSource,
    local: &[[Dyadic; 3]],
    is_checked: impl Fn(u32) -> bool,
) -> Result<usize, String> {
    // What a point may be off by rounding, which every test of two volumes adds as slack (`relative.rs`, 2⁻⁴⁵ of the reach).
    let room = Dyadic::power_of_two(-46);
    let mut leaves = vec![Vec::new(); tree.stats().leaves];
    tree.for_each_leaf(|leaf| leaves[leaf.ordinal as usize] = tree.primitives(leaf).to_vec());
    let mut checked = Ok(0);
    tree.for_each_volume(|volume, below| {
        let held = leaves[below.start as usize..below.end as usize].iter().flatten();
        for corner in held.filter(|&&primitive| is_checked(primitive)).flat_map(|&primitive| source.corners(primitive))
        {
            let Ok(count) = &mut checked else { return };
            *count += 1;
            if !volume.holds_exactly(&local[corner as usize], &room) {
                checked = Err(format!("{volume:?} without {corner}"));
            }
        }
    });
    checked
}
