//! Spatial hashing of tetrahedral meshes: the vertices that lie in tetrahedra of other bodies and of their own.
//!
//! In: bodies as vertices in world coordinates, in metres, and tetrahedra over them. Out: every vertex in a closed
//! tetrahedron of which it is no corner, with its barycentric coordinates.
//! Method: S4 §2.4.1 after Teschner, Heidelberger, Müller, Pomeranets and Gross 2003. All vertices are hashed by the
//! cell of an unbounded grid that they lie in, ⌊x / size⌋ times three large primes. The slots of the table carry the
//! step they belong to, so the table is never cleared. Then each tetrahedron visits the cells of its box and compares
//! the vertices found there: first with the box, then with itself. Differences from the source: exact signs of
//! determinants decide whether a vertex is inside, and the barycentric coordinates are computed afterwards. Two cells
//! of a box in one slot do not report a vertex twice. A tetrahedron with more cells than there are vertices compares
//! all of them.
//! Guarantees: complete and exact; touching counts; a flat tetrahedron is treated as a flat polygon, segment or point.
//! Cells of coordinates beyond ±2⁶² count as the last cells there. Hits come by body, tetrahedron and cell, the same
//! every time.
//! Not guaranteed: that overlapping bodies are found. Edges may cross faces while no vertex is inside; the method tests
//! vertices only.
//! Cost: O(vertices + Σ cells of boxes + vertices found there), expected. The right cell size is approximately the mean
//! edge length ([`mean_edge_length`]); the source measures that, and so does `bench tets`.

mod barycentric;
mod body;
mod draw;
mod error;
mod table;

pub use barycentric::{barycentric_coordinates, is_in_tet};
pub use body::TetBody;
pub use error::TetHashError;
use heurt_geometry::{Aabb, Vec3};
use table::{Table, TableEntry};

/// Maximum number of vertices of all bodies together.
const MAX_VERTICES: usize = 1 << 31;

/// A vertex in a tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetHit {
    /// Index of the body of the vertex.
    pub vertex_body: u32,
    /// Index of the vertex.
    pub vertex: u32,
    /// Index of the body of the tetrahedron.
    pub tet_body: u32,
    /// Index of the tetrahedron.
    pub tet: u32,
    /// The weights of the tetrahedron's corners whose mean is the vertex: from 0 to 1, their sum 1, each rounded.
    /// Exactly 0 if the vertex lies on the face opposite the corner.
    pub barycentric: [f64; 4],
}

/// Selection of the vertices that are tested against a tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TetPairs {
    /// Vertices of other bodies only.
    #[default]
    Others,
    /// Also vertices of the same body, except the tetrahedron's own corners: self-collision.
    WithSelf,
}

/// Work of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TetWork {
    /// Cells visited.
    pub cells: u64,
    /// Vertices tested against a box.
    pub boxes: u64,
    /// Vertices tested against a tetrahedron.
    pub exact: u64,
    /// Hits.
    pub hits: u64,
}

/// A hash table that is reused at each step: see the [module](self).
///
/// ```
/// use heurt_broad::{TetBody, TetHash, TetPairs, propose_table_size};
/// use heurt_mesh::generate::tet_block;
///
/// let fixed = tet_block([2, 2, 2], [1.0, 1.0, 1.0])?;
/// let mut falling = tet_block([2, 2, 2], [0.4, 0.4, 0.4])?;
/// let landed: Vec<_> = falling.vertices().iter().map(|p| *p + heurt_geometry::Vec3::new(0.25, 0.25, 0.65)).collect();
/// falling.set_vertices(&landed)?;
///
/// let mut hash = TetHash::new(0.5, propose_table_size(54))?;
/// let bodies = [TetBody::from(&fixed), TetBody::from(&falling)];
/// let mut hits = Vec::new();
/// hash.collide(&bodies, TetPairs::Others, |hit| hits.push(hit))?;
/// assert!(hits.len() >= 9 && hits.iter().all(|hit| hit.vertex_body == 1 && hit.tet_body == 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TetHash {
    table: Table,
    /// The vertices of all bodies, one after another.
    points: Vec<Vec3>,
    /// Start of the vertices of each body in `points`, and the end of the last.
    starts: Vec<u32>,
}

impl TetHash {
    /// Creates an empty table of `table_size` slots for cells of `cell_size` metres.
    ///
    /// # Errors
    /// [`TetHashError`] if the cell size is not a positive length, or if the table has no slot or more than 2²⁶.
    pub fn new(cell_size: f64, table_size: usize) -> Result<Self, TetHashError> {
        Ok(Self { table: Table::new(cell_size, table_size)?, points: Vec::new(), starts: Vec::new() })
    }

    /// Calls `found` with every vertex in a tetrahedron, independent of earlier calls.
    ///
    /// # Errors
    /// [`TetHashError::TooLarge`] when all bodies together have more than 2³¹ vertices.
    pub fn collide(
        &mut self,
        bodies: &[TetBody<'_>],
        pairs: TetPairs,
        mut found: impl FnMut(TetHit),
    ) -> Result<TetWork, TetHashError> {
        self.take(bodies)?;
        let mut work = TetWork::default();
        for (index, body) in bodies.iter().enumerate() {
            let own = self.starts[index]..self.starts[index + 1];
            for (tet, corners) in body.tets().iter().enumerate() {
                let at = corners.map(|vertex| body.vertices()[vertex as usize]);
                let mut look = TetLookup {
                    corners: at,
                    skipped: if pairs == TetPairs::Others { own.clone() } else { 0..0 },
                    own_corners: corners.map(|vertex| own.start + vertex),
                    bounds: Aabb::from_points(at),
                    work: &mut work,
                };
                let mut report = |vertex: u32, barycentric: [f64; 4]| {
                    let vertex_body = self.starts.partition_point(|&start| start <= vertex) as u32 - 1;
                    found(TetHit {
                        vertex_body,
                        vertex: vertex - self.starts[vertex_body as usize],
                        tet_body: index as u32,
                        tet: tet as u32,
                        barycentric,
                    });
                };
                look.visit(&self.table, &mut report);
            }
        }
        Ok(work)
    }

    /// Hashes the vertices of all bodies.
    fn take(&mut self, bodies: &[TetBody<'_>]) -> Result<(), TetHashError> {
        let count = bodies.iter().map(|body| body.vertices().len()).sum();
        if count > MAX_VERTICES {
            return Err(TetHashError::TooLarge { what: "vertices", count, max: MAX_VERTICES });
        }
        self.points.clear();
        self.starts.clear();
        for body in bodies {
            self.starts.push(self.points.len() as u32);
            self.points.extend_from_slice(body.vertices());
        }
        self.starts.push(self.points.len() as u32);
        self.table.fill(&self.points);
        Ok(())
    }
}

/// A tetrahedron and the vertices that it is compared with.
struct TetLookup<'a> {
    corners: [Vec3; 4],
    /// Vertices that are skipped: the vertices of its body, or none.
    skipped: std::ops::Range<u32>,
    own_corners: [u32; 4],
    bounds: Aabb,
    work: &'a mut TetWork,
}

impl TetLookup<'_> {
    /// Visits all cells of the box, or all vertices where these are fewer.
    #[inline(always)]
    fn visit(&mut self, table: &Table, report: &mut impl FnMut(u32, [f64; 4])) {
        let range = table.range(&self.bounds);
        if range.count() > table.entries().len() as u64 + 8 {
            for entry in table.entries() {
                self.compare(entry, None, report);
            }
            return;
        }
        self.work.cells += range.count();
        range.for_each(|cell| {
            // Cells that share a slot would report its vertices twice. If a box has several cells, the cell must be the
            // vertex's cell.
            let only = (!range.is_one()).then_some((table, cell));
            for entry in table.list(cell) {
                self.compare(entry, only, report);
            }
        });
    }

    #[inline(always)]
    fn compare(
        &mut self,
        &TableEntry { at, point: vertex }: &TableEntry,
        cell: Option<(&Table, [i64; 3])>,
        report: &mut impl FnMut(u32, [f64; 4]),
    ) {
        if self.skipped.contains(&vertex) {
            return;
        }
        self.work.boxes += 1;
        // Without a branch for each side, which would be unpredictable.
        let Aabb { min, max } = self.bounds;
        let within = |axis: usize| (min[axis] <= at[axis]) & (at[axis] <= max[axis]);
        if !(within(0) & within(1) & within(2)) {
            return;
        }
        if cell.is_some_and(|(table, cell)| table.cell(at) != cell) || self.own_corners.contains(&vertex) {
            return;
        }
        self.work.exact += 1;
        if let Some(barycentric) = barycentric_coordinates(at, &self.corners) {
            self.work.hits += 1;
            report(vertex, barycentric);
        }
    }
}

/// Returns the mean length of the six edges of all tetrahedra, in metres, an edge counted for each tetrahedron that has
/// it: the cell size that the source recommends. Returns `None` if it is not a positive number.
pub fn mean_edge_length(bodies: &[TetBody<'_>]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u64);
    for body in bodies {
        for tet in body.tets() {
            let [a, b, c, d] = tet.map(|vertex| body.vertices()[vertex as usize]);
            sum += [b - a, c - a, d - a, c - b, d - b, d - c].map(|edge| edge.length()).iter().sum::<f64>();
            count += 6;
        }
    }
    let mean = sum / count as f64;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}

/// Proposes a table size for a number of vertices: the least prime that is at least twice as large (2²⁶ at most).
pub fn propose_table_size(vertices: usize) -> usize {
    let least = (vertices.saturating_mul(2)).clamp(2, table::MAX_SLOTS - 100);
    // Below 2²⁶ no gap between primes is wider than 180, and the last hundred holds one.
    (least..=table::MAX_SLOTS).find(|&n| is_prime(n)).unwrap_or(table::MAX_SLOTS)
}

fn is_prime(n: usize) -> bool {
    (2..).take_while(|divisor| divisor * divisor <= n).all(|divisor| !n.is_multiple_of(divisor))
}
