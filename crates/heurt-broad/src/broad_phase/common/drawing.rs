//! Drawing of boxes in the frames of broad phases, and of intervals along axes.
//!
//! In: boxes, finite or not. Out: boxes, lines and points of a [`DrawSink`] in the world, in metres. Infinite
//! boxes are left out.

use super::box_list::FlatBoxes;
use super::lanes::Frame;
use heurt_geometry::{Aabb, DrawSink, Meaning};

/// Draws a finite box.
pub(crate) fn draw_bounds(sink: &mut dyn DrawSink, bounds: &Aabb) {
    if bounds.min.is_finite() && bounds.max.is_finite() {
        sink.draw_box(bounds, Meaning::BroadPhase);
    }
}

/// Draws the boxes of a list.
pub(crate) fn draw_list(sink: &mut dyn DrawSink, frame: &Frame, list: &FlatBoxes) {
    (0..list.len()).for_each(|place| draw_bounds(sink, &frame.world(&list.get(place))));
}

/// Draws boxes in the order of the first list, and for each axis the intervals of its list: as lines with both ends as
/// points, on the edge of the box of all that starts at its least corner.
pub(crate) fn draw_intervals(sink: &mut dyn DrawSink, lists: &[Vec<Aabb>; 3]) {
    lists[0].iter().for_each(|bounds| draw_bounds(sink, bounds));
    let is_finite = |bounds: &&Aabb| bounds.min.is_finite() && bounds.max.is_finite();
    let all = lists[0].iter().filter(is_finite).fold(Aabb::EMPTY, |all, bounds| all.union(*bounds));
    for (axis, list) in lists.iter().enumerate() {
        for bounds in list.iter().filter(is_finite) {
            let ends = [bounds.min[axis], bounds.max[axis]].map(|place| {
                let mut end = all.min;
                end[axis] = place;
                end
            });
            sink.draw_line(ends, Meaning::BroadPhase);
            ends.into_iter().for_each(|end| sink.draw_point(end, Meaning::BroadPhase));
        }
    }
}
