//! Measures of a mesh for reports: space that its shells share counts once.
//!
//! In: the incidences of a mesh. Out: [`CountedOnce`].
//! Method: the sums over its triangles, unless shells may share space: then the measures of its boundary, if that is
//! decided. Cost: as `heurt_mesh::measures`, and for several components or faces that meet as [`measure_shared_space`].

use super::{SharedSpace, measure_shared_space};
use heurt_mesh::{Measures, Topology, measures_over};
use heurt_shape::MeshShape;

/// The measures of a mesh, with shared space counted once.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedOnce {
    /// The measures. If the boundary is not decided, they are the sums over the triangles.
    pub measures: Measures,
    /// The sum of the volumes of the shells, if it is another number, or if the boundary is not decided.
    pub shell_volume: Option<f64>,
}

/// Measures a mesh so that space that its shells share counts once; `meets_itself` if its triangles may intersect or
/// lie on each other.
///
/// ```
/// use heurt_mesh::{Topology, TriMesh, generate};
/// use heurt_query::measure_counted_once;
/// let cube = generate::cuboid([0.5; 3])?;
/// let twice = TriMesh::merged([&cube, &cube])?;
/// let measured = measure_counted_once(&Topology::new(&twice), true);
/// assert_eq!((measured.measures.volume, measured.shell_volume), (Some(1.0), Some(2.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn measure_counted_once(topology: &Topology, meets_itself: bool) -> CountedOnce {
    let plain = measures_over(topology);
    let Some(sum) = plain.volume.filter(|_| plain.components > 1 || meets_itself) else {
        return CountedOnce { measures: plain, shell_volume: None };
    };
    let Ok(shape) = MeshShape::new(topology.mesh().clone()) else {
        return CountedOnce { measures: plain, shell_volume: None };
    };
    match measure_shared_space(&shape) {
        SharedSpace::Nothing => CountedOnce { measures: plain, shell_volume: None },
        SharedSpace::Once(once) => {
            let is_other = (once.volume - sum).abs() > once.volume_error + 1e-12 * sum.abs();
            let (area, volume) = (once.area, Some(once.volume));
            let measures = Measures { area, volume, centroid: once.centroid, inertia: once.inertia, ..plain };
            CountedOnce { measures, shell_volume: is_other.then_some(sum) }
        }
        SharedSpace::Undecided => CountedOnce { measures: plain, shell_volume: Some(sum) },
    }
}
