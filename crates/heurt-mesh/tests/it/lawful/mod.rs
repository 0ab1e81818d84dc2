//! Repairs, with the checks that every repair passes.

use heurt_mesh::{RepairOptions, Repaired, TriMesh, check, measures, repair};

pub fn repaired(mesh: &TriMesh) -> Repaired {
    repair(mesh, &RepairOptions::default()).unwrap()
}

pub fn volume(mesh: &TriMesh) -> f64 {
    measures(mesh).volume.unwrap()
}

/// Repairs, and checks what must hold of every repair.
pub fn lawful(name: &str, broken: &TriMesh) -> Repaired {
    let result = repaired(broken);
    let (before, after) = (&result.report.before, &result.report.after);
    for ((kind, before), (_, after)) in before.faults.by_kind().iter().zip(&after.faults.by_kind()) {
        // A long hole that is closed in places may become several.
        assert!(
            after <= before || *kind == "hole",
            "{name}: {kind} from {before} to {after}: {:?}",
            result.report.steps
        );
    }
    assert!(after.open_length <= before.open_length * 1.0001, "{name}: {before:?} {after:?}");
    assert!(result.report.settled, "{name}: {:?}", result.report.steps);
    let again = repaired(&result.mesh);
    assert!(again.mesh == result.mesh, "{name}: a second repair changes something: {:?}", again.report.steps);
    assert!(!again.report.has_changed(), "{name}");
    let counts = check(&result.mesh).counts;
    assert_eq!(after.faults.total(), counts.iter().map(|count| count.count).sum::<usize>(), "{name}");
    result
}

/// Repairs a broken copy; the result must be a solid with the volume of the original within `share` of it.
pub fn restored(name: &str, original: &TriMesh, broken: &TriMesh, share: f64) -> Repaired {
    let result = lawful(name, broken);
    assert!(result.report.is_solid(), "{name}: {:#?}", result.report);
    let (wanted, found) = (volume(original), volume(&result.mesh));
    assert!((found - wanted).abs() <= share * wanted.abs(), "{name}: volume {found} instead of {wanted}");
    result
}
