//! Soft bodies: points with masses that return to the shape of their rest positions.
//!
//! In: rest positions and masses, once; then positions, velocities and accelerations, a step at a time. Out: the rigid
//! motion that fits best, the goals of the points, their state after the step.
//! Method: shape matching (Müller et al. 2005; S4 §8.2.2), in the plane and in space; see [`shape_matching`].
//! Guarantees: typed errors for bad input, which changes nothing; momentum is kept to rounding; the same bits on every
//! machine. Contacts, collisions and files are outside the scope of this crate.
//!
//! ```
//! use heurt_geometry::Vec2;
//! use heurt_soft::{MatchingSettings, ShapeMatching2};
//!
//! // A square of four points, of which one was pulled out, swings back.
//! let rest = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vec2::from_array);
//! let shape = ShapeMatching2::new(&rest, &[1.0; 4])?;
//! let mut positions = rest;
//! positions[2] = Vec2::new(1.5, 1.5);
//! let mut velocities = [Vec2::ZERO; 4];
//! let settings = MatchingSettings { stiffness: 0.5, linear_share: 0.0 };
//! for _ in 0..200 {
//!     shape.step(&mut positions, &mut velocities, &[Vec2::ZERO; 4], &settings, 0.01)?;
//!     velocities.iter_mut().for_each(|velocity| *velocity *= 0.5);
//! }
//! let goals = shape.goals(&positions, 0.0)?;
//! assert!(goals.iter().zip(&positions).all(|(goal, place)| goal.distance(*place) < 1e-6));
//! // The centroid stayed at the mean of the pulled positions.
//! assert!(shape.fit(&positions)?.centroid.distance(Vec2::new(0.625, 0.625)) < 1e-12);
//! # Ok::<(), heurt_soft::ShapeMatchingError>(())
//! ```

pub mod shape_matching;

pub use shape_matching::{MatchingSettings, ShapeFit2, ShapeFit3, ShapeMatching2, ShapeMatching3, ShapeMatchingError};
