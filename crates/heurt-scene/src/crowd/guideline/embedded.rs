//! Embedded files: the scenes and plans of the guideline tests.
//!
//! In: the name of a file. Out: its text. Guarantees: each file of the folder `guidelines` is here once (test).

use crate::files::SceneFiles;
use std::io;
use std::path::Path;

/// Names and texts.
macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../guidelines/", $name)))),*]
    };
}

/// All files, by name.
const FILES: &[(&str, &str)] = embed![
    "big_corner.wkt",
    "cabins.wkt",
    "corner.wkt",
    "corridor_100.wkt",
    "corridor_40.wkt",
    "corridor_60.wkt",
    "corridor_61.wkt",
    "counterflow.wkt",
    "field_100.wkt",
    "field_45x100.wkt",
    "hall_20_2.wkt",
    "hall_20_4.wkt",
    "hall_30_2.wkt",
    "hall_30_4.wkt",
    "hall_30_same_wall.wkt",
    "imo_01.toml",
    "imo_02.toml",
    "imo_03.toml",
    "imo_04.toml",
    "imo_05.toml",
    "imo_06.toml",
    "imo_07.toml",
    "imo_08_000.toml",
    "imo_08_010.toml",
    "imo_08_050.toml",
    "imo_08_100.toml",
    "imo_09_four.toml",
    "imo_09_two.toml",
    "imo_10.toml",
    "imo_11.toml",
    "iso_01_normal.toml",
    "iso_01_uniform.toml",
    "iso_02.toml",
    "iso_03_down.toml",
    "iso_03_up.toml",
    "iso_04.toml",
    "iso_05.toml",
    "iso_07_control.toml",
    "iso_07_disabled.toml",
    "iso_09_open.toml",
    "iso_09_shut.toml",
    "iso_12_w10.toml",
    "iso_12_w12.toml",
    "iso_12_w14.toml",
    "iso_12_w16.toml",
    "iso_12_w18.toml",
    "iso_13_060.toml",
    "iso_13_120.toml",
    "iso_13_240.toml",
    "iso_13_360.toml",
    "iso_13_480.toml",
    "iso_14.toml",
    "iso_15_alone.toml",
    "iso_15_led.toml",
    "iso_16_both.toml",
    "iso_16_one.toml",
    "iso_17.toml",
    "iso_18_clear_025.toml",
    "iso_18_clear_050.toml",
    "iso_18_clear_075.toml",
    "iso_18_clear_100.toml",
    "iso_18_clear_125.toml",
    "iso_18_smoke_025.toml",
    "iso_18_smoke_050.toml",
    "iso_18_smoke_075.toml",
    "iso_18_smoke_100.toml",
    "iso_18_smoke_125.toml",
    "iso_19.toml",
    "ramp_7.wkt",
    "rimea_01.toml",
    "rimea_02.toml",
    "rimea_03.toml",
    "rimea_04_05.toml",
    "rimea_04_1.toml",
    "rimea_04_2.toml",
    "rimea_04_3.toml",
    "rimea_04_4.toml",
    "rimea_04_5.toml",
    "rimea_04_6.toml",
    "rimea_05.toml",
    "rimea_06.toml",
    "rimea_07.toml",
    "rimea_08_050.toml",
    "rimea_08_075.toml",
    "rimea_08_075_010.toml",
    "rimea_08_075_025.toml",
    "rimea_08_100.toml",
    "rimea_09_four.toml",
    "rimea_09_two.toml",
    "rimea_10.toml",
    "rimea_11.toml",
    "rimea_12a_0.toml",
    "rimea_12a_2.toml",
    "rimea_12a_4.toml",
    "rimea_12a_6.toml",
    "rimea_12a_9.toml",
    "rimea_12b_long.toml",
    "rimea_12b_short.toml",
    "rimea_12c.toml",
    "rimea_12d_08.toml",
    "rimea_12d_12.toml",
    "rimea_13_down.toml",
    "rimea_13_up.toml",
    "rimea_14.toml",
    "rimea_15_corner.toml",
    "rimea_15_long.toml",
    "rimea_15_short.toml",
    "rimea_16_06.toml",
    "rimea_16_12.toml",
    "rimea_16_20.toml",
    "rimea_16_28.toml",
    "rimea_16_36.toml",
    "rimea_16_46.toml",
    "rimea_16_56.toml",
    "ring.wkt",
    "room_10.wkt",
    "room_10x15_two_exits.wkt",
    "room_8x5.wkt",
    "stair_10.wkt",
    "stair_11.wkt",
    "stair_12_w10.wkt",
    "stair_12_w12.wkt",
    "stair_12_w14.wkt",
    "stair_12_w16.wkt",
    "stair_12_w18.wkt",
    "stair_13_down.wkt",
    "stair_13_up.wkt",
    "storeys_8.wkt",
    "straight_44.wkt",
    "straight_75.wkt",
    "three_rooms.wkt",
    "two_rooms_0.2.wkt",
    "two_rooms_5.wkt",
    "two_rooms_5_w08.wkt",
    "two_rooms_5_w12.wkt",
    "two_routes.wkt",
    "wide_corridor.wkt",
];

/// The embedded files, for readers of scenes.
#[derive(Debug)]
pub(super) struct Embedded;

impl SceneFiles for Embedded {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let text = path.to_str().and_then(text_of).ok_or(io::ErrorKind::NotFound)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(text.as_bytes()[..text.len().min(most)].to_vec())
    }
}

/// Finds the text of a file.
pub(super) fn text_of(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the names and texts of all scenes and plans, so that they can be written out and run one by one.
///
/// ```
/// let scenes = heurt_scene::guideline::guideline_files().filter(|(name, _)| name.ends_with(".toml"));
/// assert!(scenes.count() > 46);
/// ```
pub fn guideline_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}
