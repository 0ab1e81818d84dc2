//! Sizes of cells: what depends on them, and what does not.

use heurt_crowd::{
    AgentForm, AgentGroup, CellPolicy, Crowd, CrowdFault, CrowdSettings, Goals, Ground, Outline, Start, SteeringModel,
};
use heurt_geometry::{FloorArea, PlanArea, Vec2};
use heurt_map::{CombinatorialMap, Orbit};

const SIZES: [CellPolicy; 4] = [
    CellPolicy::Adaptive,
    CellPolicy::Fixed { side: 8.0 },
    CellPolicy::Fixed { side: 1.0 },
    CellPolicy::Fixed { side: 0.5 },
];

fn area(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(Vec2::new(x0, y0), Vec2::new(x1, y1))
}

fn people(name: &str, from: PlanArea, to: PlanArea) -> AgentGroup {
    let goals = Goals::through([[to]]);
    AgentGroup { name: name.to_owned(), start: Start::within([from], 60), goals, ..AgentGroup::default() }
}

/// Two crowds that meet in a hall, and further groups.
fn hall(model: &str, cells: CellPolicy, others: Vec<AgentGroup>) -> Crowd {
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::from_name(model).expect("a model");
    settings.cells = cells;
    let mut groups = vec![
        people("east", area(0.0, 0.0, 8.0, 10.0), area(19.0, 0.0, 20.0, 10.0)),
        people("west", area(12.0, 0.0, 20.0, 10.0), area(0.0, 0.0, 1.0, 10.0)),
    ];
    groups.extend(others);
    Crowd::new(Ground::new([area(0.0, 0.0, 20.0, 10.0)]).expect("sound"), settings, groups).expect("sound")
}

/// Returns the areas of all cells, in square metres.
fn areas(crowd: &Crowd) -> Vec<f64> {
    let (environment, map) = (crowd.environment(), crowd.environment().map().map());
    let corners = |cell: u32| {
        let darts = map.face_darts(environment.dart(cell).expect("a cell"));
        let corner = |dart| environment.geometry().positions()[map.id(Orbit::Vertex, dart) as usize];
        darts.map(corner).collect::<Vec<Vec2>>()
    };
    let area = |corners: Vec<Vec2>| {
        let sides = (0..corners.len()).map(|k| corners[k].perp_dot(corners[(k + 1) % corners.len()]));
        0.5 * sides.sum::<f64>()
    };
    environment.cells().map(|cell| area(corners(cell))).collect()
}

#[test]
fn fixed_cells_have_their_size_and_keep_it() {
    for side in [8.0, 1.0, 0.5] {
        let mut crowd = hall("orca", CellPolicy::Fixed { side }, Vec::new());
        let before = areas(&crowd);
        assert!(before.iter().all(|&area| area > 0.0 && area <= side * side + 1e-9), "{side}");
        assert!((before.iter().sum::<f64>() - 200.0).abs() < 1e-6, "the cells cover the hall");
        // A cell twice as long would have been refined.
        assert!(side == 8.0 || before.iter().all(|&area| 4.0 * area > side * side), "{side}");
        for _ in 0..20 {
            crowd.step(0.05);
        }
        assert_eq!(areas(&crowd), before);
    }
}

#[test]
fn persons_in_a_hall_move_the_same_in_cells_of_any_size() {
    for model in ["orca", "bubbles"] {
        let hash_in = |cells: CellPolicy| {
            let mut crowd = hall(model, cells, Vec::new());
            (0..80).for_each(|_| crowd.step(0.05));
            crowd.state_hash()
        };
        let hashes = SIZES.map(hash_in);
        assert_eq!(hashes, [hashes[0]; 4], "{model}");
    }
}

#[test]
fn bodies_overlap_nobody_in_cells_of_any_size() {
    for cells in SIZES {
        let corners = [[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]].map(Vec2::from_array);
        let goal = |y: f64| vec![FloorArea::from(area(9.0, y, 11.0, y + 1.0))];
        let cars = AgentGroup {
            name: "cars".to_owned(),
            form: AgentForm::Rigid(Outline::new(corners.to_vec()).expect("sound")),
            start: Start::at([Vec2::new(9.6, 2.0), Vec2::new(10.9, 8.0)]),
            radius: 0.5,
            goals: Goals::Rounds(vec![goal(9.0), goal(0.0)]),
            ..AgentGroup::default()
        };
        let mut crowd = hall("bubbles", cells, vec![cars]);
        for _ in 0..160 {
            crowd.step(0.05);
        }
        let report = crowd.report();
        assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{cells:?}: {report:?}");
        assert_eq!(crowd.environment().clone().validate(), [], "{cells:?}");
    }
}

#[test]
fn cells_of_no_size_are_faults() {
    for side in [0.0, -1.0, 0.1, 1e4, f64::NAN, f64::INFINITY] {
        let mut settings = CrowdSettings::default();
        settings.cells = CellPolicy::Fixed { side };
        let ground = Ground::new([area(0.0, 0.0, 20.0, 10.0)]).expect("sound");
        let faults = Crowd::new(ground, settings, Vec::new()).expect_err("no size");
        assert!(matches!(faults[..], [CrowdFault::BadSetting { what: "cell side", .. }]), "{faults:?}");
    }
}
