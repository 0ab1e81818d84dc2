//! Edges of a file: the `l` elements of OBJ, as vertices and pairs of their indices.
//!
//! In: the bytes of an OBJ file. Out: the vertices that edges use, and each edge once.
//! Method: a line of n vertices is n − 1 edges. Vertices with equal coordinates become one, because many programs
//! write the ends of each line again; an edge whose ends become one is omitted.
//! Guarantees: no panic, and no allocation above a fixed multiple of the input. Edges are in file order, and vertices
//! in the order in which edges use them. Lines are joined as by the reader of meshes. Faces are ignored. Cost: O(bytes)
//! expected.

use crate::read::obj;
use crate::read::text::{self, Lines};
use crate::read::warnings::Warnings;
use crate::{Format, Place, ReadError};
use heurt_geometry::Vec3;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The edges of an OBJ file, each once.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjEdges {
    /// The vertices that edges use, in the unit of the file.
    pub vertices: Vec<Vec3>,
    /// Indices of the two vertices of each edge, counted from 0, ascending.
    pub edges: Vec<[u32; 2]>,
    /// The number of each vertex in the file, counted from 1; the first use counts for equal vertices.
    pub vertex_numbers: Vec<usize>,
    /// The place of each edge in the file: of equal edges, the first.
    pub sources: Vec<EdgeSource>,
}

/// The place of an edge in its file, as messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeSource {
    /// The number of the line, counted from 1.
    pub line: u64,
    /// The numbers of both vertices in the file, counted from 1.
    pub vertices: [usize; 2],
}

impl fmt::Display for EdgeSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.vertices;
        write!(out, "{from} {to} (line {})", self.line)
    }
}

/// Reads the vertices and the edges of an OBJ file, in the unit of the file.
///
/// ```
/// use heurt_io::read_edges_obj;
/// let found = read_edges_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3 1\n")?;
/// assert_eq!((found.vertices.len(), found.edges), (3, vec![[0, 1], [1, 2], [0, 2]]));
/// assert_eq!(found.sources[2].to_string(), "3 1 (line 4)");
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] with the line for coordinates that are not finite and for indices without a vertex;
/// [`ReadError::NoEdges`] for a file without an edge.
pub fn read_edges_obj(bytes: &[u8]) -> Result<ObjEdges, ReadError> {
    let mut warnings = Warnings::new(false);
    let bytes = &*text::prepare(bytes, &mut warnings)?;
    let mut points: Vec<Vec3> = Vec::new();
    let mut polylines: Vec<(u64, Vec<i64>, usize)> = Vec::new();
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        let number = lines.number();
        let statement = obj::join_if_continued(line, &mut lines, &mut joined, &mut warnings)?;
        let end = statement.iter().position(|&byte| byte == b'#').unwrap_or(statement.len());
        let mut words = text::words(&statement[..end]);
        match words.next() {
            Some(b"v") => points.push(text::point(&mut words, &Place::Line(number))?),
            Some(b"l") => polylines.push((number, polyline(words, &Place::Line(number))?, points.len())),
            _ => {}
        }
    }
    let mut edges = EdgeCollector::new();
    for (line, polyline, before) in polylines {
        let corner = |&index: &i64| {
            // Negative indices count back from the last vertex above the line.
            let place = if index < 0 { index.saturating_add(before as i64) } else { index - 1 };
            let place = usize::try_from(place).ok().filter(|&place| place < points.len());
            let refuse = || ReadError::BadIndex { place: Place::Line(line), index, first: 1, count: points.len() };
            place.map(|place| (place + 1, points[place])).ok_or_else(refuse)
        };
        let corners = polyline.iter().map(corner).collect::<Result<Vec<(usize, Vec3)>, _>>()?;
        corners.windows(2).for_each(|ends| edges.add(line, ends[0], ends[1]));
    }
    if edges.found.edges.is_empty() {
        return Err(ReadError::NoEdges { place: lines.place(), format: Format::Obj });
    }
    Ok(edges.found)
}

/// Reads the indices of a line, counted from 1, or from −1 backwards.
fn polyline<'a>(words: impl Iterator<Item = &'a [u8]>, place: &Place) -> Result<Vec<i64>, ReadError> {
    let index = |word: &'a [u8]| {
        let vertex = word.split(|&byte| byte == b'/').next().unwrap_or_default();
        let error = || ReadError::syntax(place.clone(), word, "a vertex index such as 1, 1/2 or -1");
        text::integer(vertex).ok_or_else(error)
    };
    words.map(index).collect()
}

/// Collects edges: vertices by their coordinates, and the set of edges.
struct EdgeCollector {
    found: ObjEdges,
    index_of: HashMap<[u64; 3], u32>,
    known: HashSet<[u32; 2]>,
}

impl EdgeCollector {
    fn new() -> Self {
        let found =
            ObjEdges { vertices: Vec::new(), edges: Vec::new(), vertex_numbers: Vec::new(), sources: Vec::new() };
        Self { found, index_of: HashMap::new(), known: HashSet::new() }
    }

    /// Adds the edge of a line between two vertices, each with its number in the file.
    fn add(&mut self, line: u64, from: (usize, Vec3), to: (usize, Vec3)) {
        if from.1 == to.1 {
            return;
        }
        let (a, b) = (self.index(from), self.index(to));
        let edge = [a.min(b), a.max(b)];
        if self.known.insert(edge) {
            self.found.edges.push(edge);
            self.found.sources.push(EdgeSource { line, vertices: [from.0, to.0] });
        }
    }

    fn index(&mut self, (number, point): (usize, Vec3)) -> u32 {
        // −0 and 0 are one coordinate.
        let bits = (point + Vec3::ZERO).to_array().map(f64::to_bits);
        *self.index_of.entry(bits).or_insert_with(|| {
            self.found.vertices.push(point);
            self.found.vertex_numbers.push(number);
            // A file of 2³² vertices has no room in memory next to its points.
            (self.found.vertices.len() - 1) as u32
        })
    }
}
