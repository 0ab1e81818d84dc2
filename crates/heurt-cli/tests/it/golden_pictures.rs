//! Pictures of `--picture` and of `heurt solid render` against golden images with a tolerance. `HEURT_UPDATE_GOLDEN=1`
//! writes the images again: check each by eye before it is committed.

use crate::support::Workshop;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Difference of a channel, of 255, above which a pixel counts as another one: more than an edge moves that is rounded
/// otherwise.
const ANOTHER: u8 = 48;
/// Largest share of such pixels: the outline of a picture of 320 by 200 has some 1,000 of 64,000 pixels.
const MAX_SHARE: f64 = 0.004;
/// Largest mean difference of the channels, of 255.
const MAX_MEAN: f64 = 0.5;

/// Reads a picture: width, height, and three bytes for each pixel.
fn read(path: &Path) -> ([u32; 2], Vec<u8>) {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.bit_depth, png::BitDepth::Eight, "{}", path.display());
    assert_eq!(info.color_type, png::ColorType::Rgb, "{}", path.display());
    bytes.truncate(info.buffer_size());
    ([info.width, info.height], bytes)
}

/// Returns the share of pixels that differ, and the mean difference of the channels.
fn difference(a: &[u8], b: &[u8]) -> [f64; 2] {
    let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > ANOTHER);
    let others = a.chunks(3).zip(b.chunks(3)).filter(|pixels| differs(*pixels)).count();
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    [others as f64 / (a.len() / 3) as f64, sum / a.len() as f64]
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.png"))
}

#[test]
fn pictures_are_those_of_the_golden_images() {
    let shop = Workshop::new();
    assert_eq!(shop.run(&["make", "demo", "-o", "g.glb"]).code, Some(0));
    assert_eq!(shop.run(&["make", "torus", "-o", "t.obj"]).code, Some(0));
    let kitchen = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/kitchen.toml");
    let stack = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/stack.toml");
    shop.file(
        "tree.json",
        r#"{"difference": [
            {"union": [
                {"type": "box", "half": [1, 1, 0.5]},
                {"at": {"translation": [1, 0, 0.2]}, "of": {"type": "box", "half": [0.7, 0.5, 0.3]}},
                {"at": {"translation": [-0.4, -0.3, 0.5]}, "of":
                    {"type": "superellipsoid", "radii": [0.5, 0.5, 0.6], "n1": 0.5, "n2": 0.5}}]},
            {"at": {"translation": [0.5, -0.75, 0]}, "of": {"type": "box", "half": [0.25, 0.25, 0.5]}},
            {"at": {"translation": [0.4, 0.4, 0]}, "of": {"type": "cylinder", "radius": 0.3, "half_height": 1}}]}"#,
    );
    let cases: [(&str, &[&str]); 6] = [
        ("clashes", &["check", "g.glb", "--exit-zero"]),
        ("mesh", &["inspect", "t.obj"]),
        ("assembly_from_the_right", &["view", "g.glb", "--picture-from", "right"]),
        ("kitchen", &["run", kitchen, "--steps", "60"]),
        ("stack", &["run", stack, "--steps", "30"]),
        ("tree", &["solid", "render", "tree.json"]),
    ];
    let is_update = std::env::var_os("HEURT_UPDATE_GOLDEN").is_some();
    for (name, arguments) in cases {
        let picture = if arguments[0] == "solid" { "--output" } else { "--picture" };
        let all = [arguments, &[picture, "p.png", "--picture-size", "320x200", "-q"]].concat();
        let run = shop.run(&all);
        assert_eq!(run.code, Some(0), "{name}: {}", run.err);
        if is_update {
            fs::create_dir_all(golden(name).parent().unwrap()).unwrap();
            fs::copy(shop.path().join("p.png"), golden(name)).unwrap();
            continue;
        }
        let ((size, pixels), (golden_size, golden_pixels)) = (read(&shop.path().join("p.png")), read(&golden(name)));
        assert_eq!(size, golden_size, "{name}");
        let [share, mean] = difference(&pixels, &golden_pixels);
        assert!(
            share <= MAX_SHARE && mean <= MAX_MEAN,
            "{name}: {share:.4} of the pixels differ, {mean:.2} in the mean"
        );
    }
}

#[test]
fn the_tolerance_notices_a_part_that_moved() {
    let shop = Workshop::new();
    for (name, pose) in [("a.png", "5,0,0"), ("b.png", "5.3,0,0")] {
        assert_eq!(shop.run(&["make", "box", "--half", "1,1,1", "-o", "a.obj"]).code, Some(0));
        let arguments =
            ["check", "a.obj", "a.obj", "--pose-b", pose, "--picture", name, "--picture-size", "320x200", "-q"];
        assert_eq!(shop.run(&arguments).code, Some(0));
    }
    let [a, b] = ["a.png", "b.png"].map(|name| read(&shop.path().join(name)).1);
    let [share, mean] = difference(&a, &b);
    assert!(share > MAX_SHARE && mean > MAX_MEAN, "{share} {mean}");
}
