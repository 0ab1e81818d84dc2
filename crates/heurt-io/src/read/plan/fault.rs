//! Faults of plans: what is wrong, the coordinates, and the remedy.
//!
//! In: findings of the readers of this folder. Out: [`PlanError`] for contents that have no meaning as a plan, and
//! [`PlanWarning`] for contents that are left out or read with a loss.
//! Guarantees: a message is one clause each for the fault, the place and the remedy, and at most 600 bytes long; a plan
//! has at most one warning of a kind, which lists at most [`MAX_ITEMS`] items. Cost: O(1) a fault.

use crate::{LonLat, ReadError};
use heurt_geometry::{Counted, ShortNumber, ShortPlace, Vec2, Vec3};
use std::fmt;
use thiserror::Error;

/// The items that a warning lists: enough to find the fault in an editor; the number of all items is exact.
pub(super) const MAX_ITEMS: usize = 16;
/// The items that the text of a warning names.
const SHOWN_ITEMS: usize = 4;

/// A ring of a plan: numbers count from 1, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingName {
    /// The number of the polygon.
    pub polygon: usize,
    /// The number of the hole in its polygon; 0 for the outer ring.
    pub hole: usize,
}

impl fmt::Display for RingName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hole {
            0 => write!(out, "polygon {}, outer ring", self.polygon),
            hole => write!(out, "polygon {}, hole {hole}", self.polygon),
        }
    }
}

/// Reason why bytes are not a plan. Every message gives the place, the value found there, and the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text or the container is faulty.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A plan without a polygon, or without an area in which to walk.
    #[error("the plan has no {what}: {remedy}")]
    Empty {
        /// The missing contents.
        what: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// A ring whose last point differs from its first.
    #[error(
        "{ring}: begins at {} but ends at {}: repeat the first point at the end",
        ShortPlace(*first), end_beyond(*first, *last)
    )]
    UnclosedRing {
        /// The ring.
        ring: RingName,
        /// Its first point.
        first: Vec2,
        /// Its last point.
        last: Vec2,
    },
    /// A ring with fewer than three distinct corners.
    #[error(
        "{ring}: has {} at {}, it needs at least 3: complete it or remove it",
        Counted(*corners, "corner", "corners"), ShortPlace(*at)
    )]
    TooFewCorners {
        /// The ring.
        ring: RingName,
        /// The number of its corners, without repetitions.
        corners: usize,
        /// The first corner.
        at: Vec2,
    },
    /// A ring that crosses itself.
    #[error("{ring}: crosses itself at {}: change the order of its corners, or split it there", ShortPlace(*at))]
    CrossesItself {
        /// The ring.
        ring: RingName,
        /// The point where two edges cross.
        at: Vec2,
    },
    /// A ring that touches itself, or runs back along an edge.
    #[error("{ring}: touches itself at {}: leave a gap there, or make the enclosed part a hole", ShortPlace(*at))]
    TouchesItself {
        /// The ring.
        ring: RingName,
        /// The point of contact.
        at: Vec2,
    },
    /// Two rings of a polygon that cross.
    #[error(
        "{ring}: crosses {} at {}: move it inside, or cut the polygon there",
        OfSamePolygon(*with), ShortPlace(*at)
    )]
    RingsCross {
        /// The hole.
        ring: RingName,
        /// The ring that it crosses.
        with: RingName,
        /// The point where two edges cross.
        at: Vec2,
    },
    /// Two rings of a polygon that touch.
    #[error("{ring}: touches {} at {}: leave a gap, or make one ring of both", OfSamePolygon(*with), ShortPlace(*at))]
    RingsTouch {
        /// The hole.
        ring: RingName,
        /// The ring that it touches.
        with: RingName,
        /// The point of contact.
        at: Vec2,
    },
    /// A hole outside the outer ring.
    #[error("{ring}: lies outside the outer ring, its first corner is {}: move it, or remove it", ShortPlace(*at))]
    HoleOutside {
        /// The hole.
        ring: RingName,
        /// Its first corner.
        at: Vec2,
    },
    /// A hole inside another hole.
    #[error(
        "{ring}: lies inside {}, its first corner is {}: remove it, or make it a polygon",
        OfSamePolygon(*within), ShortPlace(*at)
    )]
    HoleInHole {
        /// The inner hole.
        ring: RingName,
        /// The hole around it.
        within: RingName,
        /// The first corner of the inner hole.
        at: Vec2,
    },
    /// A polygon whose corners are not in one plane.
    #[error("polygon {polygon}: its corner {} is more than 1 cm off the plane: split it", ShortPlace(*at))]
    NotFlat {
        /// The number of the polygon, from 1.
        polygon: usize,
        /// The corner, with its height.
        at: Vec3,
    },
    /// A corner twice in a row, or the first point at the end, with two heights.
    #[error(
        "{ring}: has the heights {} m and {} m at {}: give one height",
        ShortNumber(heights[0]), ShortNumber(heights[1]), ShortPlace(*at)
    )]
    TwoHeights {
        /// The ring.
        ring: RingName,
        /// The corner.
        at: Vec2,
        /// Its heights, in metres.
        heights: [f64; 2],
    },
    /// A coordinate beyond the supported range.
    #[error("{ring}: the point {} is farther than {limit:e} m from the origin: subtract an offset", ShortPlace(*at))]
    TooFar {
        /// The ring.
        ring: RingName,
        /// The point.
        at: Vec2,
        /// The largest coordinate, in metres.
        limit: f64,
    },
    /// A plan so small that its coordinates seem to be degrees.
    #[error(
        "the whole plan is {} by {} units wide, at {}: no person fits in; if these are degrees, project \
         them to metres",
        ShortNumber(*width), ShortNumber(*height), ShortPlace(*at)
    )]
    TooSmall {
        /// The width of the plan, in its units.
        width: f64,
        /// The height of the plan, in its units.
        height: f64,
        /// The first corner.
        at: Vec2,
    },
    /// Bounds of a map that the projection does not cover.
    #[error(
        "the bounds of the map reach from {low} to {high}: give `<bounds>` within 85° of latitude, and at most {limit} \
         km wide"
    )]
    TooWide {
        /// The lower corner, south and west.
        low: LonLat,
        /// The upper corner, north and east.
        high: LonLat,
        /// The largest extent, in kilometres.
        limit: u32,
    },
}

/// Returns the last point of a ring as text; with its distance from the first one, if both look the same.
fn end_beyond(first: Vec2, last: Vec2) -> String {
    let [begin, end] = [first, last].map(|point| ShortPlace(point).to_string());
    match begin == end {
        true => format!("{end}, {} m from it", ShortNumber(first.distance(last))),
        false => end,
    }
}

/// A ring without the number of its polygon.
struct OfSamePolygon(RingName);

impl fmt::Display for OfSamePolygon {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.hole {
            0 => out.write_str("the outer ring"),
            hole => write!(out, "hole {hole}"),
        }
    }
}

/// The kind of contents that a reader of plans left out, or read with a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PlanWarningKind {
    /// A third coordinate, left out.
    HeightIgnored,
    /// Points and lines of a plan, left out.
    NoArea,
    /// Results of unions thinner than a millimetre, left out.
    Slivers,
    /// A `way` with nodes that the file does not hold: a line is cut there, an area is left out.
    MissingNodes,
    /// A road or path on a level besides the ground that has no ramp, or a tunnel of cars: left out.
    CrossesLevels,
    /// An end of a bridge or tunnel at which no ramp has room.
    NoRamp,
    /// A relation whose rings do not close, often at the border of an extract: open rings are left out.
    UnclosedRelation,
    /// A `way` that is tagged as an area but is not closed, left out.
    UnclosedArea,
    /// A coastline, left out: the sea counts as land.
    Coastline,
    /// Elements of a drawing that are not read: curves, transforms, text.
    DrawingIgnored,
    /// Faces of a mesh that are too steep to walk on: walls.
    SteepFaces,
}

impl PlanWarningKind {
    /// Returns what is counted, as one and as several, and the effect with its remedy.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Self::HeightIgnored => [
                "point with a measure, or point or line with a height",
                "points with a measure, or points and lines with a height",
                "these numbers are ignored",
            ],
            Self::NoArea => ["point or line", "points and lines", "ignored: only polygons are areas"],
            Self::Slivers => [
                "area thinner than a millimetre",
                "areas thinner than a millimetre",
                "left out: let the edges of neighbours coincide",
            ],
            Self::MissingNodes => [
                "`way` with missing nodes",
                "`way`s with missing nodes",
                "lines are cut there, areas left out: extract with complete `way`s",
            ],
            Self::CrossesLevels => [
                "`way` that crosses levels",
                "`way`s that cross levels",
                "left out: no ramp leads there from the ground; draw them with heights",
            ],
            Self::NoRamp => [
                "end of a bridge or tunnel without room for a ramp",
                "ends of bridges or tunnels without room for a ramp",
                "closed there: check obstacles, layers and ways",
            ],
            Self::UnclosedRelation => [
                "relation with open rings",
                "relations with open rings",
                "open rings are left out: extract with complete relations",
            ],
            Self::UnclosedArea => [
                "area that is not closed",
                "areas that are not closed",
                "left out: close them, or complete the extract",
            ],
            Self::Coastline => {
                ["coastline", "coastlines", "left out, the sea counts as land: give it as `natural=water`"]
            }
            Self::SteepFaces => [
                "triangle that rises by more than 1.2 m a metre",
                "triangles that rise by more than 1.2 m a metre",
                "ignored: floors end where faces end",
            ],
            Self::DrawingIgnored => [
                "element of the drawing",
                "elements of the drawing",
                "ignored: give straight polygons without transforms",
            ],
        }
    }
}

/// An item of a warning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanItem {
    /// The identifier in the file, of the `way` or relation; of text, the number of the polygon; of a
    /// mesh, the number of the triangle, as faces are cut into triangles in their order.
    pub id: i64,
    /// A point of the item, in metres, if it has any.
    pub at: Option<Vec2>,
    /// The same point in degrees, of maps.
    pub lon_lat: Option<LonLat>,
}

/// Contents that a reader of plans left out, or read with a loss; a plan has at most one warning of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanWarning {
    /// The kind.
    pub kind: PlanWarningKind,
    /// The number of items.
    pub count: u64,
    /// The first items, at most 16.
    pub items: Vec<PlanItem>,
}

impl fmt::Display for PlanWarning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, many, effect] = self.kind.texts();
        write!(out, "{}", Counted(self.count as usize, one, many))?;
        for (number, item) in self.items.iter().take(SHOWN_ITEMS).enumerate() {
            write!(out, "{} {}", if number == 0 { ":" } else { "," }, item.id)?;
            if let Some(at) = item.at {
                write!(out, " at ({:.1}, {:.1}) m", at.x, at.y)?;
            }
            if let Some(degrees) = item.lon_lat {
                write!(out, " = {degrees}")?;
            }
        }
        if self.count > SHOWN_ITEMS as u64 {
            out.write_str(", …")?;
        }
        write!(out, "; {effect}")
    }
}

/// The warnings of a plan, collected.
#[derive(Debug, Default)]
pub(super) struct PlanNotes(Vec<PlanWarning>);

impl PlanNotes {
    /// Counts an item.
    pub(super) fn add(&mut self, kind: PlanWarningKind, item: PlanItem) {
        let place = self.0.iter().position(|warning| warning.kind == kind).unwrap_or_else(|| {
            self.0.push(PlanWarning { kind, count: 0, items: Vec::new() });
            self.0.len() - 1
        });
        let warning = &mut self.0[place];
        warning.count += 1;
        if warning.items.len() < MAX_ITEMS {
            warning.items.push(item);
        }
    }

    /// Returns the warnings, ordered by kind.
    pub(super) fn finish(mut self) -> Vec<PlanWarning> {
        self.0.sort_by_key(|warning| warning.kind);
        self.0
    }
}
