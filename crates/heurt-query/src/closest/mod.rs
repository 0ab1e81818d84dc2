//! `closest`: the point of a shape's boundary nearest to a given one, and on which side that one lies.

mod mesh;

pub use mesh::{Closest, closest, closest_counted, closest_within};
