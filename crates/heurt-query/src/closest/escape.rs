//! Distance from inside a union to its boundary: paths out, each in steps of the depth that is left.

use crate::answer::closest::Closest;
use heurt_geometry::{Pose, Vec3, robust_normalize};

/// Steps of a path out at most.
const MAX_STEPS: u32 = 256;

/// Inside, if no boundary is nearer than `least` states: the shortest of the paths out, or of the paths along
/// an axis.
pub(super) fn within(
    point: Vec3,
    least: Closest,
    paths: &[Closest],
    pose: &Pose,
    mut depth_at: impl FnMut(Vec3) -> f64,
) -> Closest {
    let room = 4.0 * least.error;
    let mut best: Option<(f64, Vec3, u32)> = None;
    let mut follow = |towards: Vec3, first: f64, primitive: u32| {
        let shortest = best.map_or(f64::INFINITY, |(shortest, ..)| shortest);
        if let Some(length) = shortest_escape(point, towards, first, shortest, room, &mut depth_at) {
            best = Some((length, towards, primitive));
        }
        best.is_some_and(|(shortest, ..)| shortest <= least.distance + room)
    };
    let own = paths
        .iter()
        .map(|path| (robust_normalize(path.point - point).unwrap_or(Vec3::ZERO), path.distance, path.primitive));
    let rotation = pose.rotation();
    let axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis].into_iter().flat_map(|axis| [axis, -axis]);
    let along_axes = axes.map(|axis| (axis.normalize_or_zero(), least.distance, least.primitive));
    for (towards, first, primitive) in own.chain(along_axes) {
        if follow(towards, first, primitive) {
            break;
        }
    }
    let Some((length, towards, primitive)) = best else {
        // No path was followed to its end.
        return Closest { signed_distance: Some(-least.distance), inside: Some(true), error: f64::INFINITY, ..least };
    };
    let end = point + towards * length;
    let own_end = paths.iter().find(|path| (path.point - end).length() <= room).map_or(end, |path| path.point);
    let is_proved = length <= least.distance + room;
    let distance = if is_proved { least.distance } else { length };
    Closest {
        point: own_end,
        distance,
        signed_distance: Some(-distance),
        inside: Some(true),
        primitive,
        error: if is_proved { least.error + room } else { length - least.distance + room },
    }
}

/// How far it is out of the union along a direction, if that is shorter than `shortest`: from `first` on, where it is
/// not before, in steps that stay inside.
fn shortest_escape(
    point: Vec3,
    towards: Vec3,
    first: f64,
    shortest: f64,
    room: f64,
    depth_at: &mut impl FnMut(Vec3) -> f64,
) -> Option<f64> {
    let mut length = first;
    for _ in 0..MAX_STEPS {
        if length >= shortest {
            return None;
        }
        let left = depth_at(point + towards * length);
        if left <= room {
            return Some(length);
        }
        length += left;
    }
    None
}
