//! Cutting, merging and removing volumes of a [`Map3`].
//!
//! In: darts. Out: new darts. Method: each operation has its inverse next to it.
//! Guarantees and cost: as the module above; splitting and merging walk the volume to test whether it is connected.

use crate::map::{Map3, round};
use crate::{CombinatorialMap, Dart, EditError, Orbit};

impl Map3 {
    /// Cuts a volume by a face along a closed path of its darts, each starting at the end of the previous one. Returns
    /// the dart of the new face that is φ₂ of `path[0]`. The part on the side of the path's darts keeps the number.
    ///
    /// # Errors
    /// Fewer than three darts, a dart that is not live or of the boundary, a path that is broken, that runs twice along
    /// an edge or that does not divide the volume.
    pub fn split_volume(&mut self, path: &[Dart]) -> Result<Dart, EditError> {
        if path.len() < 3 {
            return Err(EditError::TooFew { what: "a path", count: path.len(), least: 3 });
        }
        for &dart in path {
            self.check_inner(dart)?;
        }
        for (place, &dart) in path.iter().enumerate() {
            let before = path[(place + path.len() - 1) % path.len()];
            let corner = self.phi1(before);
            if !round(corner, |dart| self.phi2(self.phi1_inv(dart))).any(|other| other == dart) {
                return Err(EditError::BrokenPath { place, dart });
            }
        }
        let mut both: Vec<Dart> = path.iter().flat_map(|&dart| [dart, self.phi2(dart)]).collect();
        both.sort_unstable();
        if let Some(twice) = both.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(EditError::DoesNotPart { dart: twice[0] });
        }
        self.check_room(2 * path.len())?;
        let sides = self.insert_face(path);
        let [one, other] = sides[0];
        let mut walker = std::mem::take(&mut self.walker);
        let is_one = walker.orbit(self, Orbit::Volume, one).contains(&other);
        self.walker = walker;
        if is_one {
            self.take_face(&sides);
            self.settle(&[]);
            return Err(EditError::DoesNotPart { dart: path[0] });
        }
        let seeds: Vec<Dart> = [0, 1].iter().flat_map(|&side| sides.iter().map(move |pair| pair[side])).collect();
        self.settle(&seeds);
        Ok(one)
    }

    /// Puts a face between the darts of a closed path and their φ₂, and returns its two sides, dart by dart.
    fn insert_face(&mut self, path: &[Dart]) -> Vec<[Dart; 2]> {
        let sides: Vec<[Dart; 2]> = path.iter().map(|_| [self.new_dart(false), self.new_dart(false)]).collect();
        for (place, (&dart, &[one, other])) in path.iter().zip(&sides).enumerate() {
            let [next_one, next_other] = sides[(place + 1) % path.len()];
            let beyond = self.phi2(dart);
            self.link2(dart, one);
            self.link2(beyond, other);
            self.link3(one, other);
            self.link1(next_one, one);
            self.link1(other, next_other);
        }
        sides
    }

    /// Removes a face and links the darts on its two sides.
    fn take_face(&mut self, sides: &[[Dart; 2]]) {
        for &[one, other] in sides {
            let (x, y) = (self.phi2(one), self.phi2(other));
            self.link2(x, y);
        }
        for &dart in sides.iter().flatten() {
            self.free_dart(dart);
        }
    }

    /// Removes the face of `dart` and makes the volumes next to it one: the inverse of
    /// [`split_volume`](Self::split_volume).
    ///
    /// # Errors
    /// A dart that is not live, of the boundary or on the border, one volume on both sides, or a face that meets itself
    /// along an edge.
    pub fn merge_volumes(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let other = self.phi3(dart);
        if self.is_boundary(other) {
            return Err(EditError::NotSewn { dart });
        }
        let mut walker = std::mem::take(&mut self.walker);
        let is_one = walker.is_same(self, Orbit::Volume, dart, other);
        self.walker = walker;
        if is_one {
            return Err(EditError::InOne { orbit: Orbit::Volume, a: dart, b: other });
        }
        let sides: Vec<[Dart; 2]> = self.face_darts(dart).map(|dart| [dart, self.phi3(dart)]).collect();
        let mut own: Vec<Dart> = sides.iter().flatten().copied().collect();
        own.sort_unstable();
        if let Some(&dart) = own.iter().find(|&&dart| own.binary_search(&self.phi2(dart)).is_ok()) {
            return Err(EditError::EdgeInUse { dart });
        }
        let seeds: Vec<Dart> = [0, 1].iter().flat_map(|&side| sides.iter().map(move |pair| pair[side])).collect();
        let seeds: Vec<Dart> = seeds.into_iter().map(|dart| self.phi2(dart)).collect();
        self.take_face(&sides);
        self.settle(&seeds);
        Ok(())
    }

    /// Removes a volume; its faces become border of the remaining map.
    ///
    /// # Errors
    /// A dart that is not live, or of the boundary; [`EditError::TooLarge`].
    pub fn remove_volume(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let mut walker = std::mem::take(&mut self.walker);
        let darts = walker.orbit(self, Orbit::Volume, dart).to_vec();
        self.walker = walker;
        self.check_room(2 * darts.len())?;
        let mut seeds = Vec::new();
        for &dart in &darts {
            let other = self.phi3(dart);
            if !self.is_boundary(other) {
                let ones: Vec<Dart> = self.face_darts(dart).collect();
                let others: Vec<Dart> = round(other, |dart| self.phi1_inv(dart)).collect();
                self.open(&ones, &others);
                seeds.extend_from_slice(&others);
            }
        }
        for place in 0..seeds.len() {
            seeds.push(self.phi2(seeds[place]));
        }
        for &dart in &darts {
            let beyond = self.phi3(dart);
            self.free_dart(beyond);
        }
        for &dart in &darts {
            self.free_dart(dart);
        }
        seeds.retain(|&dart| self.is_live(dart));
        self.settle(&seeds);
        Ok(())
    }
}
