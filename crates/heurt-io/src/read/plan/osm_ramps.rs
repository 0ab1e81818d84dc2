//! Ramps: from an end of a deck down, or up, to the ground or to another deck.
//!
//! In: the end of a span, the lines that lead on from it, obstacles, decks and ramps around. Out: an [`OsmRamp`] that
//! has room.
//! Method: a straight strip as wide as the span in the direction of the line: 1 in 8, else 1 in 4, else 1 in 2. It has
//! room if it is on the map and meets no obstacle, no ramp and no deck at its height; on another deck, its landing is.
//! Guarantees: floors over and under a ramp leave 2 m.
//! Cost: for each slope an overlay with each obstacle, ramp and piece of a deck near it.

use super::osm_boxes::BoxGrid;
use super::osm_decks::OsmDeck;
use super::osm_levels::{OsmFloors, OsmObstacle, are_near, bounds_of};
use super::union::{GridRing, PlanGrid, intersect};
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};

/// The height under a ramp from which the ground stays, in metres: people need 2 m, and 5 cm are for rounding.
const CLEARANCE: f64 = 2.05;
/// Slopes of ramps, the first that has room counts: a ramp, a steep ramp, a stair.
pub(super) const SLOPES: [f64; 3] = [0.125, 0.25, 0.5];
/// The free ground beyond the foot of a ramp, in metres.
pub(super) const LANDING: f64 = 1.0;
/// The least part of a landing that is on the deck below: the rest is for bends of the deck.
const LANDED: f64 = 0.9;
/// The free width at each side of a ramp, in metres: corners within a millimetre of each other are joined.
const MARGIN: f64 = 5e-4;
/// Parts of this size that two areas share are rounding, in square metres.
const ROUNDING: f64 = 1e-3;

/// Obstacles of ramps other than ramps, by place.
pub(super) struct OsmHurdles<'d> {
    pub(super) decks: &'d [OsmDeck],
    pub(super) deck_places: BoxGrid,
    pub(super) obstacles: &'d [OsmObstacle],
    pub(super) obstacle_places: BoxGrid,
    /// The corners of the map, in metres.
    pub(super) map: [Vec2; 2],
}

/// A ramp: its corners from the deck to its foot and back, and its direction.
pub(super) struct OsmRamp {
    pub(super) corners: [Vec2; 4],
    along: Vec2,
    /// The height of its foot.
    foot: f64,
    /// The height of the deck above the foot; less than 0 below it.
    height: f64,
    pub(super) length: f64,
}

/// The decks that a ramp joins, and the width of each.
pub(super) struct RampEnds {
    pub(super) deck: usize,
    pub(super) width: f64,
    /// The deck at the foot; none for the ground.
    pub(super) foot: Option<(usize, f64)>,
}

/// Computes the area that two sets of rings share, in square metres.
fn shared(grid: &PlanGrid, one: &[GridRing], two: &[GridRing]) -> f64 {
    grid.finish(&intersect(one, two)).0.iter().map(PlanArea::area).sum()
}

impl OsmHurdles<'_> {
    /// Finds a ramp from the first point of a line along it.
    pub(super) fn ramp(&self, grid: &PlanGrid, line: &[Vec2], ends: &RampEnds, floors: &OsmFloors) -> Option<OsmRamp> {
        let height_of = |deck: usize| self.decks[deck].height;
        let foot = ends.foot.map_or(0.0, |(deck, _)| height_of(deck));
        let height = height_of(ends.deck) - foot;
        let ramps = SLOPES.iter().filter_map(|slope| OsmRamp::along(line, ends.width, [foot, height], slope));
        ramps.into_iter().find(|ramp| self.have_room(grid, ramp, ends, floors))
    }

    /// Reports whether nothing is where a ramp would be.
    fn have_room(&self, grid: &PlanGrid, ramp: &OsmRamp, ends: &RampEnds, floors: &OsmFloors) -> bool {
        let whole = ramp.with_landing(grid);
        let low = grid.round_ring(&ramp.part(ramp.covered_from(), ramp.length + LANDING));
        let bounds = bounds_of(grid, std::slice::from_ref(&whole));
        let meets =
            |ring: &GridRing, rings: &[GridRing], most: f64| shared(grid, std::slice::from_ref(ring), rings) > most;
        let is_inside = bounds[0].cmpge(self.map[0]).all() && bounds[1].cmple(self.map[1]).all();
        let is_blocked = |place: usize| {
            let obstacle = &self.obstacles[place];
            let ring = match obstacle.is_building && ramp.height > 0.0 {
                true => &whole,
                // Between two decks nothing is on the ground.
                false if ends.foot.is_some() => return false,
                false => &low,
            };
            are_near(bounds, obstacle.bounds) && meets(ring, &obstacle.rings, ROUNDING)
        };
        let is_crossed = |place: usize| {
            let deck = &self.decks[place];
            let is_foot = ends.foot.is_some_and(|(foot, _)| foot == place);
            match place == ends.deck {
                _ if is_foot || !are_near(bounds, deck.bounds) => false,
                // The round end of the own deck.
                true => meets(&whole, &deck.rings_near(bounds), ends.width * ends.width),
                false => ramp.is_level(deck.height) && meets(&whole, &deck.rings_near(bounds), ROUNDING),
            }
        };
        let is_taken = |place: usize| {
            let (ring, around) = &floors.ramps[place];
            are_near(bounds, *around) && meets(&whole, std::slice::from_ref(ring), ROUNDING)
        };
        let is_landed = ends.foot.is_none_or(|(foot, width)| {
            let landing = grid.round_ring(&ramp.part(ramp.length, ramp.length + LANDING));
            let rings = self.decks[foot].rings_near(bounds_of(grid, std::slice::from_ref(&landing)));
            meets(&landing, &rings, LANDED * LANDING * width.min(ends.width))
        });
        is_inside
            && is_landed
            && !self.obstacle_places.any_near(bounds, is_blocked)
            && !self.deck_places.any_near(bounds, is_crossed)
            && !floors.places.any_near(bounds, is_taken)
    }
}

impl OsmRamp {
    /// Makes a straight ramp in the direction of a line, from the height of its foot and the height above it.
    fn along(line: &[Vec2], width: f64, [low, height]: [f64; 2], slope: &f64) -> Option<Self> {
        let length = height.abs() / slope;
        let (begin, mut left) = (*line.first()?, length);
        let mut to = *line.last()?;
        for pair in line.windows(2) {
            let step = pair[0].distance(pair[1]);
            if step >= left {
                to = pair[0].lerp(pair[1], left / step);
                break;
            }
            left -= step;
        }
        let along = (to - begin).try_normalize()?;
        let side = along.perp() * (0.5 * width);
        let foot = begin + along * length;
        let corners = [begin - side, foot - side, foot + side, begin + side];
        Some(Self { corners, along, foot: low, height, length })
    }

    /// Returns the part between two distances from the deck.
    fn part(&self, from: f64, to: f64) -> [Vec2; 4] {
        let [right, .., left] = self.corners;
        [right + self.along * from, right + self.along * to, left + self.along * to, left + self.along * from]
    }

    /// Returns the distance from the deck where the ground has no more clearance.
    fn covered_from(&self) -> f64 {
        self.length * (1.0 - CLEARANCE / self.height.abs()).max(0.0)
    }

    /// Returns the ramp as a floor.
    pub(super) fn floor(&self) -> FloorArea {
        let slope = -self.along * (self.height / self.length);
        let area = PlanArea { outline: self.corners.to_vec(), holes: Vec::new() };
        FloorArea { area, at: Vec3::new(self.corners[1].x, self.corners[1].y, self.foot), slope }
    }

    /// Returns the outline with the landing.
    pub(super) fn with_landing(&self, grid: &PlanGrid) -> GridRing {
        grid.round_ring(&self.part(0.0, self.length + LANDING))
    }

    /// Returns the part of the floor at the foot that has no clearance.
    pub(super) fn cut(&self) -> [Vec2; 4] {
        let [_, right, left, _] = self.corners;
        let [high_right, .., high_left] = self.part(self.covered_from(), self.length);
        // Wider than the ramp, so that no sliver of rounding joins the ground under the deck to the foot.
        let margin = self.along.perp() * MARGIN;
        [high_right - margin, right - margin, left + margin, high_left + margin]
    }

    /// Reports whether a deck is within reach of the ramp.
    fn is_level(&self, deck: f64) -> bool {
        let [low, high] = [self.height.min(0.0), self.height.max(0.0)].map(|height| self.foot + height);
        (low - CLEARANCE..=high + CLEARANCE).contains(&deck)
    }
}
