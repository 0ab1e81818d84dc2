//! Drawing of maps: the edges of all cells, and the entities of an environment.
//!
//! In: a map with numbered vertices and their positions, or an [`Environment`]. Out: lines with [`Meaning::Cell`], in
//! the unit and frame of the positions (metres); entities as points, edges and triangles.
//! Method: each orbit of an edge is drawn once, by its first dart.
//! Guarantees: edges come by their first darts, entities by their numbers: the same in every run. An edge with a vertex
//! without a number or position is left out. Cost: O(darts + entities).

use crate::registration::{Environment, Geometry};
use crate::track::Particle;
use crate::{CombinatorialMap, NO_CELL, Orbit, for_each_orbit};
use heurt_geometry::{Draw, DrawSink, Meaning, Vec3};

/// The edges of a map, to be drawn at the positions that `place` returns for the numbers of vertices.
///
/// ```
/// use heurt_geometry::{Draw, DrawSink, Meaning, Triangle, Vec3};
/// use heurt_map::{Map2, MapEdges, Orbit};
/// struct Length(f64);
/// impl DrawSink for Length {
///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
///     fn draw_line(&mut self, [a, b]: [Vec3; 2], _: Meaning) {
///         self.0 += a.distance(b);
///     }
///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
/// }
/// let mut map = Map2::grid(2, 1)?;
/// map.enable_ids(Orbit::Vertex);
/// let place = |vertex: u32| Some(Vec3::new(f64::from(vertex % 3), f64::from(vertex / 3), 0.0));
/// let mut length = Length(0.0);
/// MapEdges { map: &map, place }.draw(&mut length);
/// assert_eq!(length.0, 7.0, "two squares side by side have seven edges");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MapEdges<'a, M, P> {
    /// The map, with numbers of its vertices ([`Map::enable_ids`](crate::Map::enable_ids)).
    pub map: &'a M,
    /// Returns the position of a vertex by its number.
    pub place: P,
}

impl<M: CombinatorialMap, P: Fn(u32) -> Option<Vec3>> Draw for MapEdges<'_, M, P> {
    /// Draws every edge once.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let at = |vertex: u32| if vertex == NO_CELL { None } else { (self.place)(vertex) };
        for_each_orbit(self.map, Orbit::Edge, |darts| {
            let ends = [darts[0], self.map.phi1(darts[0])].map(|dart| at(self.map.id(Orbit::Vertex, dart)));
            if let [Some(a), Some(b)] = ends {
                sink.draw_line([a, b], Meaning::Cell);
            }
        });
    }
}

impl<const D: usize, G: Geometry<D>> Draw for Environment<D, G> {
    /// Draws the edges of the cells as they are refined now, then the entities: particles as [`Meaning::Note`], edges
    /// as [`Meaning::Edge`], triangles as [`Meaning::Surface`].
    fn draw(&self, sink: &mut dyn DrawSink) {
        MapEdges { map: self.map().map(), place: |vertex| Some(self.geometry().position(vertex)) }.draw(sink);
        let at = |Particle { position, .. }: Particle<G::Point>| G::to_space(position);
        for entity in self.entities() {
            let points = self.points(entity).into_iter().flatten();
            let places: Vec<Vec3> = points.filter_map(|point| self.particle(point).ok()).map(at).collect();
            match places[..] {
                [point] => sink.draw_point(point, Meaning::Note),
                [a, b] => sink.draw_line([a, b], Meaning::Edge),
                [a, b, c] => sink.draw_triangle([a, b, c], Meaning::Surface),
                _ => {}
            }
        }
    }
}
