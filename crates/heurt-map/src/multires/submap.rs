//! Submap: an excerpt of some cells of a map as a separate map.
//!
//! In: a dart of each cell. Out: a map with these cells, closed by a border, and the origin of its darts. Refining and
//! coarsening a cell depend only on the cells around its edges, so that they can be tried on an excerpt before the map
//! changes. Method: ours.
//! Guarantees: darts have the same order as in the map, and the same levels and labels, beyond the new border too.
//! Cells that touch only at an edge or a vertex are disjoint there. Cost: O(n log n) over the darts of the cells.

use super::implicit::ImplicitMap;
use crate::{CombinatorialMap, Dart, DartSet, Map, Walker};

impl<const D: usize> ImplicitMap<D> {
    /// Copies the finest cells (faces in 2D, volumes in 3D) of some darts. Returns the excerpt and the source of each
    /// of its darts; darts of the border copy the darts beyond it.
    pub(crate) fn submap(&mut self, cells: &[Dart]) -> (Self, Vec<Dart>) {
        let mut walker = std::mem::take(&mut self.walker);
        walker.begin(&self.map);
        let mut source: Vec<Dart> = Vec::new();
        for &dart in cells {
            source.extend_from_slice(walker.extend(&self.map, Self::CELL, dart));
        }
        self.walker = walker;
        source.sort_unstable();
        let inner = source.len();
        let beyond = |dart: Dart| if D == 2 { self.map.phi2(dart) } else { self.map.phi3(dart) };
        let place = |dart: Dart| source.binary_search(&dart).ok().map(|place| place as u32);
        let outer: Vec<Dart> = source.iter().copied().filter(|&dart| place(beyond(dart)).is_none()).collect();
        // The new border dart along an outside dart.
        let border = |dart: Dart| (inner + outer.partition_point(|&other| other < dart)) as u32;
        let [mut phi1, mut phi2, mut phi3] = [(); 3].map(|()| Vec::with_capacity(inner + outer.len()));
        for &dart in &source {
            phi1.push(place(self.map.phi1(dart)).unwrap_or(0));
            let over = place(beyond(dart)).unwrap_or_else(|| border(dart));
            if D == 2 {
                phi2.push(over);
            } else {
                phi2.push(place(self.map.phi2(dart)).unwrap_or(0));
                phi3.push(over);
            }
        }
        let own = |dart: Dart| place(dart).unwrap_or(0);
        for &dart in &outer {
            // Around the vertex (2D) or the edge (3D), through the copied cells, to the last of them.
            let turn = |dart: Dart| if D == 2 { self.map.phi1_inv(dart) } else { self.map.phi2(dart) };
            let mut last = turn(dart);
            while place(beyond(last)).is_some() {
                last = turn(beyond(last));
            }
            if D == 2 {
                phi1.push(border(last));
                phi2.push(own(dart));
            } else {
                phi1.push(border(self.map.phi1_inv(dart)));
                phi2.push(border(last));
                phi3.push(own(dart));
            }
        }
        let mut boundary = DartSet::with_capacity(phi1.len());
        boundary.insert_range(inner as u32..phi1.len() as u32);
        let map = Map::from_links(phi1, phi2, phi3, boundary);
        source.extend(outer.iter().map(|&dart| beyond(dart)));
        let level: Vec<u8> = source.iter().map(|&dart| self.level(dart)).collect();
        let line = source.iter().map(|&dart| self.line(dart)).collect();
        let plane = if D == 3 { source.iter().map(|&dart| self.plane(dart)).collect() } else { Vec::new() };
        let mut counts = vec![0; usize::from(level.iter().copied().max().unwrap_or(0)) + 1];
        level.iter().for_each(|&level| counts[usize::from(level)] += 1);
        (Self { map, scheme: self.scheme, level, line, plane, counts, walker: Walker::new() }, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multires::{ImplicitMap3, Multiresolution};
    use crate::{Map3, Orbit};

    /// Volumes of levels 0 to 2, all and some of them: excerpts are valid maps, and refine and coarsen like the whole
    /// map.
    #[test]
    fn excerpts_are_maps() {
        let mut map: ImplicitMap3 = ImplicitMap::new(Map3::hexahedral_grid([3, 2, 1]).unwrap());
        map.enable_ids(Orbit::Volume);
        let first = map.refine(Dart(0)).unwrap();
        map.refine(first.cells[3]).unwrap();
        let cells: Vec<Dart> = map.map().cell_ids(Orbit::Volume).unwrap().cells().map(|cell| cell.1).collect();
        let (whole, source) = map.submap(&cells);
        assert_eq!((whole.validate(), whole.map().live_count()), (vec![], map.map().live_count()));
        assert_eq!(source.len(), whole.map().live_count());
        for (number, &dart) in cells.iter().enumerate() {
            let mut ring: Vec<Dart> = Walker::new().adjacent(map.map(), dart, Orbit::Volume, Orbit::Vertex).to_vec();
            ring.push(dart);
            let (mut part, source) = map.submap(&ring);
            let here = Dart(source.iter().position(|&other| other == dart).unwrap() as u32);
            assert_eq!(source[part.map().phi1(here).index()], map.map().phi1(dart));
            let mut whole = map.clone();
            let (tried, done) = if number % 2 == 0 {
                (part.refine(here).map(|done| done.level), whole.refine(dart).map(|done| done.level))
            } else {
                (part.coarsen(here).map(|done| done.level), whole.coarsen(dart).map(|done| done.level))
            };
            assert_eq!(tried.is_ok(), done.is_ok());
            if let (Ok(tried), Ok(done)) = (tried, done) {
                assert_eq!(tried, done);
                let mut walker = Walker::new();
                let [one, other] = [(&part, here), (&whole, dart)].map(|(map, dart)| {
                    let dart = if map.dart_level(dart).is_some() { dart } else { return 0 };
                    walker.orbit(map.map(), Orbit::Volume, dart).len()
                });
                assert_eq!(one, other);
            }
            assert!(part.finest() <= 3);
        }
    }
}
