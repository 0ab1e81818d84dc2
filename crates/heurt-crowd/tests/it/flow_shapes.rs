//! Flow zones of unusual shapes: over everything, at walls, with holes, over stairs, tiny, over each other.

use crate::flow::{crowd, ground, people, rectangle, run, run_to_the_end};
use heurt_crowd::{Ground, Start};
use heurt_geometry::{FloorArea, PlanArea, SplitMix64, Vec2, Vec3};

/// Runs 30 persons through a corridor of 30 × 4 m with flow zones, for three seeds.
fn pass_corridor(flows: &[PlanArea]) {
    for seed in 1..=3 {
        let group = people("all", Start::within([rectangle(0.0, 0.0, 10.0, 4.0)], 30), rectangle(29.0, 0.0, 30.0, 4.0));
        let mut crowd = crowd(ground(&[rectangle(0.0, 0.0, 30.0, 4.0)], flows), seed, vec![group]);
        run_to_the_end(&mut crowd, 150.0);
    }
}

#[test]
fn a_flow_may_cover_everything() {
    pass_corridor(&[rectangle(-10.0, -10.0, 50.0, 50.0)]);
    pass_corridor(&[rectangle(0.0, 0.0, 30.0, 4.0)]);
}

#[test]
fn a_flow_may_touch_walls_or_nearly_so() {
    pass_corridor(&[rectangle(12.0, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(12.0, 0.001, 20.0, 3.999)]);
    pass_corridor(&[rectangle(12.0, 0.0, 20.0, 2.0)]);
    pass_corridor(&[rectangle(12.0, 1.0, 20.0, 3.0)]);
    // The entry is its door, not the strips along the walls: 100 persons leave by 1 m.
    let floors = [rectangle(0.0, 0.0, 8.0, 5.0), rectangle(8.0, 2.0, 8.2, 3.0), rectangle(8.2, 0.0, 20.0, 5.0)];
    for zone in [rectangle(0.01, 0.01, 7.99, 4.99), rectangle(-1.0, -1.0, 8.25, 6.0)] {
        let group = people("all", Start::within([rectangle(0.5, 0.5, 7.5, 4.5)], 60), rectangle(19.0, 0.0, 20.0, 5.0));
        let mut crowd = crowd(ground(&floors, std::slice::from_ref(&zone)), 1, vec![group]);
        let mut last = 0.0;
        run(&mut crowd, 150.0, |crowd| {
            if crowd.agents().any(|person| person.is_in_flow) {
                last = crowd.time();
            }
        });
        // 59 persons after the first, at 1.225 /s.
        assert!(crowd.is_empty() && last > 59.0 / 1.226, "{zone:?}: {last} s");
    }
}

#[test]
fn start_and_goal_may_be_in_a_flow() {
    pass_corridor(&[rectangle(0.0, 0.0, 11.0, 4.0)]);
    pass_corridor(&[rectangle(25.0, 0.0, 30.0, 4.0)]);
    pass_corridor(&[rectangle(0.0, 0.0, 11.0, 4.0), rectangle(25.0, 0.0, 30.0, 4.0)]);
    // A goal that only touches the flow is outside of it.
    pass_corridor(&[rectangle(15.0, 0.0, 29.0, 4.0)]);
}

#[test]
fn flows_may_lie_next_to_each_other_or_over_each_other() {
    pass_corridor(&[rectangle(10.0, 0.0, 15.0, 4.0), rectangle(15.0, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 20.0, 2.0), rectangle(10.0, 2.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 17.0, 4.0), rectangle(14.0, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 20.0, 4.0), rectangle(12.0, 1.0, 14.0, 2.0)]);
    pass_corridor(&[rectangle(12.0, 1.0, 14.0, 2.0), rectangle(10.0, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 20.0, 4.0), rectangle(10.0, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 15.0, 4.0), rectangle(15.0005, 0.0, 20.0, 4.0)]);
    pass_corridor(&[rectangle(10.0, 0.0, 15.0, 4.0), rectangle(15.002, 0.0, 20.0, 4.0)]);
    // A gap that opens from 0 to 2 mm.
    let wedge = [[15.0, 0.0], [20.0, 0.0], [20.0, 4.0], [15.002, 4.0]].map(Vec2::from_array);
    let wedge = PlanArea { outline: wedge.to_vec(), holes: Vec::new() };
    pass_corridor(&[rectangle(10.0, 0.0, 15.0, 4.0), wedge.clone()]);
    pass_corridor(&[wedge, rectangle(10.0, 0.0, 15.0, 4.0)]);
}

#[test]
fn tiny_flows_let_persons_pass() {
    // Smaller than a person, thinner than a step, too small to count.
    pass_corridor(&[rectangle(15.0, 1.9, 15.2, 2.1)]);
    pass_corridor(&[rectangle(15.0, 0.0, 15.01, 4.0)]);
    pass_corridor(&[rectangle(15.0, 0.0, 15.3, 4.0)]);
    pass_corridor(&[rectangle(15.0, 2.0, 15.01, 2.01)]);
    let stripes: Vec<PlanArea> =
        (0..10).map(|k| 12.0 + f64::from(k)).map(|x| rectangle(x, 0.0, x + 0.5, 4.0)).collect();
    pass_corridor(&stripes);
}

#[test]
fn flows_may_have_holes_and_corners() {
    let hole = |x0: f64, x1: f64| rectangle(x0, 1.0, x1, 3.0).outline.into_iter().rev().collect::<Vec<Vec2>>();
    // Individuals in the hole, between obstacles or free.
    let mut zone = rectangle(11.0, 0.0, 25.0, 4.0);
    zone.holes = vec![hole(14.0, 17.0), hole(19.0, 20.0)];
    pass_corridor(&[zone]);
    let corners = [[12.0, 0.5], [24.0, 0.0], [18.0, 2.0], [25.0, 4.0], [13.0, 3.0], [16.0, 2.0]];
    pass_corridor(&[PlanArea { outline: corners.map(Vec2::from_array).to_vec(), holes: Vec::new() }]);
    // A hole of the floor in the flow.
    let mut floor = rectangle(0.0, 0.0, 30.0, 4.0);
    floor.holes = vec![hole(14.0, 17.0)];
    let group = people("all", Start::within([rectangle(0.0, 0.0, 10.0, 4.0)], 30), rectangle(29.0, 0.0, 30.0, 4.0));
    let mut crowd = crowd(ground(&[floor], &[rectangle(12.0, 0.0, 16.0, 4.0)]), 1, vec![group]);
    run_to_the_end(&mut crowd, 150.0);
}

/// Two storeys of 12 × 4 m, joined by a stair that rises 3 m on 6 m; a part of the upper storey is over
/// the lower one.
fn house() -> Ground {
    let stair = [[12.0, 0.0, 0.0], [18.0, 0.0, 3.0], [18.0, 2.0, 3.0], [12.0, 2.0, 0.0]].map(Vec3::from_array);
    let stair = FloorArea::from_corners(&stair, &[]).expect("flat");
    let upper = [[0.0, 2.0], [18.0, 2.0], [18.0, 0.0], [30.0, 0.0], [30.0, 6.0], [0.0, 6.0]].map(Vec2::from_array);
    let upper = FloorArea::level(PlanArea { outline: upper.to_vec(), holes: Vec::new() }, 3.0);
    Ground::new([FloorArea::level(rectangle(0.0, 0.0, 12.0, 4.0), 0.0), stair, upper]).expect("sound")
}

#[test]
fn flows_reach_over_stairs() {
    let lower = |x0: f64, x1: f64| FloorArea::level(rectangle(x0, 0.0, x1, 4.0), 0.0);
    let corners = [[12.0, 0.0, 0.0], [18.0, 0.0, 3.0], [18.0, 2.0, 3.0], [12.0, 2.0, 0.0]].map(Vec3::from_array);
    let stair = FloorArea::from_corners(&corners, &[]).expect("flat");
    let upper = FloorArea::level(rectangle(18.0, 0.0, 24.0, 6.0), 3.0);
    let over = FloorArea::level(rectangle(0.0, 2.0, 18.0, 6.0), 3.0);
    let zones = [
        vec![stair.clone()],
        vec![lower(6.0, 12.0), stair.clone(), upper.clone()],
        vec![stair, upper],
        vec![over, lower(0.0, 12.0)],
    ];
    for zone in zones {
        for seed in 1..=2 {
            let mut group = people("all", Start::within([lower(0.0, 6.0)], 25), rectangle(0.0, 0.0, 1.0, 1.0));
            let exit = FloorArea::level(rectangle(0.0, 4.0, 1.0, 6.0), 3.0);
            group.goals = heurt_crowd::Goals::through([[exit]]);
            let mut crowd = crowd(house().with_flow(zone.clone()), seed, vec![group]);
            let mut high = 0;
            run(&mut crowd, 300.0, |crowd| {
                high = high.max(crowd.agents().filter(|person| person.is_in_flow).count());
            });
            assert!(crowd.is_empty() && high > 0, "{:?}", crowd.report());
        }
    }
}

#[test]
fn two_parts_of_a_zone_are_two_flows() {
    // A wall divides the zone: 20 persons in its first part do not slow a person in its second.
    let floors = [rectangle(0.0, 0.0, 30.0, 2.0), rectangle(0.0, 3.0, 30.0, 5.0)];
    let goal = |y: f64| rectangle(29.0, y, 30.0, y + 2.0);
    let mut one = people("one", Start::at([Vec2::new(1.0, 4.0)]), goal(3.0));
    one.speed = heurt_crowd::SpeedLaw::constant(1.4);
    let many = people("many", Start::within([rectangle(0.0, 0.0, 8.0, 2.0)], 20), goal(0.0));
    let mut crowd = crowd(ground(&floors, &[rectangle(0.0, 0.0, 30.0, 5.0)]), 1, vec![one, many]);
    let mut first = None;
    run(&mut crowd, 120.0, |crowd| {
        if first.is_none() && crowd.departed().any(|person| person.group == 0) {
            first = Some(crowd.time());
        }
    });
    let time = first.expect("it arrives");
    assert!(crowd.is_empty() && (time - 28.0 / 1.4).abs() <= 0.051, "{time} s");
}

#[test]
fn zones_off_the_floor_do_nothing() {
    let plain = pass_hash(&[]);
    assert_eq!(plain, pass_hash(&[rectangle(100.0, 0.0, 110.0, 4.0)]));
    assert_eq!(plain, pass_hash(&[PlanArea::default()]));
    assert_ne!(plain, pass_hash(&[rectangle(4.0, 0.0, 12.0, 4.0)]));
}

fn pass_hash(flows: &[PlanArea]) -> u64 {
    let group = people("all", Start::within([rectangle(0.0, 0.0, 10.0, 4.0)], 30), rectangle(29.0, 0.0, 30.0, 4.0));
    let mut crowd = crowd(ground(&[rectangle(0.0, 0.0, 30.0, 4.0)], flows), 1, vec![group]);
    (0..100).for_each(|_| crowd.step(0.05));
    crowd.state_hash()
}

#[test]
fn random_zones_let_all_pass() {
    let mut random = SplitMix64::new(17);
    let hole =
        |x0: f64, y0: f64| rectangle(x0, y0, x0 + 2.0, y0 + 3.0).outline.into_iter().rev().collect::<Vec<Vec2>>();
    let mut hall = rectangle(0.0, 0.0, 24.0, 10.0);
    hall.holes = vec![hole(7.0, 1.0), hole(12.0, 6.0), hole(17.0, 3.0)];
    for seed in 0..40 {
        let mut zone = || {
            let middle = Vec2::new(random.between(2.0, 22.0), random.between(0.0, 10.0));
            let reach = random.between(0.1, 6.0);
            let first = random.between(0.0, 6.0);
            // Rays at rising angles: the outline does not cross itself.
            let corner = |k: i32| {
                let angle = first + std::f64::consts::TAU / 7.0 * f64::from(k);
                middle + Vec2::new(libm::cos(angle), libm::sin(angle)) * reach * random.between(0.2, 1.0)
            };
            PlanArea { outline: (0..7).map(corner).collect(), holes: Vec::new() }
        };
        let flows = [zone(), zone(), zone()];
        let east =
            people("east", Start::within([rectangle(0.0, 0.0, 6.0, 10.0)], 15), rectangle(23.0, 0.0, 24.0, 10.0));
        let west = people("west", Start::within([rectangle(20.0, 0.0, 24.0, 10.0)], 8), rectangle(0.0, 0.0, 1.0, 10.0));
        let mut crowd = crowd(ground(std::slice::from_ref(&hall), &flows), seed, vec![east, west]);
        let mut strays = 0;
        run(&mut crowd, 150.0, |crowd| {
            // Zones and individuals agree: no body is deep in a zone.
            let is_inside = |zone: &PlanArea, at: Vec2| {
                let around = [Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y].map(|side| at + 0.01 * side);
                around.iter().all(|&point| zone.contains(point))
            };
            let bodies = crowd.agents().filter(|person| !person.is_in_flow);
            strays += bodies.filter(|body| flows.iter().any(|zone| is_inside(zone, body.position))).count();
        });
        assert!(crowd.is_empty(), "seed {seed}: {} are present, {:?}", crowd.agents().len(), crowd.report());
        assert_eq!(strays, 0, "seed {seed}");
    }
}

/// A zone whose corner is at a pillar: through its right side, 0.2 m wide, no disc fits; persons leave by the top.
#[test]
fn persons_at_a_corner_leave_by_the_side_that_has_room() {
    let mut area = rectangle(0.0, 0.0, 17.0, 4.0);
    let mut hole = rectangle(6.8, 1.2, 8.5, 2.8).outline;
    hole.reverse();
    area.holes.push(hole);
    for (seed, right) in [(1, 6.82), (2, 6.82), (3, 6.82), (3, 6.9), (3, 7.5), (3, 9.0)] {
        for party in [None, Some("family".to_owned())] {
            let ground = Ground::new([area.clone()]).expect("sound");
            let ground = ground.with_flow([rectangle(5.8, 2.0, right, 3.0)]);
            let start = Start::within([rectangle(0.0, 0.0, 4.5, 4.0)], 12);
            let mut group = people("all", start, rectangle(16.0, 0.0, 17.0, 4.0));
            group.social.together = party;
            run_to_the_end(&mut crowd(ground, seed, vec![group]), 100.0);
        }
    }
}
