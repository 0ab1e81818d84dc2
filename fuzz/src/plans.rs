//! What must hold for any bytes of plans.

use crate::{MEMORY, PlanKind, Target, check_costs, kind};
use heurt_geometry::FloorArea;
use heurt_io::{PlanError, PlanFormat, parse_wkt_areas, parse_wkt_line, parse_wkt_points, read_plan};
use std::time::Instant;

/// Reads bytes as a plan, and checks that its areas are areas, or its error is of bounded length. Maps that begin with a
/// bracket are XML.
pub fn outcome(plan: PlanKind, bytes: &[u8]) -> String {
    let format = match plan {
        PlanKind::Wkt => PlanFormat::Wkt,
        PlanKind::Osm if bytes.first() == Some(&b'<') => PlanFormat::Osm,
        PlanKind::Osm => PlanFormat::OsmPbf,
    };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = read_plan(bytes, format);
    check_costs(Target::Plan(plan), bytes.len(), before, start);
    if let (PlanKind::Wkt, Ok(text)) = (plan, std::str::from_utf8(bytes)) {
        let _ = (parse_wkt_points(text), parse_wkt_line(text));
        let given = parse_wkt_areas(text);
        assert!(answer.is_err() || given.is_ok(), "what is read as a plan is read as areas");
        check_areas(&given.unwrap_or_default());
    }
    match answer {
        Ok(plan) => {
            check_areas(&plan.walk);
            check_areas(&plan.drive);
            assert!(!plan.walk.is_empty());
            let size = |floors: &[FloorArea]| floors.iter().map(|floor| floor.area.area()).sum::<f64>();
            let [walk, drive] = [size(&plan.walk), size(&plan.drive)];
            assert!(drive <= walk * 1.001, "{drive} of {walk} square metres");
            let warned: String = plan.warnings.iter().map(|warning| format!("{:?}, ", warning.kind)).collect();
            assert!(plan.warnings.iter().all(|warning| warning.to_string().len() < 1000 && warning.count > 0));
            format!("{warned}{} and {} areas", plan.walk.len().min(9), plan.drive.len().min(9))
        }
        Err(error) => {
            let message = error.to_string();
            assert!((10..600).contains(&message.len()), "a message of {} bytes", message.len());
            match &error {
                PlanError::Read(error) => kind(error),
                _ => format!("{:?}", std::mem::discriminant(&error)),
            }
        }
    }
}

fn check_areas(floors: &[FloorArea]) {
    for FloorArea { area, at, slope } in floors {
        assert!(at.is_finite() && slope.is_finite());
        assert!(area.rings().all(|ring| ring.len() >= 3));
        assert!(area.rings().flatten().all(|corner| corner.is_finite()));
    }
}
