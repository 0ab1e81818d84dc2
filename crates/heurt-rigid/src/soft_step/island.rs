//! Islands of bodies: union-find over contacts and joints.
//!
//! In: which bodies impulses move, and pairs of bodies. Out: the island of each movable body, and the bodies of each
//! island in ascending order.
//! Method: union-find with path halving; the root is the smallest index. Bodies that no impulse moves connect nothing.
//! Guarantees: the result depends only on the set of pairs, not on their order.
//! Cost: nearly linear.

/// Sets of movable bodies that contacts and joints connect.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Islands {
    /// The island of each body; [`Islands::NONE`] for a body that no impulse moves.
    pub of_body: Vec<u32>,
    /// The bodies of each island, ascending. Islands are ordered by their first body.
    pub lists: Vec<Vec<u32>>,
}

impl Islands {
    /// The entry of a body without island.
    pub const NONE: u32 = u32::MAX;

    /// Finds the islands of bodies. Pairs with an index beyond the bodies are ignored.
    ///
    /// ```
    /// use heurt_rigid::soft_step::Islands;
    /// // Body 0 is the ground: it does not connect the two stacks on it.
    /// let islands = Islands::find(&[false, true, true, true], [[0, 1], [1, 2], [0, 3]]);
    /// assert_eq!(islands.lists, [vec![1, 2], vec![3]]);
    /// assert_eq!(islands.of_body, [Islands::NONE, 0, 0, 1]);
    /// ```
    pub fn find(movable: &[bool], pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut parents: Vec<u32> = (0..movable.len() as u32).collect();
        let is_movable = |body: u32| movable.get(body as usize).copied().unwrap_or(false);
        for [a, b] in pairs {
            if is_movable(a) && is_movable(b) {
                join(&mut parents, a, b);
            }
        }
        let mut of_body = vec![Self::NONE; movable.len()];
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for body in 0..movable.len() as u32 {
            if !is_movable(body) {
                continue;
            }
            // The root is the smallest body of its island, so it has its number before further bodies need it.
            let root = find_root(&mut parents, body);
            if root == body {
                of_body[body as usize] = lists.len() as u32;
                lists.push(Vec::new());
            }
            of_body[body as usize] = of_body[root as usize];
            lists[of_body[body as usize] as usize].push(body);
        }
        Self { of_body, lists }
    }
}

/// Returns the smallest body of a set.
pub(super) fn find_root(parents: &mut [u32], mut body: u32) -> u32 {
    while parents[body as usize] != body {
        let grandparent = parents[parents[body as usize] as usize];
        parents[body as usize] = grandparent;
        body = grandparent;
    }
    body
}

/// Unites the sets of two bodies.
pub(super) fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find_root(parents, a), find_root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}
