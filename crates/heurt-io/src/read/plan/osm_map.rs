//! Map of OpenStreetMap: nodes, `way`s and relations with the tags that plans use.
//!
//! In: items of a file, in any order. Out: positions of nodes and `way`s by their identifier.
//! Method: items are sorted by identifier once, and found by binary search. Only tags of [`KEYS`] are kept.
//! Guarantees: memory is bounded by the budget of the file. Cost: O(n log n) to sort, O(log n) a search.

use crate::read::budget::Budget;
use crate::{LonLat, Place, ReadError};

/// The keys of tags that plans use.
const KEYS: [&str; 27] = [
    "access",
    "area",
    "barrier",
    "bridge",
    "building",
    "building:min_level",
    "covered",
    "cycleway",
    "footway",
    "highway",
    "junction",
    "landuse",
    "lanes",
    "layer",
    "level",
    "location",
    "man_made",
    "min_height",
    "motor_vehicle",
    "natural",
    "path",
    "service",
    "tunnel",
    "type",
    "water",
    "waterway",
    "width",
];
/// Words of 4 bytes of a node: identifier and two coordinates.
const NODE: u64 = 6;
/// Words of a reference: an identifier.
pub(super) const REFERENCE: u64 = 2;
/// Words of a `way`, relation, member or tag, besides its contents.
const ITEM: u64 = 16;

/// Tags of an item, of the keys that plans use.
#[derive(Debug, Default)]
pub(super) struct OsmTags(Vec<(&'static str, String)>);

impl OsmTags {
    /// Adds a tag if plans use its key.
    pub(super) fn add(&mut self, key: &str, value: &str) {
        if let Ok(place) = KEYS.binary_search(&key) {
            self.0.push((KEYS[place], value.to_owned()));
        }
    }

    /// Returns the value of a key; empty without the tag.
    pub(super) fn get(&self, key: &str) -> &str {
        self.0.iter().find(|(name, _)| *name == key).map_or("", |(_, value)| value)
    }

    /// Reports whether a tag has a value besides `no`.
    pub(super) fn has(&self, key: &str) -> bool {
        !matches!(self.get(key), "" | "no")
    }

    /// Returns the number of a tag, in metres without a unit or with ` m`.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        let written = self.get(key).trim();
        let digits = written.strip_suffix('m').unwrap_or(written).trim_end();
        digits.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn words(&self) -> u64 {
        self.0.iter().map(|(_, value)| ITEM + value.len() as u64 / 4).sum()
    }
}

/// A line or a ring of nodes.
#[derive(Debug, Default)]
pub(super) struct OsmWay {
    pub(super) id: i64,
    pub(super) nodes: Vec<i64>,
    pub(super) tags: OsmTags,
}

impl OsmWay {
    /// Reports whether the last node is the first.
    pub(super) fn is_closed(&self) -> bool {
        self.nodes.len() > 3 && self.nodes.first() == self.nodes.last()
    }
}

/// A group of `way`s; nodes and relations among its members are left out.
#[derive(Debug, Default)]
pub(super) struct OsmRelation {
    pub(super) id: i64,
    pub(super) ways: Vec<i64>,
    pub(super) tags: OsmTags,
}

/// The contents of a map.
pub(super) struct OsmMap {
    /// The south-western and the north-eastern corner.
    pub(super) bounds: Option<[LonLat; 2]>,
    nodes: Vec<(i64, LonLat)>,
    /// Nodes where a barrier has a gate.
    pub(super) gates: Vec<i64>,
    /// Nodes where people cross a road, ascending after [`sort`](Self::sort).
    pub(super) crossings: Vec<i64>,
    pub(super) ways: Vec<OsmWay>,
    pub(super) relations: Vec<OsmRelation>,
    budget: Budget,
}

impl OsmMap {
    /// Creates an empty map for a file of the given size in bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let (nodes, gates, crossings, ways, relations) = Default::default();
        Self { bounds: None, nodes, gates, crossings, ways, relations, budget: Budget::new(bytes) }
    }

    /// Adds a node.
    pub(super) fn add_node(&mut self, id: i64, at: LonLat, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        self.budget.take(NODE, place)?;
        self.nodes.push((id, at));
        Ok(())
    }

    /// Notes a node with a tag: a passage of a barrier, or a crossing of a road.
    pub(super) fn add_node_tag(&mut self, id: i64, key: &str, value: &str) {
        match (key, value) {
            ("highway", "crossing") => self.crossings.push(id),
            ("barrier", _) => self.add_barrier(id, value),
            _ => {}
        }
    }

    fn add_barrier(&mut self, id: i64, barrier: &str) {
        let passages = [
            "gate",
            "entrance",
            "kissing_gate",
            "lift_gate",
            "swing_gate",
            "sliding_gate",
            "stile",
            "turnstile",
            "full-height_turnstile",
            "bollard",
            "cycle_barrier",
            "sally_port",
            "toll_booth",
            "border_control",
        ];
        if passages.contains(&barrier) {
            self.gates.push(id);
        }
    }

    /// Adds a `way`, without nodes that repeat.
    pub(super) fn add_way(&mut self, mut way: OsmWay, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        self.budget.take(ITEM + REFERENCE * way.nodes.len() as u64 + way.tags.words(), place)?;
        way.nodes.dedup();
        self.ways.push(way);
        Ok(())
    }

    /// Adds a relation, if it is an area.
    pub(super) fn add_relation(
        &mut self,
        relation: OsmRelation,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ReadError> {
        self.budget.take(ITEM + REFERENCE * relation.ways.len() as u64 + relation.tags.words(), place)?;
        if relation.tags.get("type") == "multipolygon" {
            self.relations.push(relation);
        }
        Ok(())
    }

    /// Sorts the items; the last item with an identifier counts.
    pub(super) fn sort(&mut self) {
        self.nodes.reverse();
        self.nodes.sort_by_key(|&(id, _)| id);
        self.nodes.dedup_by_key(|&mut (id, _)| id);
        self.crossings.sort_unstable();
        self.ways.reverse();
        self.ways.sort_by_key(|way| way.id);
        self.ways.dedup_by_key(|way| way.id);
        self.relations.sort_by_key(|relation| relation.id);
    }

    /// Finds the position of a node.
    pub(super) fn node(&self, id: i64) -> Option<LonLat> {
        self.nodes.binary_search_by_key(&id, |&(id, _)| id).ok().map(|place| self.nodes[place].1)
    }

    /// Finds a `way`.
    pub(super) fn way(&self, id: i64) -> Option<&OsmWay> {
        self.ways.binary_search_by_key(&id, |way| way.id).ok().map(|place| &self.ways[place])
    }

    /// Returns the box around all nodes.
    pub(super) fn node_bounds(&self) -> Option<[LonLat; 2]> {
        let first = self.nodes.first()?.1;
        Some(self.nodes.iter().fold([first; 2], |[low, high], (_, at)| {
            [
                LonLat { lon: low.lon.min(at.lon), lat: low.lat.min(at.lat) },
                LonLat { lon: high.lon.max(at.lon), lat: high.lat.max(at.lat) },
            ]
        }))
    }
}

/// Checks that a point is on the Earth.
pub(super) fn is_on_earth(at: LonLat) -> bool {
    at.lon.abs() <= 180.0 && at.lat.abs() <= 90.0
}
