//! Points, segments and triangles as closed sets: do they meet, decided exactly.
//!
//! In: corners in any finite `f64`, degenerate or not. Out: yes or no, and for contours the section of two triangles.
//! Method: signs of [`Predicates`] only; no point is ever constructed for a decision.

mod flat;
mod intersect;
mod section;

pub(crate) use flat::{dropped, projection};
pub use flat::{is_degenerate, point_on_segment, point_on_triangle, segment_intersects_triangle, segments_intersect};
#[doc(hidden)]
pub use intersect::triangles_intersect_by;
pub use intersect::{TriangleRelation, triangle_relation, triangles_intersect};
pub use section::{Section, SectionPoint, TriangleFeature, section};
