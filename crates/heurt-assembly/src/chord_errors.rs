//! Chord errors of the parts of an assembly: given for all, or estimated once for each shape.

use super::Assembly;
use heurt_mesh::{Topology, TriMesh, estimate_chord_errors};
use std::sync::OnceLock;

/// The errors of the tessellations, estimated when they are first needed.
pub(crate) struct ChordErrors<'a> {
    assembly: &'a Assembly,
    given: Option<f64>,
    /// For each shape.
    estimated: Vec<OnceLock<ShapeErrors>>,
}

/// The errors of a shape.
struct ShapeErrors {
    of_triangles: Vec<f64>,
    largest: f64,
}

impl ShapeErrors {
    fn new(mesh: &TriMesh) -> Self {
        let of_triangles = estimate_chord_errors(&Topology::new(mesh));
        let largest = of_triangles.iter().copied().fold(0.0, f64::max);
        Self { of_triangles, largest }
    }
}

impl<'a> ChordErrors<'a> {
    pub(crate) fn new(assembly: &'a Assembly, given: Option<f64>) -> Self {
        Self { assembly, given, estimated: assembly.shapes.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Returns the error of two surfaces where they meet: the sum of the largest errors of the triangles that do.
    pub(crate) fn of_pair(&self, pair: [usize; 2], meeting: &[[u32; 2]]) -> f64 {
        self.sum(pair, |side, errors| {
            meeting.iter().map(|triangles| errors.of_triangles[triangles[side] as usize]).fold(0.0, f64::max)
        })
    }

    /// Returns the sum of the largest errors of two parts.
    pub(crate) fn of_parts(&self, pair: [usize; 2]) -> f64 {
        self.sum(pair, |_, errors| errors.largest)
    }

    fn sum(&self, pair: [usize; 2], error: impl Fn(usize, &ShapeErrors) -> f64) -> f64 {
        if let Some(given) = self.given {
            return 2.0 * given;
        }
        let of = |side: usize| {
            let shape = self.assembly.parts[pair[side]].shape;
            let mesh = self.assembly.shapes[shape].mesh();
            error(side, self.estimated[shape].get_or_init(|| ShapeErrors::new(mesh)))
        };
        of(0) + of(1)
    }
}
