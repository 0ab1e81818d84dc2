//! No acceleration: every pair of faces of different objects, the exact test at once as S2 has it, or boxes before it.

use super::scene::{Hit, Method, Moment, Scene, corners};
use heurt_geometry::{Aabb, Triangle, Vec3, triangles_intersect};

/// Every pair.
pub struct Brute<'a> {
    scene: &'a Scene,
    boxes_first: bool,
    organs: Vec<Object>,
    moving: Vec<Object>,
    vertices: Vec<Vec3>,
}

/// Faces in the world, and their boxes where these are asked first.
#[derive(Default)]
struct Object {
    faces: Vec<Triangle>,
    boxes: Vec<Aabb>,
}

impl Object {
    fn set(&mut self, faces: impl Iterator<Item = Triangle>, boxes: bool) {
        self.faces.clear();
        self.faces.extend(faces);
        self.boxes.clear();
        if boxes {
            self.boxes.extend(self.faces.iter().map(|&[a, b, c]| Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }));
        }
    }

    fn against(&self, other: &Self, objects: [u32; 2], found: &mut Vec<Hit>) {
        for (i, x) in self.faces.iter().enumerate() {
            for (j, y) in other.faces.iter().enumerate() {
                if (self.boxes.is_empty() || self.boxes[i].overlaps(&other.boxes[j])) && triangles_intersect(x, y) {
                    found.push(Hit { objects, faces: [i as u32, j as u32] });
                }
            }
        }
    }
}

impl<'a> Brute<'a> {
    /// Places the organs.
    pub fn new(scene: &'a Scene, boxes_first: bool) -> Self {
        let organ = |faces: Vec<Triangle>| {
            let mut object = Object::default();
            object.set(faces.into_iter(), boxes_first);
            object
        };
        Self {
            scene,
            boxes_first,
            organs: scene.placed_organs().into_iter().map(organ).collect(),
            moving: (0..=scene.soft.len()).map(|_| Object::default()).collect(),
            vertices: Vec::new(),
        }
    }
}

impl Method for Brute<'_> {
    fn update(&mut self, moment: &Moment) {
        let instrument = &self.scene.instrument;
        self.vertices.clear();
        self.vertices.extend(instrument.vertices().iter().map(|&vertex| moment.instrument.place(vertex)));
        let faces = instrument.triangles().iter().map(|&face| corners(&self.vertices, face));
        self.moving[0].set(faces, self.boxes_first);
        for (body, mesh) in self.scene.soft.iter().enumerate() {
            let faces = mesh.triangles().iter().map(|&face| corners(&moment.soft[body], face));
            self.moving[body + 1].set(faces, self.boxes_first);
        }
    }

    fn detect(&mut self, _moment: &Moment, found: &mut Vec<Hit>) {
        let first = self.scene.instrument_id();
        for (index, object) in self.moving.iter().enumerate() {
            let id = first + index as u32;
            for (organ, other) in self.organs.iter().enumerate() {
                other.against(object, [organ as u32, id], found);
            }
            let others = if self.scene.mutual { index } else { index.min(1) };
            for other in 0..others {
                self.moving[other].against(object, [first + other as u32, id], found);
            }
        }
    }
}
