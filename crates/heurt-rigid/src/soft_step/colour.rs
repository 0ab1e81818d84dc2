//! Greedy colouring of constraints: two constraints of one colour share no movable body.
//!
//! In: pairs of bodies in the order of the caller, and which bodies impulses move. Out: the colour of each pair.
//! Method: each pair gets the lowest colour that neither body has; a bit mask per body holds its colours.
//! Guarantees: deterministic. Pairs beyond the last colour get [`OVERFLOW`], where pairs may share bodies.
//! Cost: linear.

/// Number of colours. 63: one bit each of a mask of 64 bits; a body with more contacts than that is rare.
const COLOURS: u32 = 63;
/// The colour of pairs that found none. They are solved in turn.
pub(super) const OVERFLOW: u8 = COLOURS as u8;
/// Number of lists of constraints.
pub(super) const COLOUR_COUNT: usize = COLOURS as usize + 1;

/// Assigns colours pair by pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Colouring {
    masks: Vec<u64>,
}

impl Colouring {
    /// Forgets all pairs.
    pub fn reset(&mut self, bodies: usize) {
        self.masks.clear();
        self.masks.resize(bodies, 0);
    }

    /// Assigns the colour of the next pair. A movable body of the pair has a `true` in `movable`.
    pub fn assign(&mut self, bodies: [u32; 2], movable: [bool; 2]) -> u8 {
        let mut used = 0;
        for (body, is_movable) in bodies.into_iter().zip(movable) {
            if is_movable {
                used |= self.masks[body as usize];
            }
        }
        let colour = used.trailing_ones();
        if colour >= COLOURS {
            return OVERFLOW;
        }
        for (body, is_movable) in bodies.into_iter().zip(movable) {
            if is_movable {
                self.masks[body as usize] |= 1 << colour;
            }
        }
        colour as u8
    }
}
