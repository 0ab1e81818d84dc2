//! Parser of OpenStreetMap XML: nodes, `way`s and relations.
//!
//! In: a document `<osm>` of API version 0.6, as the website, Overpass and JOSM write it. Out: an [`OsmMap`].
//! Method: one pass of the pull reader; items that are deleted or not visible are left out. Guarantees: faults name the
//! line; memory is bounded by the size of the document. Cost: O(bytes).

use super::osm_map::{OsmMap, OsmRelation, OsmTags, OsmWay, is_on_earth};
use crate::read::xml::{Item, Tag, Xml};
use crate::{LonLat, ReadError};

/// Reads a document.
pub(super) fn read(text: &str, size: usize) -> Result<OsmMap, ReadError> {
    let mut map = OsmMap::new(size);
    let mut xml = Xml::new(text, None);
    xml.root("osm")?;
    while let Some(tag) = xml.child()? {
        match tag.local() {
            "node" => read_node(&mut xml, &tag, &mut map)?,
            "way" => read_way(&mut xml, &tag, &mut map)?,
            "relation" => read_relation(&mut xml, &tag, &mut map)?,
            "bounds" => {
                let at = |lon, lat| {
                    Ok::<_, ReadError>(LonLat { lon: coordinate(&xml, &tag, lon)?, lat: coordinate(&xml, &tag, lat)? })
                };
                map.bounds = Some([at("minlon", "minlat")?, at("maxlon", "maxlat")?]);
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    // The text after the root must be blank.
    match xml.next()? {
        Item::End => {}
        Item::Text(text, _) if text.trim().is_empty() => {}
        _ => return Err(ReadError::syntax(xml.place(text.len()), b"more", "the end of the document after `</osm>`")),
    }
    map.sort();
    Ok(map)
}

fn read_node<'a>(xml: &mut Xml<'a>, tag: &Tag<'a>, map: &mut OsmMap) -> Result<(), ReadError> {
    if is_hidden(xml, tag)? {
        return xml.skip();
    }
    let id = identifier(xml, tag, "id")?;
    let at = LonLat { lon: coordinate(xml, tag, "lon")?, lat: coordinate(xml, tag, "lat")? };
    map.add_node(id, at, || xml.place(tag.at))?;
    let tags = children(xml, |_, _| Ok(()))?;
    for key in ["barrier", "highway"] {
        map.add_node_tag(id, key, tags.get(key));
    }
    Ok(())
}

fn read_way<'a>(xml: &mut Xml<'a>, tag: &Tag<'a>, map: &mut OsmMap) -> Result<(), ReadError> {
    if is_hidden(xml, tag)? {
        return xml.skip();
    }
    let id = identifier(xml, tag, "id")?;
    let mut nodes = Vec::new();
    let tags = children(xml, |xml, child| {
        if child.local() == "nd" {
            nodes.push(identifier(xml, child, "ref")?);
        }
        Ok(())
    })?;
    map.add_way(OsmWay { id, nodes, tags }, || xml.place(tag.at))
}

fn read_relation<'a>(xml: &mut Xml<'a>, tag: &Tag<'a>, map: &mut OsmMap) -> Result<(), ReadError> {
    if is_hidden(xml, tag)? {
        return xml.skip();
    }
    let id = identifier(xml, tag, "id")?;
    let mut ways = Vec::new();
    let tags = children(xml, |xml, child| {
        if child.local() == "member" && xml.attribute(child, "type")?.as_deref() == Some("way") {
            ways.push(identifier(xml, child, "ref")?);
        }
        Ok(())
    })?;
    map.add_relation(OsmRelation { id, ways, tags }, || xml.place(tag.at))
}

/// Reads the children of an item up to its end tag: tags, and further elements by `visit`.
fn children<'a>(
    xml: &mut Xml<'a>,
    mut visit: impl FnMut(&Xml<'a>, &Tag<'a>) -> Result<(), ReadError>,
) -> Result<OsmTags, ReadError> {
    let mut tags = OsmTags::default();
    while let Some(child) = xml.child()? {
        if child.local() == "tag" {
            let (key, value) = (xml.attribute(&child, "k")?, xml.attribute(&child, "v")?);
            tags.add(&key.unwrap_or_default(), &value.unwrap_or_default());
        } else {
            visit(xml, &child)?;
        }
        xml.skip()?;
    }
    Ok(tags)
}

/// Reports whether an item is deleted.
fn is_hidden<'a>(xml: &Xml<'a>, tag: &Tag<'a>) -> Result<bool, ReadError> {
    let is = |name, value: &str| Ok::<_, ReadError>(xml.attribute(tag, name)?.as_deref() == Some(value));
    Ok(is("visible", "false")? || is("action", "delete")?)
}

fn identifier<'a>(xml: &Xml<'a>, tag: &Tag<'a>, name: &str) -> Result<i64, ReadError> {
    let written = xml.attribute(tag, name)?.unwrap_or_default();
    written.trim().parse().map_err(|_| {
        ReadError::syntax(xml.place(tag.at), written.as_bytes(), format!("a whole number as the attribute `{name}`"))
    })
}

fn coordinate<'a>(xml: &Xml<'a>, tag: &Tag<'a>, name: &str) -> Result<f64, ReadError> {
    let written = xml.attribute(tag, name)?.unwrap_or_default();
    let number = xml.finite(tag.at, &written)?;
    let at = if name.ends_with("lat") { LonLat { lon: 0.0, lat: number } } else { LonLat { lon: number, lat: 0.0 } };
    if is_on_earth(at) {
        return Ok(number);
    }
    let limit = if name.ends_with("lat") { 90 } else { 180 };
    let expected = format!("degrees from -{limit} to {limit} as the attribute `{name}`");
    Err(ReadError::syntax(xml.place(tag.at), written.as_bytes(), expected))
}
