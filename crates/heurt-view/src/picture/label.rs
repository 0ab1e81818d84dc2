//! Labels of places: short texts in capsules of a colour, which keep clear of each other.
//!
//! In: places, texts, colours, most important first. Out: a dot at each place, a capsule nearby, a line between both.
//! Method: a capsule is tried at growing distances in eight directions, first in the direction away from the middle of
//! all places. It takes the first position within the picture that covers no other capsule and no place.
//! Guarantees: the same labels give the same picture. Not guaranteed: labels that find no free position overlap.
//! Cost: quadratic in the number of labels.

use super::image::{Image, LetterSize};
use crate::palette::Colour;
use heurt_geometry::{Camera, Vec2, Vec3};

/// A label of a place in the world.
#[derive(Debug, Clone)]
pub(super) struct Label {
    pub at: Vec3,
    pub text: String,
    pub colour: Colour,
}

/// Height of a capsule, in pixels.
const HEIGHT: f64 = 20.0;
/// Width of the white border around capsules, lines and dots, in pixels.
const HALO: f64 = 2.0;
/// Radius of the dot at a place, in pixels.
const DOT: f64 = 3.5;
/// Distances of the middle of a capsule from its place, in pixels.
const DISTANCES: [f64; 6] = [30.0, 48.0, 70.0, 96.0, 128.0, 170.0];
const WHITE: Colour = [0xff; 3];
const BLACK: Colour = [0x10, 0x14, 0x18];

/// A capsule: its middle and half its width and height.
#[derive(Debug, Clone, Copy)]
struct Capsule {
    centre: Vec2,
    half: Vec2,
}

impl Capsule {
    /// Reports whether two capsules come nearer than their borders.
    fn meets(&self, other: &Self) -> bool {
        let room = self.half + other.half + Vec2::splat(2.0 * HALO);
        (self.centre - other.centre).abs().cmplt(room).all()
    }

    /// Reports whether the dot of a place would be covered.
    fn covers(&self, place: Vec2) -> bool {
        (self.centre - place).abs().cmplt(self.half + Vec2::splat(DOT + HALO)).all()
    }

    fn is_within(&self, size: Vec2) -> bool {
        let reach = self.half + Vec2::splat(HALO);
        (self.centre - reach).cmpge(Vec2::ZERO).all() && (self.centre + reach).cmple(size).all()
    }
}

/// Draws all labels whose places are in the picture.
pub(super) fn draw_labels(image: &mut Image, camera: &Camera, labels: &[Label]) {
    let [width, height] = image.size().map(|side| side as f64);
    let size = Vec2::new(width, height);
    let is_inside = |place: &Vec2| place.cmpge(Vec2::ZERO).all() && place.cmple(size).all();
    let placed = labels.iter().filter_map(|label| {
        let (place, _) = camera.pixel(label.at, size)?;
        is_inside(&place).then_some((label, place))
    });
    let placed: Vec<(&Label, Vec2)> = placed.collect();
    let places: Vec<Vec2> = placed.iter().map(|(_, place)| *place).collect();
    let middle = places.iter().sum::<Vec2>() / places.len().max(1) as f64;
    let mut capsules: Vec<Capsule> = Vec::with_capacity(placed.len());
    for (label, place) in &placed {
        let half = Vec2::new(0.5 * (LetterSize::Small.width(&label.text) as f64 + 12.0).max(HEIGHT), 0.5 * HEIGHT);
        capsules.push(find_position(*place, half, middle, size, &capsules, &places));
    }
    for ((label, place), capsule) in placed.iter().zip(&capsules) {
        let ends = [place.to_array(), capsule.centre.to_array()];
        image.line(ends, 1.5 + 2.0 * HALO, WHITE);
        image.line(ends, 1.5, label.colour);
        image.line([ends[0]; 2], 2.0 * (DOT + HALO), WHITE);
        image.line([ends[0]; 2], 2.0 * DOT, label.colour);
    }
    for ((label, _), capsule) in placed.iter().zip(&capsules) {
        draw_capsule(image, capsule, label);
    }
}

/// Finds the position of a capsule; the first one of all if none is free.
fn find_position(place: Vec2, half: Vec2, middle: Vec2, size: Vec2, taken: &[Capsule], places: &[Vec2]) -> Capsule {
    /// Cosine and sine of 45°.
    const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let outward = (place - middle).normalize_or(Vec2::new(DIAGONAL, -DIAGONAL));
    let diagonals = [(DIAGONAL, -DIAGONAL), (DIAGONAL, DIAGONAL), (-DIAGONAL, -DIAGONAL), (-DIAGONAL, DIAGONAL)];
    let straight = [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
    let mut directions: Vec<Vec2> = diagonals.into_iter().chain(straight).map(|(x, y)| Vec2::new(x, y)).collect();
    directions.sort_by(|a, b| b.dot(outward).total_cmp(&a.dot(outward)));
    let at = |direction: Vec2, distance: f64| Capsule {
        // A wide capsule moves sideways by its own width, so that the line to it stays visible.
        centre: place + direction * (Vec2::splat(distance) + Vec2::new(half.x - half.y, 0.0)),
        half,
    };
    let is_free = |capsule: &Capsule| {
        capsule.is_within(size)
            && !taken.iter().any(|other| capsule.meets(other))
            && !places.iter().any(|place| capsule.covers(*place))
    };
    let all = DISTANCES.iter().flat_map(|&distance| directions.iter().map(move |direction| at(*direction, distance)));
    let free = all.clone().find(is_free);
    free.or_else(|| all.clone().find(|capsule| capsule.is_within(size))).unwrap_or_else(|| at(outward, DISTANCES[0]))
}

fn draw_capsule(image: &mut Image, capsule: &Capsule, label: &Label) {
    let Capsule { centre, half } = capsule;
    let run = Vec2::new(half.x - half.y, 0.0);
    let ends = [(*centre - run).to_array(), (*centre + run).to_array()];
    image.line(ends, HEIGHT + 2.0 * HALO, WHITE);
    image.line(ends, HEIGHT, label.colour);
    let [red, green, blue] = label.colour.map(f64::from);
    // Rec. 601: black letters on bright colours.
    let ink = if 0.299 * red + 0.587 * green + 0.114 * blue > 140.0 { BLACK } else { WHITE };
    let left = centre.x - 0.5 * LetterSize::Small.width(&label.text) as f64;
    let top = centre.y - 0.5 * LetterSize::Small.height() as f64;
    image.text([left.round() as i64, top.round() as i64], &label.text, LetterSize::Small, ink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_clear_of_each_other_and_of_places() {
        let size = Vec2::new(800.0, 500.0);
        let places: Vec<Vec2> =
            (0..25).map(|k| Vec2::new(380.0 + f64::from(k % 5) * 9.0, 230.0 + f64::from(k / 5) * 9.0)).collect();
        let half = Vec2::new(14.0, 10.0);
        let mut taken: Vec<Capsule> = Vec::new();
        for place in &places {
            let capsule = find_position(*place, half, Vec2::new(398.0, 248.0), size, &taken, &places);
            assert!(capsule.is_within(size));
            assert!(!taken.iter().any(|other| capsule.meets(other)), "{place}");
            assert!(!places.iter().any(|place| capsule.covers(*place)), "{place}");
            taken.push(capsule);
        }
    }
}
