//! The clash check of parts in memory: what is refused, and what a list or a path leaves out.

use heurt_assembly::{
    Assembly, AssemblyError, Certainty, Findings, IgnoreFault, JourneyError, JourneyPath, Search, Selection,
    find_interferences, poses_at, seek_translations, travel,
};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
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
    let selection = Selection::default();
    let search = Search { with_depth: false, ..Search::new(&selection) };
    assert_eq!(find_interferences(&assembly, &search).expect("few pairs").list.len(), 3);
}

#[test]
fn lengths_that_are_none_are_refused() {
    let assembly = row();
    let find = |clearance| {
        let selection = Selection::default();
        let search = Search { clearance: Some(clearance), with_depth: false, ..Search::new(&selection) };
        find_interferences(&assembly, &search)
    };
    for clearance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(find(clearance), Err(AssemblyError::BadLength { name: "clearance", .. })), "{clearance}");
    }
    let selection = Selection::default();
    for length in [-1.0, f64::NAN] {
        for search in [
            Search { tolerance: Some(length), ..Search::new(&selection) },
            Search { chord_error: Some(length), ..Search::new(&selection) },
        ] {
            let found = find_interferences(&assembly, &search);
            assert!(matches!(found, Err(AssemblyError::BadLength { .. })), "{length}");
        }
    }
    let near = find(1.1).expect("a length");
    assert_eq!((near.list.len(), near.near.len()), (1, 1));
    assert_eq!(find(0.9).expect("a length").near.len(), 0);
}

#[test]
fn translations_that_are_sought_for_the_deepest_only_are_those_of_the_whole_search() {
    let parts = [("a", 0, at(0.0)), ("b", 0, at(1.5)), ("c", 0, at(0.25)), ("d", 0, at(9.0)), ("e", 0, at(9.0))];
    let assembly = Assembly::new(vec![ball()], parts).expect("five parts");
    let selection = Selection::default();
    let whole = find_interferences(&assembly, &Search::new(&selection)).expect("few pairs");
    let search = Search { with_translations: false, ..Search::new(&selection) };
    let mut findings = find_interferences(&assembly, &search).expect("few pairs");
    let locals = |list: &Findings| -> Vec<_> {
        list.list.iter().map(|found| (found.a, found.b, found.depth.as_ref().and_then(|depth| depth.local))).collect()
    };
    assert_eq!((findings.list.len(), locals(&findings)), (4, locals(&whole)));
    assert!(findings.list.iter().all(|found| found.depth.as_ref().expect("a depth").translation.is_none()));
    assert!(whole.list.iter().all(|found| found.depth.as_ref().expect("a depth").translation.is_some()));
    let first = findings.list.clone();
    seek_translations(&assembly, &search, &mut findings, 2, || ());
    assert_eq!((&findings.list[..2], &findings.list[2..]), (&whole.list[..2], &first[2..]));
    seek_translations(&assembly, &search, &mut findings, usize::MAX, || ());
    assert_eq!(findings.list, whole.list);
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
    let search = Search::new(&selection);
    let findings = find_interferences(&assembly, &search).expect("few pairs");
    assert_eq!((findings.list.len(), findings.left_out.listed), (0, 1));
    let unknown = Selection::new(&assembly.parts, &["z*".to_owned()], &[]).unwrap_err();
    assert!(matches!(unknown, AssemblyError::NoSuchPart { name, .. } if name == "z*"));
}

#[test]
fn the_end_of_a_name_is_enough_if_no_other_part_has_it() {
    let names = ["arm/rod_1", "leg/rod_1", "leg/rod_2"];
    let parts = names.into_iter().zip([0.0, 1.5, 3.0]).map(|(name, x)| (name, 0, at(x)));
    let assembly = Assembly::new(vec![ball()], parts).expect("three parts");
    let select = |name: &str| Selection::new(&assembly.parts, &[name.to_owned()], &[]);
    let selection = select("rod_2").expect("one part");
    assert!(selection.is_selected([1, 2]) && !selection.is_selected([0, 1]));
    assert!(select("rod_*").expect("a pattern of ends").is_selected([0, 1]));
    let candidates = "arm/rod_1, leg/rod_1".to_owned();
    assert_eq!(select("rod_1").err(), Some(AssemblyError::AmbiguousPart { name: "rod_1".to_owned(), candidates }));
    let mut selection = Selection::new(&assembly.parts, &[], &[]).expect("no pattern");
    let faults = selection.ignore_list(&assembly.parts, "rod_2,leg/rod_1\nrod_1\n");
    let candidates = "arm/rod_1, leg/rod_1".to_owned();
    assert_eq!(faults, [(2, IgnoreFault::Ambiguous { pattern: "rod_1".to_owned(), candidates })]);
    assert!(selection.is_ignored([2, 1]) && !selection.is_ignored([0, 1]));
}

#[test]
fn parts_are_where_the_path_leads_at_any_time() {
    let assembly = row();
    let path = serde_json::json!([{ "velocity": [1, 0, 0], "duration": 2 },
        { "angular_velocity": [0, 0, std::f64::consts::PI], "duration": 1 }]);
    let path = JourneyPath::read(path).expect("a path");
    let places = |time: f64| -> Vec<Vec3> {
        let poses = poses_at(&assembly, &[0, 1], &path, time).expect("two parts");
        poses.iter().map(|(_, pose)| pose.translation()).collect()
    };
    assert_eq!(places(-1.0), [Vec3::ZERO, Vec3::X * 1.5]);
    assert_eq!(places(0.5), [Vec3::X * 0.5, Vec3::X * 2.0]);
    // Half a turn around the origin of the first part, which is then at x = 2.
    for time in [3.0, 99.0] {
        let [first, second] = *places(time) else { panic!("two places") };
        assert!(first.distance(Vec3::X * 2.0) < 1e-12 && second.distance(Vec3::X * 0.5) < 1e-12, "{first} {second}");
    }
    assert_eq!(poses_at(&assembly, &[7], &path, 0.0).err(), Some(JourneyError::NoSuchPart { part: 7, parts: 3 }));
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

/// A plate with a hole of radius 5, a pin of another number of facets in it, and a second plate in the same place.
fn fits(pin: f64) -> Assembly {
    let shapes = [generate::plate([40.0, 40.0, 10.0], [1, 1], 10.0, 40), generate::cylinder(pin, 30.0, 33)];
    let shapes = shapes.map(|mesh| MeshShape::new(mesh.expect("a part")).expect("a shape"));
    Assembly::new(shapes.into(), [("plate", 0, at(0.0)), ("pin", 1, at(0.0))]).expect("two parts")
}

#[test]
fn a_tolerance_leaves_out_fits_and_nothing_that_is_deeper() {
    let selection = Selection::default();
    let find = |pin: f64, tolerance: Option<f64>| {
        find_interferences(&fits(pin), &Search { tolerance, ..Search::new(&selection) }).expect("one pair")
    };
    let flush = find(5.0, None);
    assert_eq!(flush.within_tessellation().count(), 1, "{flush:?}");
    assert!(flush.list[0].depth.as_ref().is_some_and(|depth| depth.at_most() < 0.05 && depth.translation.is_none()));
    let hidden = find(5.0, Some(0.05));
    assert_eq!((hidden.list.len(), hidden.left_out.shallow), (0, 1));
    // 0.2 too thick, less the sagittas.
    let thick = find(5.2, None);
    let depth = thick.list[0].depth.as_ref().expect("computed");
    assert_eq!(thick.list[0].certainty(), Some(Certainty::Real));
    assert!(depth.local.is_some_and(|local| local.at_least > 0.17 && local.at_most < 0.23), "{depth:?}");
    assert!(depth.translation.is_some(), "along its axis");
    assert_eq!(find(5.2, Some(0.1)).list.len(), 1);
    assert_eq!(find(5.2, Some(0.3)).list.len(), 0);
    // The files may be known to be worse than their angles suggest.
    let coarse = Search { chord_error: Some(0.2), ..Search::new(&selection) };
    let coarse = find_interferences(&fits(5.2), &coarse).expect("one pair");
    assert_eq!(coarse.within_tessellation().count(), 1);
}

#[test]
fn duplicates_have_a_kind_of_their_own_and_stay() {
    let plate =
        || MeshShape::new(generate::plate([40.0, 40.0, 10.0], [1, 1], 10.0, 40).expect("a plate")).expect("a shape");
    // A file may hold a part twice: the volume counts once.
    let twice = || MeshShape::new(TriMesh::merged([plate().mesh(), plate().mesh()]).expect("two")).expect("a shape");
    for (shapes, second, x) in [
        (vec![plate()], 0, 0.0),
        (vec![plate(), plate()], 1, 0.0),
        (vec![plate()], 0, 1e-3),
        (vec![plate(), twice()], 1, 0.0),
    ] {
        let assembly = Assembly::new(shapes, [("one", 0, at(0.0)), ("other", second, at(x))]).expect("two parts");
        let selection = Selection::default();
        let search = Search { tolerance: Some(1.0), ..Search::new(&selection) };
        let findings = find_interferences(&assembly, &search).expect("one pair");
        assert_eq!(findings.count("duplicate"), 1, "{x}: {findings:?}");
        assert_eq!(findings.list[0].certainty(), Some(Certainty::Real));
        assert_eq!(findings.within_tessellation().count(), 0);
    }
    let assembly = Assembly::new(vec![plate()], [("one", 0, at(0.0)), ("other", 0, at(1.0))]).expect("two parts");
    let selection = Selection::default();
    let findings = find_interferences(&assembly, &Search::new(&selection)).expect("one pair");
    assert_eq!(findings.count("clash"), 1, "moved by 1: no duplicate");
}
