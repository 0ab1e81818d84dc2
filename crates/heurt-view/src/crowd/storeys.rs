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
        let mut storeys: Vec<f64> = Vec::new();
        for level in levels {
            if storeys.last().is_none_or(|last| level - last >= STOREY) {
                storeys.push(level);
            }
        }
        let [low, high] = ground.bounds();
        let size = high - low;
        let pitch = if size.x > size.y { Vec2::new(0.0, 1.1 * size.y) } else { Vec2::new(1.1 * size.x, 0.0) };
        let storey_of = |z: f64| storeys.partition_point(|&storey| storey <= z + 1e-6).saturating_sub(1);
        let offset = |floor: &FloorArea| {
            let storey = storey_of(floor.heights()[0]);
            (pitch * storey as f64).extend(-storeys.get(storey).copied().unwrap_or(0.0))
        };
        let offsets: Vec<Vec3> = floors.iter().map(offset).collect();
        let corners = floors
            .iter()
            .zip(&offsets)
            .flat_map(|(floor, &offset)| floor.area.outline.iter().map(move |&corner| floor.over(corner) + offset));
        let bounds = Aabb::from_points(corners);
        Self { offsets, bounds }
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
