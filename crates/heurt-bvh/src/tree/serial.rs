//! Serialisation of trees: little-endian, versioned, validated when read.
//!
//! Layout: magic, volume kind, W, leaf size, primitive count, frame, then nodes (volumes, then child codes) and order.
//! Guarantees: `from_bytes` never panics and never allocates more than the input's length requires. Accepted bytes are
//! a tree that a walk can use (links lead to later nodes, children come first, leaves lie within the order, each
//! primitive in one leaf). [`Bvh::validate`] checks that its volumes hold their primitives.

use crate::frame::tree_frame::TreeFrame;
use crate::tree::bvh::{Bvh, BvhError, Child, Node, NodeRef};
use crate::volume::BoundingVolume;
use heurt_geometry::Vec3;

const MAGIC: &[u8; 8] = b"heurtbv1";

impl<V: BoundingVolume, const W: usize> Bvh<V, W> {
    /// Writes the tree.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        for number in [V::KIND, W as u32, self.leaf_size, self.count as u32, self.nodes.len() as u32] {
            out.extend(number.to_le_bytes());
        }
        out.extend((self.order.len() as u32).to_le_bytes());
        out.extend(self.frame.exponent().to_le_bytes());
        for number in self.frame.centre().to_array().into_iter().chain(self.frame.half_extents().to_array()) {
            out.extend(number.to_le_bytes());
        }
        for node in &self.nodes {
            for lane in 0..W {
                V::load(&node.volumes, lane).to_numbers().iter().for_each(|x| out.extend(x.to_le_bytes()));
                out.extend(node.children[lane].code().to_le_bytes());
            }
        }
        self.order.iter().for_each(|x| out.extend(x.to_le_bytes()));
        out
    }

    /// Reads a tree.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = |shift: Vec3| {
    ///     Boxes::new((0..100).map(|k| Vec3::X * f64::from(2 * k) + shift).map(|min| Aabb { min, max: min + 1.0 }))
    /// };
    /// let tree = Bvh::<Aabb32, 8>::new(&row(Vec3::ZERO))?;
    /// let read = Bvh::<Aabb32, 8>::from_bytes(&tree.to_bytes())?;
    /// assert_eq!(read.stats(), tree.stats());
    /// assert!(Bvh::<Aabb32, 4>::from_bytes(&tree.to_bytes()).is_err(), "a tree of another degree");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BvhError::Malformed`] names the byte and the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BvhError> {
        let mut from = Reader { bytes, offset: 0 };
        if from.take::<8>()? != *MAGIC {
            return Err(from.malformed("the first bytes are not those of a tree"));
        }
        let [kind, width, leaf_size] = [from.u32()?, from.u32()?, from.u32()?];
        let [count, node_count, order_len] = [from.u32()?, from.u32()?, from.u32()?].map(|x| x as usize);
        if kind != V::KIND || width as usize != W {
            return Err(from.malformed("another volume or degree"));
        }
        if !(1..=8).contains(&leaf_size) || order_len % leaf_size as usize != 0 {
            return Err(from.malformed("a leaf size out of range"));
        }
        if !(1..=order_len).contains(&count) {
            return Err(from.malformed("more primitives than the leaves hold, or none"));
        }
        let exponent = from.u32()? as i32;
        let centre = Vec3::new(from.f64()?, from.f64()?, from.f64()?);
        let half = Vec3::new(from.f64()?, from.f64()?, from.f64()?);
        if !(-1000..=1020).contains(&exponent) || !centre.is_finite() || !half.is_finite() {
            return Err(from.malformed("a frame that is not finite"));
        }
        let lane_bytes = (V::NUMBERS + 1) * 4;
        let wanted = node_count.checked_mul(W * lane_bytes).and_then(|n| n.checked_add(order_len * 4));
        if wanted != Some(bytes.len() - from.offset) || node_count == 0 {
            return Err(from.malformed("another length than the header tells"));
        }
        let frame = TreeFrame::from_parts(centre, exponent, half);
        let mut tree = Self {
            frame,
            nodes: vec![],
            parents: vec![NodeRef::NONE; node_count],
            order: vec![],
            leaf_size,
            count,
            places: None,
            points: None,
        };
        tree.nodes = (0..node_count).map(|_| from.node::<V, W>()).collect::<Result<_, _>>()?;
        tree.order = (0..order_len).map(|_| from.u32()).collect::<Result<_, _>>()?;
        tree.link().map_err(|reason| from.malformed(reason))?;
        Ok(tree)
    }

    /// Finds the parents and checks that the links make a tree over each primitive once.
    fn link(&mut self) -> Result<(), &'static str> {
        let mut primitives = vec![false; self.count];
        for index in 0..self.nodes.len() {
            if index > 0 && self.parents[index] == NodeRef::NONE {
                return Err("a node without a parent");
            }
            let children = self.nodes[index].children;
            let used = children.iter().take_while(|child| **child != Child::NONE).count();
            if used == 0 || index == 0 && used > 1 || children[used..].iter().any(|child| *child != Child::NONE) {
                return Err("a node whose children do not come first, or a root with another number than one");
            }
            for (lane, child) in children.into_iter().enumerate().take(used) {
                if child.is_leaf() {
                    let leaf = child.as_leaf();
                    let end = u64::from(leaf.ordinal) * u64::from(self.leaf_size) + u64::from(leaf.count);
                    if leaf.count > self.leaf_size || end > self.order.len() as u64 {
                        return Err("a leaf beyond the order");
                    }
                    for &primitive in self.primitives(leaf) {
                        match primitives.get_mut(primitive as usize) {
                            Some(seen) if !*seen => *seen = true,
                            _ => return Err("a primitive that is not there, or twice"),
                        }
                    }
                } else {
                    let parent = self.parents.get_mut(child.index()).filter(|p| **p == NodeRef::NONE);
                    match parent {
                        Some(parent) if child.index() > index => *parent = NodeRef::new::<W>(index as u32, lane as u32),
                        _ => return Err("a link that does not lead to a later node of its own"),
                    }
                }
            }
        }
        if primitives.iter().all(|p| *p) { Ok(()) } else { Err("a primitive in no leaf") }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn malformed(&self, reason: &'static str) -> BvhError {
        BvhError::Malformed { offset: self.offset, reason }
    }
    fn take<const N: usize>(&mut self) -> Result<[u8; N], BvhError> {
        let chunk = self.bytes[self.offset..].first_chunk::<N>();
        let chunk = *chunk.ok_or_else(|| self.malformed("the bytes end too early"))?;
        self.offset += N;
        Ok(chunk)
    }
    fn u32(&mut self) -> Result<u32, BvhError> {
        self.take().map(u32::from_le_bytes)
    }
    fn f64(&mut self) -> Result<f64, BvhError> {
        self.take().map(f64::from_le_bytes)
    }
    fn node<V: BoundingVolume, const W: usize>(&mut self) -> Result<Node<V, W>, BvhError> {
        let mut node = Node::EMPTY();
        for lane in 0..W {
            let mut numbers = Vec::with_capacity(V::NUMBERS);
            for _ in 0..V::NUMBERS {
                numbers.push(self.take().map(f32::from_le_bytes)?);
            }
            let volume = V::from_numbers(&numbers).ok_or_else(|| self.malformed("a volume of another kind"))?;
            volume.store(&mut node.volumes, lane);
            node.children[lane] = Child::from_code(self.u32()?);
        }
        Ok(node)
    }
}
