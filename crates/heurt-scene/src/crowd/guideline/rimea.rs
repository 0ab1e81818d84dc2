//! Catalogue of RiMEA 4.1.1: components (1–7), functions (8), qualities (9–16).
//!
//! In: nothing. Out: names, demands, and what is open. Guarantees: facts and numbers in own words.

use super::storeys;
use super::{
    Guideline, GuidelineTest, corner, corridor, diagram, doors, narrows, population, response, routes, stairs,
};

const GUIDELINE: Guideline = Guideline::Rimea;

pub(super) static TESTS: [GuidelineTest; 16] = [
    GuidelineTest {
        guideline: GUIDELINE,
        number: "1",
        name: "Speed in a corridor",
        demand: "40 m at 1.33 m/s in 26 to 34 s",
        open: "Nothing: body and speed are those of the guideline.",
        check: |trial| corridor::time_within(trial, "rimea_01", [26.0, 34.0]),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "2",
        name: "Speed up a stair",
        demand: "10 m along the slope within the limits of test 1, scaled: 12.3 to 16.0 s",
        open: "The speed. Chosen: 0.610 m/s in plan (Weidmann) on a slope of 30°. The window has the ratio of test 1.",
        check: |trial| corridor::stair_time_within(trial, "rimea_02", [12.3, 16.0]),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "3",
        name: "Speed down a stair",
        demand: "10 m along the slope within the limits of test 1, scaled: 10.8 to 14.1 s",
        open: "The speed. Chosen: 0.694 m/s in plan (Weidmann) on a slope of 30°. The window has the ratio of test 1.",
        check: |trial| corridor::stair_time_within(trial, "rimea_03", [10.8, 14.1]),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "4",
        name: "Fundamental diagram",
        demand: "a diagram for 0.5 to 6 persons/m² in a corridor of 1,000 × 10 m; no limit",
        open: "The diagram: Weidmann's is given with it. The corridor is 80 m long and measured from 10 to 30 s, not 70 s. \
               Radius 0.2 m, at 4 /m² 0.18 m, above 0.15 m. Public tools accept ± 0.10 m/s.",
        check: diagram::wide_corridor,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "5",
        name: "Time before the start",
        demand: "ten persons with times from 10 to 100 s: each starts at its time",
        open: "How times are spread: 10, 20 … 100 s. When a person has started: moved by 5 cm. The tolerance: 0.5 s, as \
               in public tools.",
        check: |trial| response::ten_start_in_time(trial, "rimea_05"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "6",
        name: "Round a corner",
        demand: "twenty persons get round, none goes through a wall",
        open: "The tolerance at walls. Chosen: 1 mm for the centre.",
        check: |trial| corner::all_round_the_corner(trial, "rimea_06"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "7",
        name: "Speeds of a population",
        demand: "speeds of 50 adults that agree with the curve by age; no limit",
        open: "The population: six ages, deviation 19.4 % of the mean, ten seeds. The curve is read off a figure. Public tools \
               accept ± 0.03 m/s for the mean of an age.",
        check: population::speeds_by_age,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "8",
        name: "Study of a parameter",
        demand: "clear times of three storeys with 448 persons by a parameter; no limit",
        open: "The parameter: the speed, and its spread. Heights of 4 m and stairs of two flights are chosen.",
        check: storeys::clear_times,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "9",
        name: "A crowd leaves a large room",
        demand: "a thousand persons: roughly twice the time with two doors of four; no criterion of exclusion",
        open: "The tolerance of the ratio. Public tools see 1.6 to 2.4.",
        check: |trial| doors::hall(trial, ["rimea_09_four", "rimea_09_two"]),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "10",
        name: "Allocation of exits",
        demand: "23 persons of twelve rooms, each by the exit of its room",
        open: "Sizes of rooms, which the figure has without numbers.",
        check: |trial| doors::allocated_exits(trial, "rimea_10"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "11",
        name: "Choice of an exit",
        demand: "most of a thousand persons by the nearer exit, some by the farther",
        open: "How many take the farther exit: one is enough; all must leave. The persons begin in the left part, 14 m wide.",
        check: doors::near_and_far_exit,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "12",
        name: "Bottlenecks",
        demand: "a: time rises with the distance of the goal; b: a longer one takes longer; c: no jam at the second; \
                 d: flow rises with width",
        open: "Lengths and distances. Part a compares the most distant goal with the nearest. Part c compares the largest \
               queues in 2 × 3 m. Means of three seeds.",
        check: narrows::bottlenecks,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "13",
        name: "Fundamental diagram on stairs",
        demand: "speeds by density within the spread of the figure, and faster down than up",
        open: "How much must be within. Here the mean of each bin of 0.2 /m² with three samples, from 0.6 to 1.5 /m², ten seeds. \
               Public tools accept half of all samples.",
        check: stairs::stair_diagram,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "14",
        name: "Choice of a route",
        demand: "a statement: short, long, mixed or configurable",
        open: "All sizes, and the number of persons: 30. Intermediate goals make the route configurable.",
        check: routes::shares_of_routes,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "15",
        name: "A large crowd round a corner",
        demand: "clear time of 500 persons between those of two straight courses",
        open: "The guideline calls this order ideal. Radius 0.18 m, since the start field is dense.",
        check: corner::large_crowd,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "16",
        name: "Diagram of a single file",
        demand: "speeds by density next to the 10 % and 90 % speeds of experiments; no limit",
        open: "The course: a ring of 26.85 m, densities up to 2.1 /m, since bodies are 0.4 m wide. Public tools accept \
               75 % of the bins inside.",
        check: diagram::single_file,
    },
];
