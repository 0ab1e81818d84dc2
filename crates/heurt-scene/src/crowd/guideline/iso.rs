//! Catalogue of ISO 20414:2020: tests 1 to 19.
//!
//! In: nothing. Out: names, demands, and what is open. Guarantees: facts and numbers in own words.

use super::{
    Guideline, GuidelineTest, corner, corridor, counterflow, diagram, doors, dose, population, response, routes,
    social, stairs,
};

const GUIDELINE: Guideline = Guideline::Iso;

pub(super) static TESTS: [GuidelineTest; 19] = [
    GuidelineTest {
        guideline: GUIDELINE,
        number: "1",
        name: "Time before evacuation",
        demand: "start times that follow the law assigned; no limit",
        open: "The laws: uniform and normal. Scenes have no log-normal law. Public tools accept p > 0.05 for 60 starts.",
        check: response::times_follow_laws,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "2",
        name: "Speed in a corridor",
        demand: "1.0 m/s over 40 m",
        open: "The tolerance. Chosen: 0.05 m/s, as in public tools.",
        check: |trial| corridor::corridor_speed(trial, "iso_02", 1.0),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "3",
        name: "Speed on stairs",
        demand: "the speed assigned, up and down: 0.5 m/s along the slope",
        open: "The speed. The tolerance: 0.05 m/s, as in public tools. The slope: 30°.",
        check: |trial| corridor::stair_speeds(trial, ["iso_03_up", "iso_03_down"], 0.5),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "4",
        name: "Round a corner",
        demand: "twenty persons get round, none goes through a wall",
        open: "The tolerance at walls. Chosen: 1 mm for the centre, as in public tools.",
        check: |trial| corner::all_round_the_corner(trial, "iso_04"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "5",
        name: "Speeds of a population",
        demand: "speeds of 100 persons that follow the law assigned; no limit",
        open: "The law: normal, 1.2 ± 0.2 m/s. Public tools accept ± 0.05 m/s for mean and deviation, and p > 0.05.",
        check: population::speeds_follow_law,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "6",
        name: "Counter-flow",
        demand: "the time of 100 persons to the second room rises with 0, 10, 50, 100 against them",
        open: "The speeds: those of the panel of IMO 8. A run without an end in 300 s is a jam and fails.",
        check: counterflow::time_rises_with_counterflow,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "7",
        name: "Overtaking on a ramp",
        demand: "24 persons take longer behind a slow, wide person than behind an equal one",
        open: "Speed and radius of that person: 0.4 m/s and 0.4 m. The ramp rises 1 m and halves speeds. Medians of \
               ten seeds.",
        check: counterflow::slow_person_delays,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "8",
        name: "Allocation of exits",
        demand: "23 persons of twelve rooms, each by the exit of its room",
        open: "Sizes of rooms: those of RiMEA 10.",
        check: |trial| doors::allocated_exits(trial, "imo_10"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "9",
        name: "An exit that shuts",
        demand: "an exit shut after 1 s is not used",
        open: "Goals do not change in a run. The run ends after 1 s; a second one begins at that place with one exit.",
        check: doors::exit_that_shuts,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "10",
        name: "Jam before a stair",
        demand: "densities at the exit of the room and at the foot of the stair above that in the corridor",
        open: "The scene of IMO 11 is used. Mean densities in 2 m² while half of the persons are present. Public tools \
               compare peaks.",
        check: stairs::jams_before_stair,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "11",
        name: "Largest flow through a door",
        demand: "100 persons through 1 m at no more than 1.33 persons/(m s)",
        open: "The limit may be another one that a user sets. Here as in IMO 4, over the whole time, \
               the largest of five seeds.",
        check: |trial| doors::door_flow(trial, "imo_04"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "12",
        name: "Flow on stairs by width",
        demand: "the flow rises with the width of the stair, 1.0 to 1.8 m",
        open: "How it rises. Chosen: the slope of a line through five widths is positive.",
        check: stairs::flow_by_width,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "13",
        name: "Flow, density and speed in a corridor",
        demand: "a relation that agrees with the assumptions of the model; no limit",
        open: "The relation. Measured from 2 to 12 s, while the corridor is full. Radius 0.15 m. Public tools accept no \
               speed above 1.05 m/s.",
        check: diagram::corridor_zones,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "14",
        name: "Groups",
        demand: "five persons of a group leave within 10 s, although one of them is slow",
        open: "The speeds: 1.25 and 0.5 m/s. The time runs from the first that leaves to the last.",
        check: social::group_leaves_together,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "15",
        name: "Social influence",
        demand: "an exit is used more often once another person is bound to it",
        open: "How much a person follows: exits of others count half of the time. Twenty drawn places.",
        check: social::exits_of_others_are_used,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "16",
        name: "Affiliation",
        demand: "an exit is used more often by persons that know it",
        open: "What is known: exit 2 alone, against both. Twenty persons.",
        check: social::known_exits_are_used,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "17",
        name: "Route by the layout",
        demand: "most of ten persons take the shorter route",
        open: "The share: more than half. The scene of RiMEA 14 is used, 30 m against 54 m.",
        check: routes::most_take_the_shorter,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "18",
        name: "Speed in smoke",
        demand: "times in clear air and in smoke in the ratio of the speeds: 0.9193 at an extinction of 1 /m",
        open: "The law of speeds: Frantzich and Nilsson. The tolerance: two steps of time. Smoke is a zone with a speed.",
        check: corridor::smoke,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "19",
        name: "Incapacitation",
        demand: "a dose of 1 at the time computed by hand",
        open: "The mixtures: four that public tools have. The tolerance: a step of 0.5 s. The dose is computed \
               along the run, in which the person rests.",
        check: dose::incapacitation,
    },
];
