//! Measures against closed forms, and what cells have in common.

use heurt_crowd::measure::{
    CellCutoff, Crossings, DiagramPoint, DiagramSettings, PersonCell, PersonSpeeds, SpeedBorder, SpeedWindow,
    Trajectories, TrajectoryError, TrajectoryFrame, bin_diagram, classic_density, covered_speed, fundamental_diagram,
    lane_order, mean_speed, voronoi_cells, voronoi_cells_of_all, voronoi_density, voronoi_speed, weidmann_flow,
    weidmann_speed,
};
use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
use heurt_geometry::{PlanArea, SplitMix64, Vec2, Vec3};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

fn still(places: &[Vec2]) -> Trajectories {
    Trajectories::from_rows(places.iter().zip(0..).map(|(&place, id)| (id, 0.0, place))).expect("sound")
}

fn cells(floor: &[PlanArea], people: &Trajectories, cutoff: Option<CellCutoff>) -> Vec<PersonCell> {
    voronoi_cells(floor, &people.frames()[0], cutoff).expect("in range")
}

/// Persons at random places of areas.
fn crowd_in(floor: &[PlanArea], count: usize, random: &mut SplitMix64) -> Vec<Vec2> {
    let [low, high] = floor[0].bounds();
    let mut places = Vec::new();
    while places.len() < count {
        let place = v(random.between(low.x, high.x), random.between(low.y, high.y));
        if floor.iter().any(|area| area.contains(place)) {
            places.push(place);
        }
    }
    places
}

#[test]
fn lattice_has_its_density() {
    for (spacing, origin) in [(0.7, Vec2::ZERO), (0.5, v(345_678.25, 5_712_345.5))] {
        let places: Vec<Vec2> = (0..144).map(|k| origin + v(f64::from(k % 12), f64::from(k / 12)) * spacing).collect();
        let margin = Vec2::splat(3.0);
        // A pillar in the margin: cells at the border of the lattice are cut by the overlay.
        let mut hall = PlanArea::rectangle(origin - margin, origin + Vec2::splat(11.0 * spacing) + margin);
        hall.holes.push(PlanArea::rectangle(origin - 2.0, origin - 1.5).outline);
        let expected = 1.0 / (spacing * spacing);
        let found = cells(&[hall], &still(&places), None);
        for k in (0..144).filter(|k| (1..11).contains(&(k % 12)) && (1..11).contains(&(k / 12))) {
            let error = (found[k].density() / expected - 1.0).abs();
            assert!(error < 1e-9, "person {k}: {error}");
        }
        // The box of 8 × 8 cells has that density, too.
        let area = PlanArea::rectangle(origin + Vec2::splat(1.5 * spacing), origin + Vec2::splat(9.5 * spacing));
        assert!((voronoi_density(&found, &area) / expected - 1.0).abs() < 1e-9);
        assert!((classic_density(&still(&places).frames()[0], &area) / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn single_person_has_the_room() {
    let mut room = rectangle(0.0, 0.0, 5.0, 4.0);
    let person = still(&[v(1.0, 2.0)]);
    assert_eq!(cells(&[room.clone()], &person, None)[0].density(), 1.0 / 20.0);
    room.holes.push(rectangle(2.0, 1.0, 3.0, 2.0).outline);
    let cell = &cells(&[room.clone()], &person, None)[0];
    assert!((cell.area - 19.0).abs() < 1e-12 && cell.region.holes.len() == 1);
    assert!((cell.share_in(&rectangle(2.0, 0.0, 3.0, 4.0)) - 3.0 / 19.0).abs() < 1e-12);
    // A wall across the room: the floor behind it belongs to no person.
    let halves = [rectangle(0.0, 0.0, 2.0, 4.0), rectangle(2.1, 0.0, 5.0, 4.0)];
    assert!((cells(&halves, &person, None)[0].area - 8.0).abs() < 1e-12);
    // Outside, and within a pillar.
    for place in [v(-1.0, 1.0), v(2.5, 1.5)] {
        let cell = &cells(&[room.clone()], &still(&[place]), None)[0];
        assert_eq!((cell.density(), cell.region.outline.len(), cell.share_in(&room)), (0.0, 0, 0.0));
    }
}

#[test]
fn persons_at_one_place_or_on_one_line_have_cells() {
    let room = [rectangle(0.0, 0.0, 6.0, 2.0)];
    let found = cells(&room, &still(&[v(1.0, 1.0), v(5.0, 1.0), v(1.0, 1.0), v(3.0, 1.0)]), None);
    assert_eq!(found.iter().map(|cell| cell.area).collect::<Vec<_>>(), [2.0, 4.0, 2.0, 4.0]);
    assert!((voronoi_density(&found, &room[0]) - 4.0 / 12.0).abs() < 1e-15);
    let speeds: Vec<(u32, f64)> = (0..4).map(|id| (id, 1.25)).collect();
    assert!((voronoi_speed(&found, &speeds, &room[0]) - 1.25).abs() < 1e-15);
}

#[test]
fn cells_of_convex_rooms_fill_them() {
    let mut random = SplitMix64::new(11);
    let trapezium = PlanArea { outline: vec![v(0.0, 0.0), v(1.0, 7.0), v(8.0, 6.0), v(9.0, 1.0)], holes: vec![] };
    for room in [rectangle(-3.0, 2.0, 7.0, 9.0), trapezium] {
        for count in [1, 2, 3, 10, 200] {
            let floor = std::slice::from_ref(&room);
            let found = cells(floor, &still(&crowd_in(floor, count, &mut random)), None);
            let sum: f64 = found.iter().map(|cell| cell.area).sum();
            assert!((sum / room.area() - 1.0).abs() < 1e-12, "{count}: {sum}");
            assert_disjoint(&found);
            assert!((voronoi_density(&found, &room) * room.area() - count as f64).abs() < 1e-9);
        }
    }
}

fn assert_disjoint(cells: &[PersonCell]) {
    for (number, a) in cells.iter().enumerate() {
        assert!(a.region.contains(a.position) || a.region.outline.is_empty());
        for b in &cells[..number] {
            let shared = a.share_in(&b.region) * a.area;
            assert!(shared < 1e-12, "{} and {} share {shared} m²", a.id, b.id);
        }
    }
}

/// A hall with pillars and two rooms behind walls.
fn plan() -> Vec<PlanArea> {
    let mut hall = PlanArea {
        outline: [[0.0, 0.0], [12.0, 0.0], [12.0, 5.0], [7.0, 5.0], [7.0, 5.2], [12.0, 5.2], [12.0, 9.0], [0.0, 9.0]]
            .map(Vec2::from_array)
            .to_vec(),
        holes: vec![],
    };
    hall.holes.push(rectangle(2.0, 2.0, 3.0, 3.5).outline);
    hall.holes.push([[4.0, 6.0], [5.0, 5.5], [5.5, 6.5]].map(Vec2::from_array).to_vec());
    vec![hall, rectangle(0.0, 9.2, 12.0, 12.0)]
}

#[test]
fn cells_between_walls_share_nothing() {
    let (floor, mut random) = (plan(), SplitMix64::new(3));
    for count in [1, 5, 40] {
        let people = still(&crowd_in(&floor, count, &mut random));
        let found = cells(&floor, &people, None);
        assert_disjoint(&found);
        let whole: f64 = floor.iter().map(PlanArea::area).sum();
        assert!(found.iter().map(|cell| cell.area).sum::<f64>() <= whole * (1.0 + 1e-12));
        let cutoff = CellCutoff::new(0.8);
        // Twelve triangles.
        let most = 6.0 * 0.8 * 0.8 * (std::f64::consts::PI / 6.0).sin();
        for (cut, cell) in cells(&floor, &people, Some(cutoff)).iter().zip(&found) {
            assert!(cut.area <= most * (1.0 + 1e-12) && cut.area <= cell.area * (1.0 + 1e-12));
            assert!(cut.area > 0.0);
        }
    }
}

#[test]
fn order_of_rows_does_not_matter() {
    let (floor, mut random) = (plan(), SplitMix64::new(8));
    let mut rows: Vec<(u32, f64, Vec2)> = Vec::new();
    for frame in 0..5 {
        let places = crowd_in(&floor, 20, &mut random);
        rows.extend(places.iter().zip(0..).map(|(&place, id)| (id, f64::from(frame), place)));
    }
    let sorted = Trajectories::from_rows(rows.clone()).expect("sound");
    for k in (1..rows.len()).rev() {
        rows.swap(k, (random.unit() * (k + 1) as f64) as usize);
    }
    let shuffled = Trajectories::from_rows(rows).expect("sound");
    assert_eq!(sorted, shuffled);
    let measure = |trajectories: &Trajectories| {
        fundamental_diagram(trajectories, &floor, &rectangle(3.0, 3.0, 9.0, 8.0), &DiagramSettings::default())
            .expect("in range")
    };
    assert_eq!(measure(&sorted), measure(&shuffled));
}

/// Persons in single file, at distances of `spacing` metres, at `speed` m/s, in frames of 0.1 s.
fn queue(count: u32, spacing: f64, speed: f64, frames: u32) -> Trajectories {
    let row = |id: u32, frame: u32| {
        let time = 0.1 * f64::from(frame);
        (id, time, v(speed * time - spacing * f64::from(id), 0.5))
    };
    Trajectories::from_rows((0..frames).flat_map(|frame| (0..count).map(move |id| row(id, frame)))).expect("sound")
}

#[test]
fn uniform_walking_has_its_speed() {
    let people = queue(20, 1.25, 1.3, 40);
    for border in [SpeedBorder::Symmetric, SpeedBorder::OneSided, SpeedBorder::Exclude] {
        let speeds = PersonSpeeds::new(&people, SpeedWindow { reach: 4, border });
        for frame in 0..40 {
            let count = match border {
                SpeedBorder::OneSided => 20,
                SpeedBorder::Symmetric => 20 * usize::from((1..39).contains(&frame)),
                _ => 20 * usize::from((4..36).contains(&frame)),
            };
            assert_eq!(speeds.in_frame(frame).len(), count, "{border:?}, frame {frame}");
            assert!(speeds.in_frame(frame).iter().all(|(_, speed)| (speed - 1.3).abs() < 1e-12));
        }
        let area = rectangle(-10.0, 0.0, -4.0, 1.0);
        let mean = mean_speed(&people.frames()[20], speeds.in_frame(20), &area);
        assert!((mean.expect("persons inside") - 1.3).abs() < 1e-12);
        let floor = [rectangle(-30.0, 0.0, 10.0, 1.0)];
        let found = voronoi_cells_of_all(&floor, &people, None).expect("in range");
        assert!((voronoi_speed(&found[20], speeds.in_frame(20), &area) - 1.3).abs() < 1e-12);
        // Cut off, cells leave gaps: the mean over what they cover stays.
        let cut = cells_at(&floor, &people.frames()[20], Some(CellCutoff::new(0.4)));
        assert!(voronoi_speed(&cut, speeds.in_frame(20), &area) < 1.0);
        let covered = covered_speed(&cut, speeds.in_frame(20), &area);
        assert!((covered.expect("cells") - 1.3).abs() < 1e-12);
    }
    let short = PersonSpeeds::new(&people, SpeedWindow { reach: 40, border: SpeedBorder::OneSided });
    assert!((0..40).all(|frame| short.in_frame(frame).is_empty()));
    let walk = &people.walks()[3];
    assert!((walk.duration() - 3.9).abs() < 1e-12 && (walk.distance() - 3.9 * 1.3).abs() < 1e-12);
    assert!((walk.displacement() - v(3.9 * 1.3, 0.0)).length() < 1e-12);
}

fn cells_at(floor: &[PlanArea], frame: &TrajectoryFrame, cutoff: Option<CellCutoff>) -> Vec<PersonCell> {
    voronoi_cells(floor, frame, cutoff).expect("in range")
}

#[test]
fn queue_has_its_flow() {
    let (spacing, speed) = (0.8, 1.2);
    let people = queue(25, spacing, speed, 300);
    let door = [v(0.45, 0.0), v(0.45, 1.25)];
    let crossings = Crossings::new(&people, door);
    let numbers = crossings.numbers_by_frame();
    for (frame, &number) in numbers.iter().enumerate() {
        let passed = (speed * 0.1 * frame as f64 - 0.45) / spacing;
        assert_eq!(number, (passed + 1.0).floor().clamp(0.0, 25.0) as usize, "frame {frame}");
    }
    let flow = crossings.mean_flow().expect("many crossings");
    assert!((flow - speed / spacing).abs() < 1e-12, "{flow}");
    assert!((crossings.specific_flow(flow) - flow / 1.25).abs() < 1e-15);
    assert_eq!(crossings.flow_between(0.4, 10.4), 1.5);
    assert!(crossings.list().iter().all(|crossing| crossing.is_rightward == crossings.list()[0].is_rightward));
    assert_eq!(Crossings::new(&people, [door[0], v(0.45, 0.4)]).list().len(), 0);
}

#[test]
fn crossings_are_changes_of_side() {
    let walk = |xs: &[f64]| {
        let rows = xs.iter().zip(0..).map(|(&x, k)| (1, f64::from(k), v(x, 0.0)));
        let crossings = Crossings::new(&Trajectories::from_rows(rows).expect("sound"), [v(0.0, -1.0), v(0.0, 1.0)]);
        crossings.list().iter().map(|c| (c.frame, c.time, c.is_rightward)).collect::<Vec<_>>()
    };
    // The last step counts.
    assert_eq!(walk(&[-3.0, -1.0, 3.0]), [(2, 1.25, true)]);
    assert_eq!(walk(&[-1.0, 0.0, -1.0]), []);
    assert_eq!(walk(&[1.0, 0.0, 1.0]), []);
    assert_eq!(walk(&[-1.0, 0.0, 0.0, 1.0]), [(3, 2.0, true)]);
    assert_eq!(walk(&[-1.0, 0.0]), [(1, 1.0, true)]);
    assert_eq!(walk(&[0.0, 0.0]), []);
    assert_eq!(walk(&[0.0, 1.0]), []);
    assert_eq!(walk(&[1.0, -1.0, 1.0]), [(1, 0.5, false), (2, 1.5, true)]);
    let rows = [(1, 0.0, v(-1.0, 0.0)), (1, 1.0, v(1.0, 0.0)), (1, 2.0, v(-1.0, 0.0)), (2, 0.0, v(-1.0, 3.0))];
    let people = Trajectories::from_rows(rows).expect("sound");
    let all = Crossings::new(&people, [v(0.0, -1.0), v(0.0, 1.0)]);
    assert_eq!(all.clone().first_of_each().list().len(), 1);
    assert_eq!(all.clone().in_direction(false).list()[0].frame, 2);
    assert_eq!(all.numbers_by_frame(), [0, 1, 2]);
}

#[test]
fn weidmann_has_its_published_values() {
    for (density, speed) in [(0.5, 1.298), (1.0, 1.058), (1.5, 0.807), (2.0, 0.606), (3.0, 0.331), (4.0, 0.156)] {
        assert!((weidmann_speed(density) - speed).abs() < 5e-4, "{density}");
    }
    assert_eq!([0.0, 5.4, 6.0].map(weidmann_speed), [1.34, 0.0, 0.0]);
    let best =
        (1..540).max_by(|&a, &b| weidmann_flow(0.01 * f64::from(a)).total_cmp(&weidmann_flow(0.01 * f64::from(b))));
    let best = 0.01 * f64::from(best.expect("many"));
    assert!((best - 1.75).abs() < 0.011 && (weidmann_flow(best) - 1.225).abs() < 5e-4, "{best}");
}

#[test]
fn diagram_of_a_queue_is_a_point() {
    let people = queue(40, 0.8, 1.2, 60);
    let floor = [rectangle(-40.0, 0.0, 10.0, 1.0)];
    let points = fundamental_diagram(&people, &floor, &rectangle(-16.0, 0.0, -8.0, 1.0), &DiagramSettings::default());
    let points = points.expect("in range");
    assert_eq!(points.len(), 60);
    for point in &points {
        assert!((point.density - 1.25).abs() < 1e-9 && (point.speed - 1.2).abs() < 1e-9, "{point:?}");
        assert!((point.flow - 1.5).abs() < 1e-9);
    }
    let bins = bin_diagram(&points, 0.1);
    assert_eq!((bins.len(), bins[0].count), (1, 60));
    let point = |density, speed| DiagramPoint { frame: 0, time: 0.0, density, speed, flow: density * speed };
    let bins = bin_diagram(&[point(0.3, 1.0), point(2.0, 0.5), point(0.1, 2.0)], 0.5);
    assert_eq!((bins.len(), bins[0].count, bins[0].density, bins[0].speed), (2, 2, 0.2, 1.5));
    assert!((bins[0].deviation - 0.5_f64.sqrt()).abs() < 1e-15 && bins[1].deviation == 0.0);
}

#[test]
fn lanes_have_order() {
    let mut random = SplitMix64::new(21);
    let places = |lane: fn(u32) -> f64, random: &mut SplitMix64| -> Trajectories {
        let place: Vec<Vec2> = (0..400).map(|id| v(random.between(0.0, 50.0), lane(id))).collect();
        still(&place)
    };
    let order = |people: &Trajectories, direction: Vec2, width: f64| {
        lane_order(&people.frames()[0], |id| id % 2 == 0, direction, width).expect("persons")
    };
    let lanes = places(|id| f64::from(id % 4), &mut random);
    assert_eq!(order(&lanes, Vec2::X, 0.7), 1.0);
    assert_eq!(order(&lanes, -3.0 * Vec2::X, 0.7), 1.0);
    // Each lane has both kinds.
    let mixed = places(|id| f64::from(id / 2 % 4), &mut random);
    assert_eq!(order(&mixed, Vec2::X, 0.7), 0.0);
    // At random places: 1 / n for n persons in a stripe.
    let random = still(&(0..4000).map(|_| v(random.between(0.0, 50.0), random.unit())).collect::<Vec<_>>());
    assert!(order(&random, Vec2::X, 0.5) < 0.005);
    assert_eq!(lane_order(&still(&[v(1.0, 1.0)]).frames()[0], |_| true, Vec2::Y, 1.0), Some(1.0));
    assert_eq!(lane_order(&lanes.frames()[0], |_| true, Vec2::ZERO, 1.0), None);
}

#[test]
fn faulty_rows_are_refused() {
    let rows = |rows: &[(u32, f64, Vec2)]| Trajectories::from_rows(rows.iter().copied());
    assert_eq!(rows(&[(1, 0.0, Vec2::X), (1, -0.0, Vec2::Y)]), Err(TrajectoryError::Twice { id: 1, time: 0.0 }));
    let fault = rows(&[(1, 0.0, Vec2::X), (2, 1.0, v(0.0, f64::NAN))]);
    assert!(matches!(fault, Err(TrajectoryError::NotFinite { id: 2, .. })));
    assert!(matches!(rows(&[(5, f64::NAN, Vec2::X)]), Err(TrajectoryError::NotFinite { id: 5, .. })));
    let mut people = still(&[Vec2::X]);
    assert_eq!(people.push_frame(0.0, []), Err(TrajectoryError::NotLater { time: 0.0, last: 0.0 }));
    assert_eq!(people.push_frame(1.0, []), Ok(()));
}

#[test]
fn crowds_are_measured() {
    let ground = Ground::new([rectangle(0.0, 0.0, 20.0, 2.0)]).expect("sound");
    let group = AgentGroup {
        name: "file".to_owned(),
        start: Start::at((0..5).map(|k| v(1.0 + 1.5 * f64::from(k), 1.0))),
        speed: SpeedLaw::constant(1.3),
        goals: Goals::through([[rectangle(19.0, 0.0, 20.0, 2.0)]]),
        ..AgentGroup::default()
    };
    let mut crowd = Crowd::new(ground, CrowdSettings::default(), vec![group]).expect("sound");
    let mut run = Trajectories::new();
    run.push(&crowd).expect("later");
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
        run.push(&crowd).expect("later");
    }
    assert!(run.push(&crowd).is_err());
    // The line is at the exit, where agents leave with the step that takes them over it.
    let crossings = Crossings::new(&run, [v(19.0, 0.0), v(19.0, 2.0)]);
    assert_eq!(crossings.numbers_by_frame().last(), Some(&5));
    let flow = crossings.mean_flow().expect("five crossings");
    assert!((flow - 1.3 / 1.5).abs() < 0.02, "{flow}");
    let walks = run.walks();
    assert_eq!(walks.len(), 5);
    assert!((walks[4].duration() - 12.0 / 1.3).abs() < 0.1 && (walks[4].distance() - 12.0).abs() < 0.1);
    let report = crowd.report().travel_time.expect("arrived");
    let durations = walks.iter().map(|walk| walk.duration());
    assert!((durations.fold(0.0, f64::max) - report.max).abs() < 1e-9);
}

#[test]
fn surveys_count_all_parts_and_frames_without_speeds() {
    use heurt_crowd::measure::{SurveyError, SurveySettings, survey};
    let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(12.0, 4.0));
    // Two frames: too few for the speeds of windows of five.
    let still = |frames: u32| {
        let places = (0..48_u32).flat_map(move |k| (0..frames).map(move |f| (k, f)));
        let row = |(k, f): (u32, u32)| {
            let place = Vec2::new(f64::from(k % 12) + 0.5, f64::from(k / 12) + 0.5);
            (k, 0.1 * f64::from(f), place)
        };
        Trajectories::from_rows(places.map(row)).unwrap()
    };
    let settings =
        SurveySettings { line: Some([Vec2::new(6.0, 0.0), Vec2::new(6.0, 4.0)]), ..SurveySettings::default() };
    let part = |x: f64| PlanArea::rectangle(Vec2::new(x, 1.0), Vec2::new(x + 2.0, 3.0));
    let short = survey(&still(2), std::slice::from_ref(&hall), &[part(1.0)], &settings).unwrap();
    assert!((short.density.mean - 1.0).abs() < 1e-12 && short.frames.iter().all(|frame| frame.speed.is_none()));
    assert_eq!((short.speed.mean, short.bins.len(), short.line.unwrap().persons), (0.0, 0, 0));
    // Parts count by their size; what two parts share counts once.
    let long = still(20);
    let of = |parts: &[PlanArea]| survey(&long, std::slice::from_ref(&hall), parts, &settings).unwrap();
    let both = of(&[part(1.0), part(2.0), part(8.0)]);
    assert!((both.area - 10.0).abs() < 1e-9 && (both.density.mean - 1.0).abs() < 1e-9);
    assert!(both.frames.iter().all(|frame| frame.speed == Some(0.0)));
    // No person can be outside of the hall: the density would be too low.
    let refused = |parts: &[PlanArea]| survey(&long, std::slice::from_ref(&hall), parts, &settings).unwrap_err();
    let fault = refused(&[part(1.0), part(11.0)]);
    assert!(
        matches!(fault, SurveyError::BeyondFloor { size, near } if (size - 2.0).abs() < 1e-6 && near.x >= 12.0 - 1e-6)
    );
    let shown = fault.to_string();
    assert!(shown.starts_with("the area reaches beyond the floor by 2 m², near (1"), "{shown}");
    // An area that is drawn to a millimetre.
    let edge = PlanArea::rectangle(Vec2::new(10.0, 1.0), Vec2::new(12.0004, 3.0));
    assert!((of(&[edge]).density.mean - 1.0).abs() < 1e-3);
    // One part is what the diagram has, frame by frame.
    let points =
        fundamental_diagram(&long, std::slice::from_ref(&hall), &part(1.0), &DiagramSettings::default()).unwrap();
    let frames = of(&[part(1.0)]).frames;
    assert_eq!(points.len(), frames.len());
    for (point, frame) in points.iter().zip(&frames) {
        assert!(
            (point.density - frame.density).abs() < 1e-12 && Some(point.speed) == frame.speed,
            "{point:?} {frame:?}"
        );
    }
}

#[test]
fn persons_that_come_back_to_a_storey_have_two_walks() {
    // Up at x = 2 m, down at x = 18 m: no person crosses the line at 10 m on this storey.
    let row = |k: u32| {
        let x = f64::from(k);
        (5, 0.5 * x, Vec3::new(x, 1.0, if (3..18).contains(&k) { 3.5 } else { 0.0 }))
    };
    let line = [Vec2::new(10.0, 0.0), Vec2::new(10.0, 2.0)];
    let ground = Trajectories::of_storey((0..21).map(row), Some([-1.0, 1.0])).unwrap();
    assert_eq!(ground.walks().iter().map(|walk| walk.points.len()).collect::<Vec<_>>(), [3, 3]);
    assert!(Crossings::new(&ground, line).list().is_empty());
    let above = Trajectories::of_storey((0..21).map(row), Some([3.0, 4.0])).unwrap();
    assert_eq!(Crossings::new(&above, line).list().len(), 1);
}
