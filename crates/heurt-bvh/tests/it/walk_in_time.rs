//! The walk of trees that move: no box is met before the time that is told, and none that is met is left out.

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{
    Aabb32, BodyRates, Bvh, Leaf, MovingPairVisitor, Obb, PairMotion, PrimitiveSource, TreeFrame, volume::BoxVolume,
    walk_pair_moving,
};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_testkit::number::random::Random;
use std::ops::ControlFlow;

/// Boxes on their way, each by its middle and half its edges.
struct Body {
    boxes: Vec<[Vec3; 2]>,
    start: Pose,
    motion: Motion,
}

impl Body {
    /// All eight corners, so that no tilted box is any smaller.
    fn corners(&self) -> Corners {
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let corner = |k: usize| Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
        Corners(self.boxes.iter().flat_map(|[middle, half]| (0..8).map(move |k| *middle + corner(k) * *half)).collect())
    }

    fn at(&self, time: f64) -> Pose {
        self.motion.pose_at(&self.start, time).unwrap()
    }

    fn rates(&self, time: f64) -> BodyRates {
        BodyRates {
            pivot: self.at(time).place(self.motion.pivot()),
            velocity: self.motion.velocity_at(time),
            acceleration: self.motion.acceleration(),
            spin: self.motion.angular_velocity(),
        }
    }
}

/// Eight points a box.
struct Corners(Vec<Vec3>);

impl PrimitiveSource for Corners {
    fn len(&self) -> usize {
        self.0.len() / 8
    }
    fn points(&self) -> &[Vec3] {
        &self.0
    }
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        8 * primitive..8 * primitive + 8
    }
}

/// Hears of all leaves, none of which ever ends the walk.
struct Listener<'a> {
    bodies: [&'a Body; 2],
    frames: [&'a TreeFrame; 2],
    orders: [&'a [u32]; 2],
    until: f64,
    room: f64,
    places: PairMotion,
    /// The time told for each pair.
    times: Vec<f64>,
}

fn places(bodies: [&Body; 2], frames: [&TreeFrame; 2], [time, until]: [f64; 2], room: f64) -> PairMotion {
    let (poses, rates) = (bodies.map(|body| body.at(time)), bodies.map(|body| body.rates(time)));
    PairMotion::new(frames, poses.each_ref(), rates.each_ref(), [time, until], until, room, 1.0 - 1e-9)
}

impl MovingPairVisitor for Listener<'_> {
    fn cutoff(&self) -> f64 {
        self.until.next_up()
    }
    fn advance_to(&mut self, time: f64, size: f32) {
        if time > self.places.time && !self.places.are_recent(time, size) {
            self.places = places(self.bodies, self.frames, [time, self.until], self.room);
        }
    }
    fn transforms(&self) -> &PairMotion {
        &self.places
    }
    fn on_interrupted(&mut self, time: f64) {
        panic!("gave up at {time}");
    }
    fn visit_leaves<I: WideIsa>(
        &mut self,
        _isa: I,
        a: Leaf,
        b: Leaf,
        time: f64,
        _may_wait: bool,
    ) -> ControlFlow<(), Option<f64>> {
        let [of_a, of_b] = self.orders;
        let place = of_a[a.ordinal as usize] as usize * self.bodies[1].boxes.len() + of_b[b.ordinal as usize] as usize;
        self.times[place] = time;
        ControlFlow::Continue(None)
    }
}

/// Walks two bodies; for each pair of boxes the time before which they surely do not meet.
fn contact_times<A: BoxVolume, B: BoxVolume>(a: &Body, b: &Body, until: f64) -> Vec<f64> {
    let options = heurt_bvh::BuildOptions { leaf_size: 1, ..Default::default() };
    let tree_a = Bvh::<A, 8>::with_options(&a.corners(), &options).unwrap();
    let tree_b = Bvh::<B, 8>::with_options(&b.corners(), &options).unwrap();
    let (frames, bodies) = ([tree_a.frame(), tree_b.frame()], [a, b]);
    let room = 1e-12
        * (frames[0].max_coordinate()
            + frames[1].max_coordinate()
            + a.at(until).max_translation()
            + b.at(until).max_translation());
    let mut listener = Listener {
        bodies,
        frames,
        orders: [tree_a.order(), tree_b.order()],
        until,
        room,
        places: places(bodies, frames, [0.0, until], room),
        times: vec![f64::INFINITY; a.boxes.len() * b.boxes.len()],
    };
    walk_pair_moving(&tree_a, &tree_b, 0.0, &mut listener);
    listener.times
}

/// The widest gap of two placed boxes along fifteen axes.
fn gap([middle_a, half_a]: &[Vec3; 2], at_a: &Pose, [middle_b, half_b]: &[Vec3; 2], at_b: &Pose) -> f64 {
    let axes = |pose: &Pose| [pose.rotation().x_axis, pose.rotation().y_axis, pose.rotation().z_axis];
    let (of_a, of_b) = (axes(at_a), axes(at_b));
    let between = at_b.place(*middle_b) - at_a.place(*middle_a);
    let along = |axis: Vec3| {
        let reach = |axes: &[Vec3; 3], half: &Vec3| {
            axes.iter().zip(half.to_array()).map(|(own, half)| own.dot(axis).abs() * half).sum::<f64>()
        };
        between.dot(axis).abs() - reach(&of_a, half_a) - reach(&of_b, half_b)
    };
    let edges = of_a.iter().flat_map(|x| of_b.map(|y| x.cross(y).normalize_or_zero()));
    of_a.into_iter().chain(of_b).chain(edges).map(along).fold(f64::NEG_INFINITY, f64::max)
}

fn body(random: &mut Random, count: u32, size: f64, far: f64, kind: u32, towards: Vec3) -> Body {
    let half = |random: &mut Random| random.vector(0.2 * size).abs();
    let boxes = (0..count).map(|_| [random.vector(size), half(random)]).collect();
    let start = random.pose(far);
    let velocity = (towards - start.translation()) + random.vector(0.5 * far);
    let motion = match kind {
        0 => Motion::linear(velocity),
        1 => Motion::ballistic(velocity, random.vector(3.0 * far)),
        2 => Motion::screw(velocity, random.vector(3.0)),
        3 => Motion::screw(velocity, random.vector(30.0)).and_then(|screw| screw.about(random.vector(size))),
        _ => Ok(Motion::STILL),
    };
    Body { boxes, start, motion: motion.unwrap() }
}

#[test]
fn no_box_is_met_before_the_time_that_is_told() {
    let mut random = Random::new(3);
    let (mut met, mut free) = (0, 0);
    for number in 0..400 {
        let unit = [1.0, 1e-3, 1e5][random.whole(0, 2) as usize];
        let kinds = [random.whole(0, 4), random.whole(0, 3)].map(|kind| kind as u32);
        let [m, n] = [random.whole(1, 12), random.whole(1, 12)].map(|count| count as u32);
        let a = body(&mut random, m, unit, 2.0 * unit, kinds[0], Vec3::ZERO);
        let ratio = if number % 7 == 0 { 0.01 } else { 1.0 };
        let b = body(&mut random, n, ratio * unit, 4.0 * unit, kinds[1], a.start.translation());
        let until = random.between(0.2, 2.0);
        let times = match number % 4 {
            0 => contact_times::<Obb, Obb>(&a, &b, until),
            1 => contact_times::<Aabb32, Aabb32>(&a, &b, until),
            2 => contact_times::<Aabb32, Obb>(&a, &b, until),
            _ => contact_times::<Obb, Aabb32>(&a, &b, until),
        };
        for (place, &time) in times.iter().enumerate() {
            let (x, y) = (&a.boxes[place / b.boxes.len()], &b.boxes[place % b.boxes.len()]);
            for k in 0..=100 {
                let at = until * f64::from(k) / 100.0;
                // The very last moment counts most.
                let at = if k == 100 && time < until { time * (1.0 - 1e-9) } else { at };
                if at < time {
                    let gap = gap(x, &a.at(at), y, &b.at(at));
                    assert!(gap > -1e-10 * unit, "case {number}: {gap} at {at}, told {time}");
                }
            }
            if time.is_finite() { met += 1 } else { free += 1 }
        }
    }
    assert!(met > 1000 && free > 1000, "{met} may meet, {free} do not");
}

/// What turns about the way it comes is as late as what does not turn.
#[test]
fn a_drill_is_told_when_it_arrives() {
    let still =
        Body { boxes: vec![[Vec3::ZERO, Vec3::new(1.0, 1.0, 0.1)]], start: Pose::IDENTITY, motion: Motion::STILL };
    let drill = Body {
        boxes: vec![[Vec3::ZERO, Vec3::new(0.05, 0.02, 0.5)]],
        start: Pose::from_translation(Vec3::new(0.3, 0.2, 1.6)).unwrap(),
        motion: Motion::screw(-Vec3::Z, Vec3::Z * 1e4).unwrap(),
    };
    for (a, b) in [(&still, &drill), (&drill, &still)] {
        let times = contact_times::<Obb, Obb>(a, b, 3.0);
        // Half its diagonal counts for half its length, which is 3 mm less.
        assert!(times[0] <= 1.0 && times[0] > 0.996, "{times:?}");
    }
}
