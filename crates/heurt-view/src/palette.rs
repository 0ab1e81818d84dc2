//! Palette: colours by meaning, after Okabe and Ito, which people with any kind of colour vision can separate.

use heurt_geometry::Meaning;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Vermilion: bodies that come nearer, clashes, faults.
pub const VERMILION: Colour = [0xd5, 0x5e, 0x00];
/// Green: contacts at rest.
pub const GREEN: Colour = [0x00, 0x9e, 0x73];
/// Sky blue: bodies that separate or are near.
pub const SKY: Colour = [0x56, 0xb4, 0xe9];
/// Reddish purple: triangles that intersect, parts inside others.
pub const PURPLE: Colour = [0xcc, 0x79, 0xa7];
/// Blue: normals and separating planes.
pub const BLUE: Colour = [0x00, 0x72, 0xb2];
/// Orange: impulses and swept volumes.
pub const ORANGE: Colour = [0xe6, 0x9f, 0x00];
/// Yellow: parts that touch, notes.
pub const YELLOW: Colour = [0xf0, 0xe4, 0x42];
/// Grey: boxes of the broad phase.
pub const GREY: Colour = [0x80, 0x80, 0x80];

/// Clashes and duplicates of a check, in pictures, reports and mesh files.
pub const CLASH: Colour = VERMILION;
/// Parts inside others, of a check.
pub const INSIDE: Colour = PURPLE;
/// Parts that touch, of a check.
pub const TOUCHING: Colour = YELLOW;
/// Parts nearer than the clearance, of a check.
pub const NEAR: Colour = SKY;
/// Parts of a check that have no finding, where others have one.
pub const UNINVOLVED: Colour = GREY;

/// Colours of pairs that are distinguished from each other, after Okabe and Ito.
const PAIRS: [Colour; 8] = [VERMILION, BLUE, GREEN, PURPLE, ORANGE, SKY, [0x80, 0x50, 0x20], YELLOW];

/// Muted colours of bodies, so that states differ from them.
const BODIES: [Colour; 8] = [
    [0xa8, 0xb8, 0xc8],
    [0xc9, 0xb7, 0x9c],
    [0xa7, 0xbf, 0xa9],
    [0xbf, 0xa9, 0xb8],
    [0x9f, 0xb8, 0xbd],
    [0xc4, 0xbf, 0xa0],
    [0xae, 0xb0, 0xcc],
    [0xc7, 0xaa, 0xa0],
];

/// Colours of tree levels from the root down: viridis, whose brightness falls with the level.
const LEVELS: [Colour; 9] = [
    [0xfd, 0xe7, 0x25],
    [0xb5, 0xde, 0x2b],
    [0x6e, 0xce, 0x58],
    [0x35, 0xb7, 0x79],
    [0x1f, 0x9e, 0x89],
    [0x26, 0x82, 0x8e],
    [0x31, 0x68, 0x8e],
    [0x3e, 0x49, 0x89],
    [0x48, 0x28, 0x78],
];

/// Returns the muted colour of a body or part, by its number.
pub fn body_colour(number: usize) -> Colour {
    BODIES[number % BODIES.len()]
}

/// Returns the colour of a pair of parts, by its number; after eight pairs the colours are repeated.
pub fn pair_colour(number: usize) -> Colour {
    PAIRS[number % PAIRS.len()]
}

/// Returns the colour of a level, from yellow at level 0 to dark violet at level 8 and beyond.
pub fn level_colour(level: usize) -> Colour {
    LEVELS[level.min(LEVELS.len() - 1)]
}

/// Returns a colour as a style sheet has it.
///
/// ```
/// use heurt_view::palette::{CLASH, hex};
/// assert_eq!(hex(CLASH), "#d55e00");
/// ```
pub fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns the colour of a meaning.
pub fn meaning_colour(meaning: Meaning) -> Colour {
    match meaning {
        Meaning::Surface => BODIES[0],
        Meaning::Edge => [0x3a, 0x46, 0x52],
        Meaning::Colliding | Meaning::Fault => VERMILION,
        Meaning::Resting | Meaning::Cell => GREEN,
        Meaning::Separating => SKY,
        Meaning::Intersecting => PURPLE,
        Meaning::Normal | Meaning::Separation | Meaning::Velocity => BLUE,
        Meaning::Impulse | Meaning::Swept | Meaning::Present => ORANGE,
        Meaning::Ring => SKY,
        Meaning::Path => VERMILION,
        Meaning::Reach => PURPLE,
        Meaning::Volume(level) => LEVELS[level as usize % LEVELS.len()],
        Meaning::Level(level) => [0xc8 - 0x14 * level.min(6) as u8; 3],
        Meaning::Note => YELLOW,
        _ => GREY,
    }
}
