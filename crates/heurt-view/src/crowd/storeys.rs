//! Storeys of a floor plan side by side, so that none hides another one.
//!
//! In: the floors of a crowd. Out: where each floor is drawn. Method: floors are sorted by height; level floors begin
//! storeys, and stairs belong to the storey of their foot.

use heurt_crowd::Ground;
use heurt_geometry::{Aabb, FloorArea, Vec2, Vec3};

/// Level floors this much higher than the last storey begin a new one, in metres: landings between storeys do not.
const STOREY: f64 = 2.0;

/// The places at which floors are drawn.
#[derive(Debug, Clone)]
pub(super) struct Storeys {
    /// By floor: the offset of its storey in the drawing.
    offsets: Vec<Vec3>,
    /// The height of each storey.
    heights: Vec<f64>,
    /// The offset in plan from a storey to the next.
    pitch: Vec2,
    /// The box of all floors, as they are drawn.
    pub bounds: Aabb,
}

impl Storeys {
    /// Places the floors of a ground, the lowest storey first. Wide plans lie behind each other, deep ones side
    /// by side.
    pub fn new(ground: &Ground) -> Self {
        let floors = ground.floors();
        let mut levels: Vec<f64> =
            floors.iter().filter(|floor| floor.slope == Vec2::ZERO).map(|floor| floor.at.z).collect();
        levels.sort_by(f64::total_cmp);
        let mut heights: Vec<f64> = Vec::new();
        for level in levels {
            if heights.last().is_none_or(|last| level - last >= STOREY) {
                heights.push(level);
            }
        }
        let [low, high] = ground.bounds();
        let size = high - low;
        let pitch = if size.x > size.y { Vec2::new(0.0, 1.1 * size.y) } else { Vec2::new(1.1 * size.x, 0.0) };
        let mut storeys = Self { offsets: Vec::new(), heights, pitch, bounds: Aabb::EMPTY };
        storeys.offsets = floors.iter().map(|floor| storeys.offset_of(floor)).collect();
        let corners = floors
            .iter()
            .zip(&storeys.offsets)
            .flat_map(|(floor, &offset)| floor.area.outline.iter().map(move |&corner| floor.over(corner) + offset));
        storeys.bounds = Aabb::from_points(corners);
        storeys
    }

    /// Returns the offset in the drawing of a floor's storey.
    pub fn offset_of(&self, floor: &FloorArea) -> Vec3 {
        let above = self.heights.partition_point(|&storey| storey <= floor.heights()[0] + 1e-6);
        let storey = above.saturating_sub(1);
        (self.pitch * storey as f64).extend(-self.heights.get(storey).copied().unwrap_or(0.0))
    }

    /// Returns where a point of a floor is drawn.
    pub fn place(&self, ground: &Ground, floor: u32, point: Vec2) -> Vec3 {
        ground.floors()[floor as usize].over(point) + self.offsets[floor as usize]
    }

    /// Moves a place in the world to where its floor is drawn.
    pub fn shift(&self, floor: u32, place: Vec3) -> Vec3 {
        place + self.offsets[floor as usize]
    }
}
