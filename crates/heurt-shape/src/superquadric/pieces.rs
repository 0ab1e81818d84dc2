//! Convex sets provably inside superquadrics, and a convex set around each.
//!
//! Method: points of ring and profile are joined along arcs. The points of a chord of a ring have a norm between 1 and
//! the sag of the chord ([`PatchArc::sag`]). For an ellipsoid, whose points scale, pieces are shrunk towards the middle
//! by the sag. For a toroid the profile is shrunk, so that points moved in or out by the sag stay inside. Along convex
//! curves all arcs make one piece.
//! Guarantees: every piece lies inside. Not guaranteed: the volume that they fill; spikes of concave tubes are left
//! out.

use super::Superquadric;
use super::patch::PatchArc;
use crate::{Convex, ConvexPieces};
use heurt_geometry::Vec3;
use heurt_mesh::generate::{Superellipsoid, Supertoroid};

/// Relative bound of the displacement by roundings, with a large safety factor.
const ROOM: f64 = 1e-12;
/// Minimum scale of a shrunk piece; smaller ones are useless.
const LEAST: f64 = 1e-3;
/// The eighths of a curve from the lower pole to the upper one, and all of them.
const HALF_ROUND: [u8; 4] = [6, 7, 0, 1];
const ROUND: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

impl Superquadric {
    /// Returns the hull, and convex sets inside.
    pub(super) fn convex_pieces(&self) -> ConvexPieces {
        let inner = match self {
            Self::Ellipsoid(shape) => self.cones(shape),
            Self::Toroid(shape) => self.sectors(shape),
        };
        ConvexPieces { hull: self.hull(), inner }
    }

    /// Returns a convex set that holds it.
    fn hull(&self) -> Option<Convex> {
        match self {
            Self::Ellipsoid(shape) => {
                let [n1, n2] = shape.exponents();
                Convex::superellipsoid(shape.radii(), n1.min(2.0), n2.min(2.0)).ok()
            }
            Self::Toroid(_) => {
                let points: Vec<Vec3> = self.patches().iter().flat_map(|patch| patch.hull(self)).collect();
                Convex::hull(&points).ok()
            }
        }
    }

    /// Returns cones from the middle to the surface.
    fn cones(&self, _shape: &Superellipsoid) -> Vec<Convex> {
        let [ring, profile] = self.powers();
        let halvings = if ring < 1.0 && profile < 1.0 { 1 } else { 2 };
        let rings = runs(&ROUND, ring, halvings);
        let profiles = runs(&HALF_ROUND, profile, halvings);
        let pairs = rings.iter().flat_map(|round| profiles.iter().map(move |up| (round, up)));
        let cone = |(round, up): (&Run, &Run)| {
            let share = (1.0 - ROOM) / (round.sag.max(1.0) * up.sag.max(1.0));
            let places =
                round.places.iter().flat_map(|&uv| up.places.iter().map(move |&sz| self.place(uv, sz) * share));
            let points: Vec<Vec3> = places.chain([Vec3::ZERO]).collect();
            (share > LEAST).then(|| Convex::hull(&points).ok()).flatten()
        };
        pairs.filter_map(cone).collect()
    }

    /// Returns pieces of the tube between two points of the ring.
    fn sectors(&self, shape: &Supertoroid) -> Vec<Convex> {
        let ([ring, profile], [r0, r1]) = (self.powers(), shape.radii());
        let section: Vec<[f64; 2]> = if profile >= 1.0 {
            arcs(&ROUND, profile, 2).iter().map(|arc| arc.ends()[0]).collect()
        } else {
            // A convex set in a star: the square on its corners.
            let reach = libm::exp2(1.0 - 1.0 / profile);
            vec![[reach, 0.0], [0.0, reach], [-reach, 0.0], [0.0, -reach]]
        };
        let width = section.iter().fold(0.0, |most: f64, at| most.max(at[0]));
        let sector = |arc: &PatchArc| {
            // Half the sag to either side.
            let sag = arc.sag();
            let (middle, most) = (0.5 * (1.0 + sag), (1.0 - sag).abs() / (1.0 + sag));
            let share = 1.0 - ROOM - most * (1.0 + r0 / r1) / width;
            let place = |[u, v]: [f64; 2], [s, z]: [f64; 2]| {
                let reach = (r0 + r1 * s * share) / middle;
                Vec3::new(reach * u, reach * v, r1 * z * share)
            };
            let points: Vec<Vec3> =
                arc.ends().iter().flat_map(|&uv| section.iter().map(move |&sz| place(uv, sz))).collect();
            (share > LEAST).then(|| Convex::hull(&points).ok()).flatten()
        };
        arcs(&ROUND, ring, 2).iter().filter_map(sector).collect()
    }
}

/// Consecutive points of a curve, and the sag of its chords.
struct Run {
    places: Vec<[f64; 2]>,
    sag: f64,
}

/// Returns the arcs of a concave curve one by one, those of a convex curve all as one.
fn runs(eighths: &[u8], p: f64, halvings: u32) -> Vec<Run> {
    let arcs = arcs(eighths, p, halvings);
    if p < 1.0 {
        return arcs.iter().map(|arc| Run { places: arc.ends().to_vec(), sag: arc.sag() }).collect();
    }
    vec![Run { places: arcs.iter().flat_map(PatchArc::ends).collect(), sag: 1.0 }]
}

fn arcs(eighths: &[u8], p: f64, halvings: u32) -> Vec<PatchArc> {
    let mut arcs: Vec<PatchArc> = eighths.iter().map(|&eighth| PatchArc::of(eighth, p)).collect();
    for _ in 0..halvings {
        arcs = arcs.iter().flat_map(PatchArc::halves).collect();
    }
    arcs
}
