//! Squares: things by place, each in a square of the plane, to which others are added one by one.
//!
//! In: places. Out: what is in the square of a place and in the eight around it: everything within a side is among it.
//! Cost: O(1), and O(things in nine squares) a search. [`PlaceGrid`](super::grid::PlaceGrid) is faster for places that
//! are known all at once.

use heurt_geometry::Vec2;
use std::collections::HashMap;

/// Things by place.
#[derive(Debug)]
pub(super) struct Squares<T> {
    /// In metres.
    side: f64,
    things: HashMap<[i64; 2], Vec<T>>,
}

impl<T> Squares<T> {
    pub fn new(side: f64) -> Self {
        Self { side, things: HashMap::new() }
    }

    pub fn add(&mut self, place: Vec2, thing: T) {
        self.things.entry(self.square(place)).or_default().push(thing);
    }

    /// Lists everything within a side of a place, and perhaps more.
    pub fn around(&self, place: Vec2) -> impl Iterator<Item = &T> {
        let [x, y] = self.square(place);
        let near = (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| [x + dx, y + dy]));
        near.filter_map(|square| self.things.get(&square)).flatten()
    }

    fn square(&self, place: Vec2) -> [i64; 2] {
        [place.x, place.y].map(|x| (x / self.side).floor() as i64)
    }
}
