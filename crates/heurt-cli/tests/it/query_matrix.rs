//! `heurt query`: every question about two shapes, of every kind of shape and every other, apart, about one place, and askew.

use crate::support::Workshop;
use serde_json::{Value, json};

/// Every kind, about 1 in size. All but rings have the origin in common, flat ones as a corner, which no rotation moves; the way out
/// is along x, on the left side of the plane of half-spaces.
fn shapes() -> Vec<(&'static str, Value)> {
    let tetrahedron = json!([[-0.5, -0.4, -0.3], [0.6, -0.3, -0.2], [-0.1, 0.6, -0.3], [0.0, 0.1, 0.5]]);
    let faces = json!([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    let solid = json!({"type": "mesh", "vertices": tetrahedron, "triangles": faces});
    let vertices = json!([[0, 0, 0], [0.5, 0.1, 0.2], [0.2, 0.6, 0.1], [-0.4, 0.3, -0.1]]);
    let sheet = json!({"type": "mesh", "vertices": vertices, "triangles": [[0, 1, 2], [0, 2, 3]]});
    let heights = json!([[0.1, 0.0, -0.1], [0.05, 0.0, 0.2], [0.2, -0.2, 0.1]]);
    let field = json!({"type": "heightfield", "origin": [-0.4, -0.5], "spacing": [0.4, 0.5], "heights": heights});
    let ring = json!({"type": "supertoroid", "r0": 0.5, "r1": 0.2, "n1": 0.8, "n2": 1.2});
    let star = json!({"type": "superellipsoid", "radii": [0.6, 0.5, 0.4], "n1": 3, "n2": 2.5});
    let round = json!({"type": "superellipsoid", "radii": [0.6, 0.5, 0.4], "n1": 0.6, "n2": 1.4});
    let of = |shape: &Value, field: &str, value: Value| {
        let mut shape = shape.clone();
        shape[field] = value;
        shape
    };
    let part = |shape: &Value, x: f64| json!({"shape": shape, "pose": {"translation": [x, 0, 0]}});
    let ball = json!({"type": "sphere", "radius": 0.3});
    let block = json!({"type": "box", "half": [0.5, 0.2, 0.3]});
    let mixed = json!({"type": "compound", "parts": [part(&block, 0.0), part(&ball, 0.5), part(&solid, -0.3)]});
    vec![
        ("sphere", ball),
        ("capsule", json!({"type": "capsule", "radius": 0.3, "half_height": 0.4})),
        ("cylinder", json!({"type": "cylinder", "radius": 0.4, "half_height": 0.5})),
        ("cone", json!({"type": "cone", "radius": 0.5, "half_height": 0.5})),
        ("ellipsoid", json!({"type": "ellipsoid", "radii": [0.6, 0.4, 0.3]})),
        ("half-space", json!({"type": "half_space", "normal": [1, 0, 0], "offset": 0.1})),
        ("point", json!({"type": "point"})),
        ("segment", json!({"type": "segment", "points": [[0, 0, 0], [0.4, 0.5, -0.3]]})),
        ("triangle", json!({"type": "triangle", "points": [[0, 0, 0], [0.5, -0.3, 0.4], [-0.4, 0.3, 0.5]]})),
        ("hull", json!({"type": "hull", "points": tetrahedron})),
        ("flat hull", json!({"type": "hull", "points": [[0, 0, 0], [0.5, 0, 0.3], [0.5, 0.5, 0.3], [0, 0.5, 0]]})),
        ("rounded segment", json!({"type": "segment", "points": [[0, 0, 0], [0.4, 0.5, -0.3]], "margin": 0.2})),
        ("rounded box", of(&block, "margin", json!(0.1))),
        ("box", block),
        ("mesh", solid.clone()),
        ("rounded mesh", of(&solid, "margin", json!(0.1))),
        ("sheet", sheet.clone()),
        ("rounded sheet", of(&sheet, "margin", json!(0.1))),
        ("height field", field.clone()),
        ("rounded height field", of(&field, "margin", json!(0.1))),
        ("superellipsoid", round.clone()),
        ("superellipsoid of triangles", of(&round, "segments", json!(8))),
        ("rounded superellipsoid", of(&round, "margin", json!(0.1))),
        ("star", star.clone()),
        ("rounded star", of(&star, "margin", json!(0.1))),
        ("supertoroid", ring.clone()),
        ("supertoroid of triangles", of(&ring, "segments", json!(8))),
        ("rounded supertoroid", of(&ring, "margin", json!(0.1))),
        ("rounded compound", of(&mixed, "margin", json!(0.1))),
        ("compound", mixed),
    ]
}

/// Turned about x by the angle whose cosine and sine these are, about z by half a turn where it is on the right side: planes across x stay so.
fn pose(is_right: bool, [cosine, sine]: [f64; 2], at: [f64; 3]) -> Value {
    let side = if is_right { -1.0 } else { 1.0 };
    json!({"matrix": [
        [side, 0.0, 0.0, at[0]],
        [0.0, side * cosine, -side * sine, at[1]],
        [0.0, sine, cosine, at[2]],
    ]})
}

/// Two shapes, each where it lies.
struct Pair<'a> {
    names: [&'a str; 2],
    shapes: [&'a Value; 2],
    turns: [[f64; 2]; 2],
    /// Of the second; the first lies at the origin.
    at: [f64; 3],
    is_disjoint: bool,
    meets: Option<bool>,
}

impl Pair<'_> {
    /// A question about the second one moved by `shift`, named first where it is `swapped`.
    fn question(&self, op: &str, shift: [f64; 3], swapped: bool, more: Value) -> Value {
        let at = [0, 1, 2].map(|k| self.at[k] + shift[k]);
        let poses = [pose(false, self.turns[0], [0.0; 3]), pose(true, self.turns[1], at)];
        let (a, b) = if swapped { (1, 0) } else { (0, 1) };
        let mut question =
            json!({"op": op, "a": self.shapes[a], "pose_a": poses[a], "b": self.shapes[b], "pose_b": poses[b]});
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        question
    }

    /// What the second one does while it moves, in either order.
    fn velocity(&self, swapped: bool) -> Value {
        json!({if swapped { "velocity_a" } else { "velocity_b" }: VELOCITY})
    }

    /// A depth that is searched for long: with exact and many-cornered rings and stars only the simplest are asked how deep they are.
    fn is_slow(&self) -> bool {
        let is_slow = |name: &str| name.ends_with("star") || name.contains("supertoroid");
        let is_simple = |name: &str| ["sphere", "point", "box", "half-space"].contains(&name);
        let [a, b] = self.names;
        (is_slow(a) && !(is_simple(b) && self.at == [0.0; 3]) || is_slow(b) && !(is_simple(a) && self.at == [0.0; 3]))
            && !self.is_disjoint
    }

    /// That of a contact comes last, if it is asked.
    fn questions(&self, swapped: bool) -> Vec<Value> {
        let still = |op: &str, more: Value| self.question(op, [0.0; 3], swapped, more);
        let mut questions = vec![
            still("overlap", json!({})),
            still("pairs", json!({})),
            still("distance", json!({})),
            still("cast", self.velocity(swapped)),
        ];
        if !self.is_slow() {
            questions.push(still("contact", json!({"margin": 100})));
        }
        questions
    }
}

/// What roundings leave open of shapes about as large as 1.
const ROOM: f64 = 1e-12;

const VELOCITY: [f64; 3] = [-8.0, 0.1, -0.2];

fn placed<'a>(shapes: &'a [(&'static str, Value)]) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    let is_ring = |name: &str| name.contains("supertoroid");
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let common = (!is_ring(name_a) && !is_ring(name_b)).then_some(true);
            for (at, is_disjoint, meets) in
                [([4.0, 0.3, -0.2], true, Some(false)), ([0.0; 3], false, common), ([0.45, 0.15, 0.25], false, None)]
            {
                let turns = [[0.8, 0.6], [0.28, 0.96]];
                pairs.push(Pair { names: [name_a, name_b], shapes: [a, b], turns, at, is_disjoint, meets });
            }
        }
    }
    pairs
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn vector(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| number(&value[k]))
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn is_between(value: &Value, least: f64, most: f64) -> bool {
    (least..=most).contains(&number(value))
}

fn is_unit(value: &Value) -> bool {
    (length(vector(value)) - 1.0).abs() < 1e-9
}

fn is_point(value: &Value) -> bool {
    length(vector(value)) < 1e3
}

/// What is wrong with an answer, or nothing.
type Wrong = Option<String>;

fn unless(holds: bool, what: &str) -> Wrong {
    (!holds).then(|| what.to_owned())
}

/// The answers to [`Pair::questions`].
struct PairAnswers<'a> {
    overlap: &'a Value,
    pairs: &'a Value,
    distance: &'a Value,
    cast: &'a Value,
    contact: Option<&'a Value>,
}

impl<'a> PairAnswers<'a> {
    fn new(answers: &'a [Value]) -> Self {
        let [overlap, pairs, distance, cast] = [0, 1, 2, 3].map(|k| &answers[k]);
        Self { overlap, pairs, distance, cast, contact: answers.get(4) }
    }

    fn meets(&self) -> bool {
        self.overlap["overlap"] == true
    }

    /// Every field that is due, of its kind and within its range.
    fn malformed(&self) -> Wrong {
        let all = [self.overlap, self.pairs, self.distance, self.cast].into_iter().chain(self.contact);
        let witness = &self.overlap["witness"];
        let is_inside = witness["contained"] == "a" || witness["contained"] == "b";
        let is_witness = is_inside || witness["a"].is_u64() && witness["b"].is_u64();
        let is_positive = number(&self.distance["distance"]) > 0.0;
        let count = self.pairs["pairs"].as_array().map(|pairs| pairs.len() as u64);
        unless(all.into_iter().all(|answer| answer["ok"] == true), "an error")
            .or_else(|| unless(self.overlap["overlap"].is_boolean(), "no overlap"))
            .or_else(|| unless(is_witness == self.meets(), "no witness, or one too many"))
            .or_else(|| unless(count.is_some() && self.pairs["count"].as_u64() == count, "no count"))
            .or_else(|| unless(is_between(&self.distance["distance"], 0.0, 1e3), "no distance"))
            .or_else(|| unless(is_between(&self.distance["error"], 0.0, 1e-3), "no error of the distance"))
            .or_else(|| unless(["point_a", "point_b"].iter().all(|key| is_point(&self.distance[key])), "no points"))
            .or_else(|| unless(is_unit(&self.distance["normal"]) == is_positive, "no normal, or one too many"))
            .or_else(|| unless(self.cast["time"].is_null() || is_impact(self.cast), "no time"))
            .or_else(|| self.contact.and_then(malformed_contact))
    }

    /// What must be so of all answers together.
    fn contradicts(&self) -> Wrong {
        let [distance, error] = ["distance", "error"].map(|key| number(&self.distance[key]));
        let points = ["point_a", "point_b"].map(|key| vector(&self.distance[key]));
        let between = length([0, 1, 2].map(|k| points[1][k] - points[0][k]));
        let meets = self.meets();
        unless(meets == (distance == 0.0), "distance and overlap differ")
            .or_else(|| {
                unless((between - distance).abs() <= error + ROOM, "the points do not have the reported distance")
            })
            .or_else(|| unless(!meets || self.cast["time"] == 0.0, "what meets at the start meets at 0"))
            .or_else(|| unless(meets || self.pairs["count"] == 0, "primitives meet where the shapes do not"))
            .or_else(|| self.contact.and_then(|contact| self.contradicts_contact(contact)))
    }

    fn contradicts_contact(&self, contact: &Value) -> Wrong {
        let [separation, bound, off] = ["separation", "separation_bound", "error"].map(|key| number(&contact[key]));
        let [distance, error] = ["distance", "error"].map(|key| number(&self.distance[key]));
        let meets = self.meets();
        let is_bound = if meets { separation <= bound && bound <= 0.0 } else { bound <= separation };
        unless(meets == (separation <= 0.0), "separation and overlap differ")
            .or_else(|| unless(meets || (distance - separation).abs() <= error + off + ROOM, "two distances"))
            .or_else(|| unless(is_bound, "the bound of the separation is on the wrong side"))
    }

    /// What is told otherwise of the shapes named the other way round.
    fn differs(&self, other: &Self) -> Wrong {
        let same = |of: [&Value; 2], key: &str| {
            let [x, y] = of.map(|answer| number(&answer[key]));
            let error: f64 = of.iter().map(|answer| number(&answer["error"])).sum();
            (x - y).abs() <= error + ROOM
        };
        let [time, upper] =
            ["time", "time_upper"].map(|key| [self, other].map(|pair_answers| number(&pair_answers.cast[key])));
        let both_miss = time.iter().all(|time| time.is_nan());
        let contacts = self.contact.zip(other.contact).map(|(own, other)| [own, other]);
        let same_contact = |key: &str| contacts.is_none_or(|contacts| same(contacts, key));
        unless(self.meets() == other.meets(), "overlap")
            .or_else(|| unless(mirrored(other.pairs) == self.pairs["pairs"], "pairs"))
            .or_else(|| unless(same([self.distance, other.distance], "distance"), "distance"))
            .or_else(|| unless(both_miss || time[0] <= upper[1] && time[1] <= upper[0], "time"))
            .or_else(|| unless(same_contact("separation"), "separation"))
            .or_else(|| unless(same_contact("separation_bound"), "separation_bound"))
            .map(|what| format!("{what} of the pair named the other way round"))
    }
}

/// The pairs of an answer, named the other way round.
fn mirrored(answer: &Value) -> Value {
    let pairs = answer["pairs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut pairs: Vec<[u64; 2]> = pairs.iter().map(|pair| [1, 0].map(|k| pair[k].as_u64().unwrap())).collect();
    pairs.sort_unstable();
    json!(pairs)
}

fn malformed_contact(contact: &Value) -> Wrong {
    let points = contact["contacts"].as_array().map(Vec::as_slice).unwrap_or_default();
    unless(is_between(&contact["separation"], -1e3, 100.0), "no separation")
        .or_else(|| unless(is_between(&contact["separation_bound"], -1e3, 100.0), "no bound"))
        .or_else(|| unless(is_between(&contact["error"], 0.0, 1.0), "no error of the separation"))
        .or_else(|| unless(is_unit(&contact["normal"]), "no normal of the contact"))
        .or_else(|| unless(!points.is_empty() && points.iter().all(is_contact), "no contacts"))
}

fn is_contact(contact: &Value) -> bool {
    is_point(&contact["point"])
        && is_unit(&contact["normal"])
        && is_between(&contact["separation"], -1e3, 100.0)
        && contact["a"].is_u64()
        && contact["b"].is_u64()
}

fn is_impact(cast: &Value) -> bool {
    let [time, upper] = ["time", "time_upper"].map(|key| number(&cast[key]));
    (0.0..=1.0).contains(&time)
        && upper >= time
        && is_point(&cast["point"])
        && (time == 0.0 || is_unit(&cast["normal"]))
}

fn answers(questions: &[Value]) -> Vec<Value> {
    let input: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let found = Workshop::new().feed(&["query"], input).lines();
    assert_eq!(found.len(), questions.len());
    found
}

#[test]
fn every_question_about_every_two_kinds_is_answered() {
    let shapes = shapes();
    let pairs = placed(&shapes);
    let requests: Vec<[Vec<Value>; 2]> =
        pairs.iter().map(|pair| [false, true].map(|swapped| pair.questions(swapped))).collect();
    let all_requests: Vec<Value> = requests.iter().flatten().flatten().cloned().collect();
    let mut found = answers(&all_requests).into_iter();
    let (mut faults, mut meeting, mut checks) = (Vec::new(), 0, Vec::new());
    for (pair, requests) in pairs.iter().zip(&requests) {
        let found = requests.each_ref().map(|questions| found.by_ref().take(questions.len()).collect::<Vec<_>>());
        let pair_answers = found.each_ref().map(|answers| PairAnswers::new(answers));
        let what = format!("{} and {} at {:?}", pair.names[0], pair.names[1], pair.at);
        let fault = pair_answers
            .iter()
            .find_map(PairAnswers::malformed)
            .or_else(|| pair_answers.iter().find_map(PairAnswers::contradicts))
            .or_else(|| pair_answers[0].differs(&pair_answers[1]))
            .or_else(|| unless(pair.meets.is_none_or(|meets| meets == pair_answers[0].meets()), "a wrong answer"));
        if let Some(fault) = fault {
            let lines: String = found.iter().flatten().map(|answer| format!("    {answer}\n")).collect();
            faults.push(format!("{what}: {fault}\n{lines}"));
            continue;
        }
        meeting += usize::from(pair_answers[0].meets());
        checks.extend(aftermath(pair, &pair_answers[0], &what));
    }
    let questions: Vec<Value> = checks.iter().map(|check| check.question.clone()).collect();
    for (check, answer) in checks.iter().zip(answers(&questions)) {
        if !(check.expected)(&answer) {
            faults.push(format!("{}: {answer}\n    {}", check.what, check.question));
        }
    }
    println!(
        "{} questions, {} more about their answers, {meeting} of {} meet",
        all_requests.len(),
        checks.len(),
        pairs.len()
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(meeting > pairs.len() / 3);
}

fn is_polyhedral(name: &str) -> bool {
    let is_flat =
        ["half-space", "point", "segment", "triangle", "box", "mesh", "sheet", "height field"].contains(&name);
    is_flat || name.ends_with("of triangles") || name == "hull" || name == "flat hull"
}

/// A question whether an answer is true.
struct Check {
    what: String,
    question: Value,
    expected: fn(&Value) -> bool,
}

/// Moved apart as told, shapes are apart; moved until they touch, they are apart just before and nearly touch then.
fn aftermath(pair: &Pair<'_>, pair_answers: &PairAnswers<'_>, what: &str) -> Vec<Check> {
    let check = |op: &str, shift: [f64; 3], what_then: &str, expected: fn(&Value) -> bool| Check {
        what: format!("{what}, {what_then}"),
        question: pair.question(op, shift, false, json!({})),
        expected,
    };
    if pair_answers.meets() {
        let Some(contact) = pair_answers.contact else { return Vec::new() };
        // Curved shapes may answer either way within 16 ε of the largest coordinate, and none of these is above 2 m.
        let room = if pair.names.iter().all(|name| is_polyhedral(name)) { 0.0 } else { 16.0 * f64::EPSILON * 2.0 };
        let (normal, depth) = (vector(&contact["normal"]), room - number(&contact["separation"]));
        let away = normal.map(|component| component * depth);
        return vec![check("overlap", away, "moved apart", |answer| answer["overlap"] == false)];
    }
    let Some(time) = pair_answers.cast["time"].as_f64() else { return Vec::new() };
    let after = |time: f64| VELOCITY.map(|speed| speed * time);
    vec![
        check("overlap", after(time - 1e-9), "before the impact", |answer| answer["overlap"] == false),
        check("distance", after(number(&pair_answers.cast["time_upper"])), "at the impact", |answer| {
            number(&answer["distance"]) < 1e-5
        }),
    ]
}
