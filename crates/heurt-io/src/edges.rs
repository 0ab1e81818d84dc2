//! Edges of a file: the `l` elements of OBJ, as vertices and pairs of their indices.
//!
//! In: the bytes of an OBJ file. Out: the vertices that edges use, and each edge once.
//! Method: a line of n vertices is n − 1 edges. Vertices with equal coordinates become one, because many programs
//! write the ends of each line again; an edge whose ends become one is omitted.
//! Guarantees: no panic, and no allocation above a fixed multiple of the input. Vertices and edges are in file order.
//! Faces are ignored. Cost: O(bytes) expected.

use crate::read::text::{self, Lines};
use crate::{Format, Place, ReadError};
use heurt_geometry::Vec3;
use std::collections::{HashMap, HashSet};

/// Reads the vertices and the edges of an OBJ file, in the unit of the file.
///
/// ```
/// use heurt_io::read_edges_obj;
/// let (vertices, edges) = read_edges_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3 1\n")?;
/// assert_eq!((vertices.len(), edges), (3, vec![[0, 1], [1, 2], [0, 2]]));
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] with the line for coordinates that are not finite and for indices without a vertex;
/// [`ReadError::NoEdges`] for a file without an edge.
pub fn read_edges_obj(bytes: &[u8]) -> Result<(Vec<Vec3>, Vec<[u32; 2]>), ReadError> {
    let mut points: Vec<Vec3> = Vec::new();
    let mut polylines: Vec<(u64, Vec<i64>)> = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next_filled() {
        let mut words = text::words(line);
        match words.next() {
            Some(b"v") => points.push(text::point(&mut words, &lines.place())?),
            Some(b"l") => polylines.push((lines.number(), polyline(words, points.len() as i64, &lines.place())?)),
            _ => {}
        }
    }
    let mut edges = EdgeCollector::default();
    for (line, polyline) in polylines {
        let number_of = |&index: &i64| {
            let point = usize::try_from(index - 1).ok().and_then(|index| points.get(index));
            let error = || {
                let expected = format!("a vertex from 1 to {}", points.len());
                ReadError::syntax(Place::Line(line), index.to_string().as_bytes(), expected)
            };
            point.copied().ok_or_else(error)
        };
        let corners = polyline.iter().map(number_of).collect::<Result<Vec<Vec3>, _>>()?;
        corners.windows(2).for_each(|ends| edges.add(ends[0], ends[1]));
    }
    if edges.list.is_empty() {
        return Err(ReadError::NoEdges { place: lines.place(), format: Format::Obj });
    }
    Ok((edges.vertices, edges.list))
}

/// Reads the indices of a line, counted from 1; negative indices count back from the last vertex above the line.
fn polyline<'a>(words: impl Iterator<Item = &'a [u8]>, count: i64, place: &Place) -> Result<Vec<i64>, ReadError> {
    let index = |word: &'a [u8]| {
        let vertex = word.split(|&byte| byte == b'/').next().unwrap_or_default();
        let index = text::integer(vertex)
            .ok_or_else(|| ReadError::syntax(place.clone(), word, "a vertex index such as 1, 1/2 or -1"))?;
        // An index of 0 or before the first vertex stays out of range.
        Ok(if index < 0 { index.saturating_add(count + 1).min(count) } else { index })
    };
    words.map(index).collect()
}

/// Vertices by their coordinates, and the set of edges.
#[derive(Default)]
struct EdgeCollector {
    vertices: Vec<Vec3>,
    list: Vec<[u32; 2]>,
    number_of: HashMap<[u64; 3], u32>,
    known: HashSet<[u32; 2]>,
}

impl EdgeCollector {
    fn add(&mut self, from: Vec3, to: Vec3) {
        let (a, b) = (self.number(from), self.number(to));
        let edge = [a.min(b), a.max(b)];
        if a != b && self.known.insert(edge) {
            self.list.push(edge);
        }
    }

    fn number(&mut self, point: Vec3) -> u32 {
        // −0 and 0 are one coordinate.
        let bits = (point + Vec3::ZERO).to_array().map(f64::to_bits);
        *self.number_of.entry(bits).or_insert_with(|| {
            self.vertices.push(point);
            // A file of 2³² vertices has no room in memory next to its points.
            (self.vertices.len() - 1) as u32
        })
    }
}
