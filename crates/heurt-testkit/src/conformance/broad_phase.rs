//! Conformance suite of broad phases, run by the tests of each implementation.
//!
//! In: a function that makes an empty broad phase. Out: a panic with seed, step and difference, or nothing.
//! Method: random worlds in which objects come, go, move, jump, change filters. After each step the pairs, and the
//! pairs that began and ended, are compared with a double loop over the boxes in a map; so are queries, run before and
//! after the step. Coordinates are small integers for some objects, so that equal ones are frequent; boxes are points,
//! plates, huge, tiny, half-spaces. The occurrence of each case is counted and asserted, too. Worlds of 12 and one
//! style of 60 objects take 10,000 steps, larger ones the number that a double loop permits in seconds.
//! `HEURT_BROAD_STEPS=10000` gives all of them this number (minutes).

use crate::number::random::Random;
use heurt_broad::{BroadPhase, BroadPhaseError, Filter, Mobility, Move, Pair, ProxyId, Ray, RayHit};
use heurt_geometry::{Aabb, Vec3};
use std::collections::BTreeMap;

/// The parameters of a world.
#[derive(Debug, Clone, Copy)]
struct Style {
    objects: usize,
    steps: usize,
    /// Half the edge of the room.
    reach: f64,
    /// Offset of all coordinates.
    offset: f64,
    /// In one of this many steps all objects move, else a few.
    all_move: u64,
    /// Motion, in edges of boxes.
    motion: f64,
}

const STYLES: [Style; 6] = [
    Style { objects: 12, steps: 10_000, reach: 5.0, offset: 0.0, all_move: 3, motion: 0.3 },
    Style { objects: 60, steps: 10_000, reach: 8.0, offset: 0.0, all_move: 2, motion: 0.02 },
    Style { objects: 60, steps: 400, reach: 8.0, offset: 3.0e9, all_move: 2, motion: 0.2 },
    Style { objects: 250, steps: 150, reach: 14.0, offset: -700.0, all_move: 2, motion: 0.05 },
    Style { objects: 250, steps: 80, reach: 300.0, offset: 0.0, all_move: 1, motion: 1.0 },
    Style { objects: 1_500, steps: 40, reach: 20.0, offset: 0.0, all_move: 1, motion: 0.03 },
];

/// Runs the whole suite.
pub fn conform(make: &dyn Fn() -> Box<dyn BroadPhase>) {
    for (seed, style) in STYLES.into_iter().enumerate() {
        let steps = crate::test_size("HEURT_BROAD_STEPS", style.steps as u64) as usize;
        walk(make(), Style { steps, ..style }, seed as u64 + 1);
    }
    many_arrive_and_leave(make());
    errors_change_nothing(make());
    an_id_that_comes_back(make());
}

/// The expected state.
#[derive(Debug, Default)]
struct Model {
    objects: BTreeMap<ProxyId, (Aabb, Filter)>,
    pairs: Vec<Pair>,
    seen: Seen,
}

/// Counts of cases.
#[derive(Debug, Default)]
struct Seen {
    insertions: usize,
    removals: usize,
    returns: usize,
    filters: usize,
    jumps: usize,
    /// Number of steps in which two boxes began at the same place; `half_spaces`: in which there was a half-space.
    equal: usize,
    half_spaces: usize,
}

impl Seen {
    /// Checks that each case occurred often enough for this number of steps.
    fn check(&self, steps: usize, context: &str) {
        let Self { insertions, removals, returns, filters, jumps, equal, half_spaces } = *self;
        let least = [insertions, removals, 4 * returns, filters, jumps, equal, half_spaces].into_iter().min();
        assert!(least >= Some(steps / 40), "{context}: {self:?}");
    }
}

impl Model {
    fn true_pairs(&self) -> Vec<Pair> {
        let all: Vec<_> = self.objects.iter().collect();
        let mut pairs = vec![];
        for (place, (a, (box_a, filter_a))) in all.iter().enumerate() {
            for (b, (box_b, filter_b)) in &all[place + 1..] {
                if box_a.overlaps(box_b) && filter_a.meets(filter_b) {
                    pairs.push(Pair { a: **a, b: **b });
                }
            }
        }
        pairs
    }

    /// Steps both and compares.
    fn check_step(&mut self, phase: &mut dyn BroadPhase, context: &str) {
        let now = self.true_pairs();
        let only = |these: &[Pair], those: &[Pair]| -> Vec<Pair> {
            these.iter().copied().filter(|pair| those.binary_search(pair).is_err()).collect()
        };
        let (begun, ended) = (only(&now, &self.pairs), only(&self.pairs, &now));
        let changes = phase.step();
        assert_eq!(changes.begun, begun, "begun, {context}");
        assert_eq!(changes.ended, ended, "ended, {context}");
        assert_eq!(phase.pairs(), now, "pairs, {context}");
        assert_eq!(phase.stats().proxies, self.objects.len(), "{context}");
        self.pairs = now;
    }

    /// Counts the cases of the current state.
    fn look(&mut self) {
        self.seen.half_spaces += usize::from(self.objects.values().any(|(bounds, _)| is_half_space(bounds)));
        let mut starts: Vec<u64> = self.objects.values().map(|(bounds, _)| bounds.min.x.to_bits()).collect();
        starts.sort_unstable();
        self.seen.equal += usize::from(starts.windows(2).any(|two| two[0] == two[1]));
    }

    fn check_questions(&self, phase: &dyn BroadPhase, random: &mut Random, style: &Style, context: &str) {
        let mask = if random.one_in(2) { u32::MAX } else { random.bits() as u32 & 7 };
        let region = draw_box(random, style);
        let mut found = vec![];
        phase.query_box(&region, mask, &mut found).expect("a region");
        let wanted = |(id, (bounds, filter)): (&ProxyId, &(Aabb, Filter))| {
            (bounds.overlaps(&region) && filter.group & mask != 0).then_some(*id)
        };
        assert_eq!(found, self.objects.iter().filter_map(wanted).collect::<Vec<_>>(), "box {region:?}, {context}");

        let ray = draw_ray(random, style);
        let mut hits = vec![];
        phase.query_ray(&ray, mask, &mut hits).expect("a ray");
        let met = |(id, (bounds, filter)): (&ProxyId, &(Aabb, Filter))| {
            let entry = ray.entry(bounds).filter(|_| filter.group & mask != 0)?;
            Some(RayHit { id: *id, t: entry })
        };
        let mut right: Vec<RayHit> = self.objects.iter().filter_map(met).collect();
        right.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.id.cmp(&y.id)));
        assert_eq!(hits, right, "{ray:?}, {context}");
        for (id, (bounds, filter)) in &self.objects {
            assert_eq!(phase.proxy(*id), Some((*bounds, *filter)), "{context}");
        }
    }
}

fn draw_number(random: &mut Random, style: &Style) -> f64 {
    let x = random.between(-style.reach, style.reach);
    style.offset + if random.one_in(2) { x.round() } else { x }
}

fn draw_edge(random: &mut Random, style: &Style) -> f64 {
    match random.whole(0, 19) {
        0 => 0.0,
        1 => 1e-12,
        2 => style.reach,
        3 => random.between(0.0, 6.0),
        4..=11 => 1.0,
        _ => random.between(0.3, 1.2),
    }
}

const EVERYTHING: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

fn is_half_space(bounds: &Aabb) -> bool {
    let ends = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
    ends.filter(|x| x.is_finite()).count() == 1
}

/// Draws a box of any kind.
fn draw_box(random: &mut Random, style: &Style) -> Aabb {
    let min = Vec3::from_array([0.0; 3].map(|_: f64| draw_number(random, style)));
    let edge = draw_edge(random, style);
    let edges = if random.one_in(3) { [0.0; 3].map(|_: f64| draw_edge(random, style)) } else { [edge; 3] };
    let mut bounds = Aabb { min, max: min + Vec3::from_array(edges) };
    if random.one_in(60) {
        // A half-space.
        let (k, above) = (random.whole(0, 2) as usize, random.one_in(2));
        let face = if above { bounds.min[k] } else { bounds.max[k] };
        bounds = EVERYTHING;
        (if above { &mut bounds.min } else { &mut bounds.max })[k] = face;
    } else if random.one_in(60) {
        // A half-space, a slab, a column, everything.
        for k in 0..3 {
            if random.one_in(2) {
                bounds.min[k] = f64::NEG_INFINITY;
            }
            if random.one_in(2) {
                bounds.max[k] = f64::INFINITY;
            }
        }
    }
    if random.one_in(200) {
        bounds = Aabb { min: bounds.min.min(Vec3::splat(-1e300)), max: bounds.max.max(Vec3::splat(1e40)) };
    }
    bounds
}

fn draw_ray(random: &mut Random, style: &Style) -> Ray {
    let origin = Vec3::from_array([0.0; 3].map(|_: f64| draw_number(random, style)));
    let mut direction = random.vector(1.0);
    for k in 0..3 {
        if random.one_in(4) {
            direction[k] = 0.0;
        }
    }
    if direction == Vec3::ZERO {
        direction = Vec3::X * 3.0;
    }
    let max_t = if random.one_in(2) { f64::INFINITY } else { random.between(0.0, style.reach) };
    Ray { origin, direction, max_t }
}

fn draw_filter(random: &mut Random) -> Filter {
    let mobility = if random.one_in(4) { Mobility::Static } else { Mobility::Moving };
    match random.one_in(3) {
        true => Filter { group: random.bits() as u32 & 7, mask: random.bits() as u32 & 7, mobility },
        false => Filter { group: 1, mask: u32::MAX, mobility },
    }
}

fn draw_id(random: &mut Random, model: &Model) -> Option<ProxyId> {
    let count = model.objects.len() as i64;
    (count > 0).then(|| *model.objects.keys().nth(random.whole(0, count - 1) as usize).expect("below the count"))
}

/// Steps a random world.
fn walk(mut phase: Box<dyn BroadPhase>, style: Style, seed: u64) {
    let mut random = Random::new(seed);
    let mut model = Model::default();
    let mut velocities: BTreeMap<ProxyId, Vec3> = BTreeMap::new();
    for step in 0..style.steps {
        let context = format!("{:?} seed {seed} step {step}", phase.kind());
        let fresh = if step == 0 { style.objects } else { random.whole(0, 2) as usize };
        for _ in 0..fresh {
            let id = random.whole(0, 2 * style.objects as i64) as ProxyId;
            let (bounds, filter) = (draw_box(&mut random, &style), draw_filter(&mut random));
            if model.objects.len() <= style.objects && !model.objects.contains_key(&id) {
                phase.insert(id, &bounds, filter).expect("a free id");
                model.objects.insert(id, (bounds, filter));
                model.seen.insertions += 1;
                velocities.insert(id, random.vector(style.motion));
            }
        }
        change_some(&mut *phase, &mut model, &mut random, &style);
        move_some(&mut *phase, &mut model, &mut velocities, &mut random, &style);
        let queries = style.objects < 100 || step % 8 == 0;
        if queries && random.one_in(2) {
            model.check_questions(&*phase, &mut random, &style, &context);
        }
        model.check_step(&mut *phase, &context);
        model.look();
        if queries {
            model.check_questions(&*phase, &mut random, &style, &context);
        }
        if step % 50 == 0 {
            assert_eq!(phase.validate(), [], "{context}");
        }
    }
    if style.steps >= 1_000 {
        model.seen.check(style.steps, &format!("{:?} seed {seed}", phase.kind()));
    }
}

/// Removes objects, restores some, and sets new filters.
fn change_some(phase: &mut dyn BroadPhase, model: &mut Model, random: &mut Random, style: &Style) {
    while model.objects.len() > style.objects || random.one_in(6) {
        let Some(id) = draw_id(random, model) else { return };
        phase.remove(id).expect("it is there");
        let (bounds, filter) = model.objects.remove(&id).expect("it is there");
        model.seen.removals += 1;
        if random.one_in(4) {
            let bounds = if random.one_in(2) { bounds } else { draw_box(random, style) };
            let filter = if random.one_in(2) { filter } else { draw_filter(random) };
            phase.insert(id, &bounds, filter).expect("it was removed");
            model.seen.returns += 1;
            model.objects.insert(id, (bounds, filter));
        }
    }
    if random.one_in(8)
        && let Some(id) = draw_id(random, model)
    {
        let filter = draw_filter(random);
        model.seen.filters += 1;
        phase.set_filter(id, filter).expect("it is there");
        model.objects.get_mut(&id).expect("it is there").1 = filter;
    }
}

/// Moves objects: coherently for most, by jumps for some, integers to integers.
fn move_some(
    phase: &mut dyn BroadPhase,
    model: &mut Model,
    velocities: &mut BTreeMap<ProxyId, Vec3>,
    random: &mut Random,
    style: &Style,
) {
    let all = random.one_in(style.all_move);
    let mut moves = vec![];
    for (&id, (bounds, filter)) in &mut model.objects {
        let turn = random.whole(0, 99);
        let stays = filter.mobility == Mobility::Static && turn != 1;
        if stays || !(all || random.one_in(8)) {
            continue;
        }
        let velocity = velocities.entry(id).or_insert(Vec3::X * 0.01);
        model.seen.jumps += usize::from(turn < 6);
        *bounds = match turn {
            0 | 1 => draw_box(random, style),
            2..=5 => {
                *velocity = -*velocity;
                let jump = Vec3::new(random.whole(-1, 1) as f64, random.whole(-1, 1) as f64, 0.0);
                Aabb { min: bounds.min + jump, max: bounds.max + jump }
            }
            6 => *bounds,
            7 => bounds.grown_to((bounds.centre() + bounds.half_extents() * 1.1).min(Vec3::splat(1e300))),
            _ => Aabb { min: bounds.min + *velocity, max: bounds.max + *velocity },
        };
        moves.push(Move { id, bounds: *bounds });
    }
    // Twice in one list: the later one counts.
    if let Some(last) = moves.last().copied()
        && random.one_in(5)
    {
        moves.insert(0, Move { bounds: draw_box(random, style), ..last });
    }
    phase.update(&moves).expect("boxes of objects that are there");
}

/// Inserts thousands at once, removes nearly all, then inserts thousands again.
fn many_arrive_and_leave(mut phase: Box<dyn BroadPhase>) {
    let mut random = Random::new(99);
    let style = Style { objects: 1_000, steps: 0, reach: 16.0, offset: 0.0, all_move: 1, motion: 0.0 };
    let mut model = Model::default();
    for round in 0..6 {
        let context = format!("{:?} round {round}", phase.kind());
        if round % 2 == 0 {
            for id in 0..style.objects as ProxyId {
                if model.objects.contains_key(&id) {
                    continue;
                }
                let (bounds, filter) = (draw_box(&mut random, &style), draw_filter(&mut random));
                phase.insert(id, &bounds, filter).expect("a free id");
                model.objects.insert(id, (bounds, filter));
            }
        } else {
            for id in (0..style.objects as ProxyId).filter(|id| id % 97 != 5) {
                phase.remove(id).expect("it is there");
                model.objects.remove(&id);
            }
        }
        model.check_step(&mut *phase, &context);
        assert_eq!(phase.validate(), [], "{context}");
        model.check_questions(&*phase, &mut random, &style, &context);
    }
}

fn errors_change_nothing(mut phase: Box<dyn BroadPhase>) {
    let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let nan = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, f64::NAN, 1.0) };
    let nowhere = Aabb { min: Vec3::INFINITY, max: Vec3::INFINITY };
    phase.insert(3, &unit, Filter::MOVING).expect("free");
    phase.insert(5, &unit, Filter::STATIC).expect("free");
    assert_eq!(phase.step().begun, [Pair { a: 3, b: 5 }]);

    assert_eq!(phase.insert(3, &unit, Filter::STATIC), Err(BroadPhaseError::Taken { id: 3 }));
    for bad in [nan, Aabb::EMPTY, nowhere] {
        assert!(matches!(phase.insert(4, &bad, Filter::MOVING), Err(BroadPhaseError::BadBox { id: 4, .. })));
        let far = Aabb { min: Vec3::splat(9.0), max: Vec3::splat(10.0) };
        let moves = [Move { id: 3, bounds: far }, Move { id: 5, bounds: bad }];
        assert!(matches!(phase.update(&moves), Err(BroadPhaseError::BadBox { id: 5, .. })));
    }
    assert!(matches!(phase.insert(u32::MAX, &unit, Filter::MOVING), Err(BroadPhaseError::IdTooLarge { .. })));
    assert_eq!(
        phase.update(&[Move { id: 3, bounds: unit }, Move { id: 4, bounds: unit }]),
        Err(BroadPhaseError::Unknown { id: 4 })
    );
    assert_eq!(phase.remove(7), Err(BroadPhaseError::Unknown { id: 7 }));
    assert_eq!(phase.set_filter(7, Filter::MOVING), Err(BroadPhaseError::Unknown { id: 7 }));
    assert!(matches!(phase.query_box(&nan, 1, &mut vec![]), Err(BroadPhaseError::BadRegion { .. })));
    for (direction, max_t) in [(Vec3::ZERO, 1.0), (Vec3::NAN, 1.0), (Vec3::X, -1.0), (Vec3::X, f64::NAN)] {
        let ray = Ray { origin: Vec3::ZERO, direction, max_t };
        assert!(matches!(phase.query_ray(&ray, 1, &mut vec![]), Err(BroadPhaseError::BadRay { .. })), "{ray:?}");
    }

    let changes = phase.step();
    assert!(changes.begun.is_empty() && changes.ended.is_empty());
    assert_eq!(phase.proxy(3), Some((unit, Filter::MOVING)));
    assert_eq!(phase.proxy(4), None);
    assert_eq!((phase.stats().proxies, phase.stats().statics), (2, 1));
    assert_eq!(phase.validate(), []);
}

fn an_id_that_comes_back(mut phase: Box<dyn BroadPhase>) {
    let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    for id in 0..3 {
        phase.insert(id, &unit, Filter::MOVING).expect("free");
    }
    assert_eq!(phase.step().begun.len(), 3);
    phase.remove(1).expect("there");
    phase.insert(1, &unit, Filter { group: 2, ..Filter::MOVING }).expect("free again");
    phase.set_filter(2, Filter { mask: 1, ..Filter::MOVING }).expect("there");
    assert_eq!(phase.step().ended, [Pair { a: 1, b: 2 }]);
    assert_eq!(phase.pairs(), [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }]);
    for id in 0..3 {
        phase.remove(id).expect("there");
    }
    assert_eq!(phase.pairs().len(), 2, "pairs are those of the last step");
    assert_eq!(phase.step().ended.len(), 2);
    assert!(phase.pairs().is_empty());
    assert_eq!(phase.validate(), []);
}
