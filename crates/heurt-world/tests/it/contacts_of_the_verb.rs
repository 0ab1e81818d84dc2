//! Contacts of a step against the verb `contact` of the same poses: equal for convex shapes, within its bounds for
//! meshes.

use crate::support::crowd;
use heurt_query::{Contact, ContactPoint, Feature, contact, overlap};
use heurt_shape::Shape;
use heurt_world::Settings;

const DT: f64 = 1.0 / 60.0;

#[test]
fn contacts_are_those_of_the_verb() {
    let mut world = crowd(Settings { margin: 0.05, ..Settings::default() }, 30, 2);
    let mut compared = 0;
    for _ in 0..20 {
        world.step(DT).unwrap();
        for touch in world.contacts() {
            let [a, b] = [touch.a, touch.b].map(|id| world.body(id).unwrap());
            let found = touch.contact.as_ref().expect("nothing moves between steps here");
            if matches!(a.shape, Shape::Mesh(_)) || matches!(b.shape, Shape::Mesh(_)) {
                let overlap = overlap(&a.shape, &a.pose, &b.shape, &b.pose).is_some();
                assert_eq!(found.separation <= 0.0, overlap);
                assert!(!found.points.is_empty() && (found.normal.length() - 1.0).abs() < 1e-12);
                let depth = contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.05).expect("within the margin");
                assert!(found.separation_bound >= depth.separation - depth.error - 1e-12, "{found:?} {depth:?}");
                continue;
            }
            let expected = contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.05).expect("within the margin");
            // The step keeps four points at most, and names edges by their ends in ascending order.
            let sorted = |feature: Feature| match feature {
                Feature::Edge(from, to) => Feature::Edge(from.min(to), from.max(to)),
                named => named,
            };
            let places = |contact: &Contact| -> Vec<ContactPoint> {
                let named = |point: &ContactPoint| ContactPoint { features: point.features.map(sorted), ..*point };
                contact.points.iter().map(named).collect()
            };
            let (kept, all) = (places(found), places(&expected));
            assert_eq!(kept.len(), all.len().min(4), "{found:?} {expected:?}");
            assert!(kept.iter().all(|place| all.contains(place)), "{found:?} {expected:?}");
            let without_points = |contact: &Contact| Contact { points: Default::default(), ..contact.clone() };
            assert_eq!(without_points(found), without_points(&expected));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} contacts");
}
