//! The clash check of parts in memory: what is refused, and what a list or a path leaves out.

use heurt_assembly::{
    Assembly, AssemblyError, IgnoreFault, JourneyError, JourneyPath, Search, Selection, find_interferences, travel,
};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate;
use heurt_shape::MeshShape;

fn ball() -> MeshShape {
    MeshShape::new(generate::uv_sphere(1.0, 16).expect("a ball")).expect("a shape")
}

fn at(x: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, 0.0, 0.0)).expect("a place")
}

/// Three balls in a row: the first two overlap, the third is 1 m away.
fn row() -> Assembly {
    Assembly::new(vec![ball()], [("a", 0, at(0.0)), ("b", 0, at(1.5)), ("c", 0, at(4.5))]).expect("three parts")
}

#[test]
fn parts_without_a_shape_or_a_name_are_refused_and_others_placed() {
    let refused = |parts: &[(&str, usize, Pose)]| Assembly::new(vec![ball()], parts.iter().copied()).unwrap_err();
    let no_shape = AssemblyError::NoSuchShape { part: "a".to_owned(), shape: 1, shapes: 1 };
    assert_eq!(refused(&[("a", 1, at(0.0))]), no_shape);
    assert_eq!(refused(&[("a", 0, at(0.0)), ("a", 0, at(3.0))]), AssemblyError::RepeatedName { name: "a".to_owned() });
    let mut assembly = row();
    assembly.place(2, at(1.0)).expect("near");
    let search = Search { selection: &Selection::default(), clearance: None, with_depth: false };
    assert_eq!(find_interferences(&assembly, &search).expect("few pairs").list.len(), 3);
}

#[test]
fn a_clearance_that_is_no_length_is_refused() {
    let assembly = row();
    let find = |clearance| {
        let search = Search { selection: &Selection::default(), clearance: Some(clearance), with_depth: false };
        find_interferences(&assembly, &search)
    };
    for clearance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(find(clearance), Err(AssemblyError::BadClearance { .. })), "{clearance}");
    }
    let near = find(1.1).expect("a length");
    assert_eq!((near.list.len(), near.near.len()), (1, 1));
    assert_eq!(find(0.9).expect("a length").near.len(), 0);
}

#[test]
fn lists_leave_pairs_out_and_report_their_faults() {
    let assembly = row();
    let mut selection = Selection::new(&assembly.parts, &[], &[]).expect("no pattern");
    let faults = selection.ignore_list(&assembly.parts, "# a remark\nx,b\n\"a\n a , b \n,\na,b,c\n\"a\"b\n");
    let wanted = [
        (2, IgnoreFault::NoMatch("x".to_owned())),
        (3, IgnoreFault::OpenQuote),
        (5, IgnoreFault::Empty),
        (6, IgnoreFault::TooMany),
        (7, IgnoreFault::AfterQuote),
    ];
    assert_eq!(faults, wanted);
    let search = Search { selection: &selection, clearance: None, with_depth: true };
    let findings = find_interferences(&assembly, &search).expect("few pairs");
    assert_eq!((findings.list.len(), findings.left_out.listed), (0, 1));
    let unknown = Selection::new(&assembly.parts, &["z*".to_owned()], &[]).unwrap_err();
    assert!(matches!(unknown, AssemblyError::NoSuchPart { name, .. } if name == "z*"));
}

#[test]
fn parts_move_in_any_order_and_meet_in_time() {
    let assembly = row();
    let path = JourneyPath::straight(Vec3::new(2.0, 0.0, 0.0)).expect("a path");
    // The gap of 1 m between b and c is closed in half a second.
    let [one, other] =
        [[0, 1, 1].as_slice(), &[1, 0]].map(|moved| travel(&assembly, moved, &path, || ()).expect("a journey"));
    for journey in [one, other] {
        assert_eq!((journey.moved, journey.still), (2, 1));
        let met = journey.first().expect("b meets c");
        assert_eq!((met.moved, met.still), (1, 2));
        assert!((met.time().expect("a time") - 0.5).abs() < 1e-3);
    }
    let refused = travel(&assembly, &[3], &path, || ()).map(|_| ());
    assert_eq!(refused, Err(JourneyError::NoSuchPart { part: 3, parts: 3 }));
    assert_eq!(JourneyPath::read(serde_json::json!([])).map(|_| ()), Err(JourneyError::Empty));
    let unknown = JourneyPath::read(serde_json::json!({ "speed": 1 })).map(|_| ());
    assert!(matches!(unknown, Err(JourneyError::Field(error)) if error.field() == "motion.speed"));
}
