//! What must hold for any text of a CSG tree.

use crate::{CsgFormat, MEMORY, Target, check_costs};
use heurt_geometry::Vec3;
use heurt_solid::{Csg, CsgTextError};
use std::time::Instant;

/// Reads a text, and checks that the tree has nodes, answers a point, and reads back from JSON.
pub fn outcome(format: CsgFormat, bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = match format {
        CsgFormat::OpenScad => Csg::from_openscad(text),
        CsgFormat::Json => Csg::from_json(text),
        CsgFormat::Toml => Csg::from_toml(text),
    };
    check_costs(Target::Csg(format), bytes.len(), before, start);
    match answer {
        Ok(tree) => {
            check_tree(&tree);
            format!("{} nodes", tree.node_count())
        }
        Err(error) => {
            // The error of the TOML parser may repeat a line of the text.
            let length = error.to_string().len();
            assert!((10..4096 + bytes.len()).contains(&length), "a message of {length} bytes");
            kind(&error)
        }
    }
}

fn check_tree(tree: &Csg) {
    assert!(tree.node_count() > 0 && tree.depth() <= tree.node_count());
    let inside = tree.contains(Vec3::ZERO);
    if let Ok(bounds) = tree.bounds() {
        assert!(!inside || bounds.contains(Vec3::ZERO), "the box contains the solid");
    }
    match tree.to_json() {
        Ok(text) => {
            let again = Csg::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(again.contains(Vec3::ZERO), inside, "what is written reads back");
        }
        Err(error) => assert!(matches!(error, CsgTextError::NotWritable { .. }), "{error}"),
    }
}

/// Names an error without its values.
fn kind(error: &CsgTextError) -> String {
    match error {
        CsgTextError::Syntax { cause, .. } => {
            cause.chars().filter(|letter| letter.is_ascii_alphabetic() || *letter == ' ').take(24).collect()
        }
        CsgTextError::Wrong { expected, .. } => expected.replace(|letter: char| letter.is_ascii_digit(), ""),
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}
