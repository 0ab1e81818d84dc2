//! Parser of well-known text: polygons, points and lines.
//!
//! In: a text of one geometry, as JuPedSim writes it: POLYGON, MULTIPOLYGON, POINT, MULTIPOINT,
//! LINESTRING, MULTILINESTRING, or a GEOMETRYCOLLECTION of them. Out: polygons as given, checked, or points.
//! Method: one pass over words, numbers, parentheses and commas (OGC 06-103r4, section 7).
//! Third coordinates of polygons are heights, as in `POLYGON Z`. Measures, and heights of points and lines, are left
//! out and counted.
//! Guarantees: each fault names its line and column or its ring and point; collections are nested at most
//! [`MAX_DEPTH`] deep; memory is a fixed multiple of the text.
//! Not guaranteed: curves, TIN. Cost: O(bytes), and the checks of `rings`.

use super::fault::{PlanError, PlanItem, PlanNotes, PlanWarningKind, RingName};
use super::rings::check_area;
use crate::error::quoted;
use crate::{Place, ReadError};
use heurt_geometry::{FLAT_WITHIN, FloorArea, Vec2, Vec3};

/// The deepest nesting of collections: a file has one or two levels.
const MAX_DEPTH: usize = 32;
/// The largest coordinate, in metres: 100 times the radius of the Earth, and exact to 60 nm.
const MAX_COORDINATE: f64 = 1e9;

/// The contents of a text.
#[derive(Default)]
pub(super) struct WktContents {
    pub(super) areas: Vec<FloorArea>,
    /// Holes of a polygon touch each other.
    pub(super) has_touching_holes: bool,
    pub(super) points: Vec<Vec2>,
    pub(super) lines: Vec<Vec<Vec2>>,
    pub(super) notes: PlanNotes,
}

/// Reads the polygons of a text: POLYGON, MULTIPOLYGON, or a collection of them.
///
/// The polygons are as given, not united. Each is checked: rings are closed and simple, holes lie inside without
/// contact with the outer ring. Holes may touch each other. Corners without a third coordinate have the height 0.
///
/// ```
/// use heurt_io::parse_wkt_areas;
/// let areas = parse_wkt_areas("POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))")?;
/// assert_eq!(areas[0].area.area(), 11.0);
/// let error = parse_wkt_areas("POLYGON ((0 0, 4 0, 4 3))").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "polygon 1, outer ring: begins at (0, 0) but ends at (4, 3): repeat the first point at the end"
/// );
/// # Ok::<(), heurt_io::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError`] names the ring or the line, the coordinates and the remedy.
pub fn parse_wkt_areas(text: &str) -> Result<Vec<FloorArea>, PlanError> {
    let contents = parse(text)?;
    match contents.areas.is_empty() {
        true => Err(no_polygon()),
        false => Ok(contents.areas),
    }
}

/// Reads the points of a text: POINT, MULTIPOINT, or a collection of them.
///
/// ```
/// use heurt_io::parse_wkt_points;
/// assert_eq!(parse_wkt_points("MULTIPOINT ((1 2), (3 4.5))")?[1].y, 4.5);
/// # Ok::<(), heurt_io::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError`] names the line, the value found there and the remedy.
pub fn parse_wkt_points(text: &str) -> Result<Vec<Vec2>, PlanError> {
    let contents = parse(text)?;
    match contents.points.is_empty() {
        true => Err(PlanError::Empty { what: "point", remedy: "give at least one `POINT (1 2)`" }),
        false => Ok(contents.points),
    }
}

/// Reads the line of a text: LINESTRING.
///
/// ```
/// use heurt_io::parse_wkt_line;
/// assert_eq!(parse_wkt_line("LINESTRING (0 0, 1 0, 1 2)")?.len(), 3);
/// # Ok::<(), heurt_io::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError`] names the line, the value found there and the remedy.
pub fn parse_wkt_line(text: &str) -> Result<Vec<Vec2>, PlanError> {
    let mut contents = parse(text)?;
    match contents.lines.len() {
        1 => Ok(contents.lines.remove(0)),
        _ => Err(PlanError::Empty { what: "single line", remedy: "give one `LINESTRING (0 0, 1 0)`" }),
    }
}

pub(super) fn no_polygon() -> PlanError {
    PlanError::Empty { what: "polygon", remedy: "give at least one `POLYGON ((0 0, 4 0, 4 3, 0 0))`" }
}

/// Reads and checks a text.
pub(super) fn parse(text: &str) -> Result<WktContents, PlanError> {
    let mut parser =
        WktParser { text, at: 0, has_measure: false, collections: Vec::new(), contents: WktContents::default() };
    parser.geometries()?;
    Ok(parser.contents)
}

/// The parser, at a byte of the text.
struct WktParser<'a> {
    text: &'a str,
    at: usize,
    /// The third coordinate of a point is a measure: the geometry is marked `M`.
    has_measure: bool,
    /// The same of each collection around it.
    collections: Vec<bool>,
    contents: WktContents,
}

impl<'a> WktParser<'a> {
    /// Reads one geometry and the end of the text.
    fn geometries(&mut self) -> Result<(), PlanError> {
        loop {
            let begin = self.skip_blanks();
            let word = self.word();
            let is_full = self.is_full();
            if word.eq_ignore_ascii_case("GEOMETRYCOLLECTION") {
                if self.collections.len() == MAX_DEPTH {
                    return Err(self.syntax(begin, "at most 32 nested collections").into());
                }
                if is_full {
                    self.expect('(')?;
                    self.collections.push(self.has_measure);
                    continue;
                }
            } else {
                self.geometry(word, begin, is_full)?;
            }
            loop {
                if self.collections.is_empty() {
                    return self.end();
                }
                if !self.list_goes_on()? {
                    self.collections.pop();
                } else {
                    break;
                }
            }
        }
    }

    /// Reads the contents of a geometry that is no collection.
    fn geometry(&mut self, word: &str, begin: usize, is_full: bool) -> Result<(), PlanError> {
        let parse: fn(&mut Self) -> Result<(), PlanError> = match word.to_ascii_uppercase().as_str() {
            "POLYGON" => Self::polygon,
            "MULTIPOLYGON" => |parser| parser.list(Self::polygon),
            "POINT" | "MULTIPOINT" => |parser| parser.list(Self::marked_point),
            "LINESTRING" => Self::line,
            "MULTILINESTRING" => |parser| parser.list(Self::line),
            _ => {
                return Err(self
                    .syntax(begin, "a geometry such as POLYGON, MULTIPOLYGON or GEOMETRYCOLLECTION")
                    .into());
            }
        };
        if is_full { parse(self) } else { Ok(()) }
    }

    /// Skips `Z`, `M` or `ZM`; returns false after `EMPTY`. A geometry without a mark has the mark of its collection.
    fn is_full(&mut self) -> bool {
        self.has_measure = self.collections.last().copied().unwrap_or(false);
        loop {
            let before = self.skip_blanks();
            match self.word().to_ascii_uppercase().as_str() {
                "Z" | "ZM" => self.has_measure = false,
                "M" => self.has_measure = true,
                "EMPTY" => return false,
                _ => {
                    self.at = before;
                    return true;
                }
            }
        }
    }

    fn polygon(&mut self) -> Result<(), PlanError> {
        let polygon = self.contents.areas.len() + 1;
        let mut rings = Vec::new();
        self.expect('(')?;
        loop {
            rings.push(self.ring(RingName { polygon, hole: rings.len() })?);
            if !self.list_goes_on()? {
                break;
            }
        }
        let floor = FloorArea::from_corners(&rings[0], &rings[1..]);
        let mut floor = floor.map_err(|at| PlanError::NotFlat { polygon, at })?;
        let [low, high] = floor.heights();
        if high - low <= FLAT_WITHIN {
            floor = FloorArea::level(floor.area, floor.at.z);
        }
        self.contents.has_touching_holes |= check_area(&floor.area, polygon)?;
        self.contents.areas.push(floor);
        Ok(())
    }

    /// Reads a closed ring; consecutive corners that are equal become one.
    fn ring(&mut self, ring: RingName) -> Result<Vec<Vec3>, PlanError> {
        let mut corners = self.points()?;
        let [first, last] = [corners[0].truncate(), corners[corners.len() - 1].truncate()];
        if let Some(&at) = corners.iter().find(|corner| corner.abs().max_element() > MAX_COORDINATE) {
            return Err(PlanError::TooFar { ring, at: at.truncate(), limit: MAX_COORDINATE });
        }
        if first != last {
            return Err(PlanError::UnclosedRing { ring, first, last });
        }
        let is_step =
            |pair: &&[Vec3]| pair[0].truncate() == pair[1].truncate() && (pair[0].z - pair[1].z).abs() > FLAT_WITHIN;
        let ends = [corners[0], corners[corners.len() - 1]];
        if let Some(pair) = corners.windows(2).chain([&ends[..]]).find(is_step) {
            return Err(PlanError::TwoHeights { ring, at: pair[0].truncate(), heights: [pair[0].z, pair[1].z] });
        }
        corners.dedup_by_key(|corner| corner.truncate());
        if corners.len() > 1 {
            corners.pop();
        }
        match corners.len() {
            0..3 => Err(PlanError::TooFewCorners { ring, corners: corners.len(), at: first }),
            _ => Ok(corners),
        }
    }

    fn line(&mut self) -> Result<(), PlanError> {
        let line = self.points()?;
        let plan: Vec<Vec2> = line.iter().map(|point| point.truncate()).collect();
        line.iter().for_each(|&point| self.note_height(point));
        self.contents.lines.push(plan);
        Ok(())
    }

    /// Reads a point of a list, in parentheses or without.
    fn marked_point(&mut self) -> Result<(), PlanError> {
        let is_marked = self.take('(');
        let point = self.point()?;
        self.note_height(point);
        self.contents.points.push(point.truncate());
        if is_marked { self.expect(')') } else { Ok(()) }
    }

    /// Reads a list of points in parentheses.
    fn points(&mut self) -> Result<Vec<Vec3>, PlanError> {
        let mut points = Vec::new();
        self.expect('(')?;
        loop {
            points.push(self.point()?);
            if !self.list_goes_on()? {
                return Ok(points);
            }
        }
    }

    /// Reads a list in parentheses.
    fn list(&mut self, item: fn(&mut Self) -> Result<(), PlanError>) -> Result<(), PlanError> {
        self.expect('(')?;
        loop {
            item(self)?;
            if !self.list_goes_on()? {
                return Ok(());
            }
        }
    }

    /// Reads two to four coordinates; a point without a height has the height 0.
    fn point(&mut self) -> Result<Vec3, PlanError> {
        let at = Vec2::new(self.number()?, self.number()?);
        let mut more = [0.0; 2];
        for value in &mut more {
            if !matches!(self.peek(), Some(',' | ')') | None) {
                *value = self.number()?;
            }
        }
        let [height, measure] = if self.has_measure { [0.0, more[0]] } else { more };
        if measure != 0.0 {
            self.note_ignored(at);
        }
        Ok(at.extend(height))
    }

    /// Notes a height that is left out.
    fn note_height(&mut self, point: Vec3) {
        if point.z != 0.0 {
            self.note_ignored(point.truncate());
        }
    }

    fn note_ignored(&mut self, at: Vec2) {
        let item = PlanItem { id: self.contents.areas.len() as i64 + 1, at: Some(at), lon_lat: None };
        self.contents.notes.add(PlanWarningKind::HeightIgnored, item);
    }

    fn number(&mut self) -> Result<f64, PlanError> {
        let begin = self.skip_blanks();
        let end = self.text[begin..].find(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'));
        let end = end.map_or(self.text.len(), |length| begin + length);
        let written = &self.text[begin..end];
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at = end;
                Ok(number)
            }
            Ok(_) => Err(ReadError::NotFinite { place: self.place(begin), value: quoted(written.as_bytes()) }.into()),
            Err(_) => Err(self.syntax(begin, "a coordinate").into()),
        }
    }

    /// Reads a comma, and returns true, or the end of a list.
    fn list_goes_on(&mut self) -> Result<bool, PlanError> {
        if self.take(',') {
            return Ok(true);
        }
        match self.take(')') {
            true => Ok(false),
            false => Err(self.syntax(self.at, "`,` or `)`").into()),
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), PlanError> {
        if self.take(symbol) { Ok(()) } else { Err(self.syntax(self.at, format!("`{symbol}`")).into()) }
    }

    fn take(&mut self, symbol: char) -> bool {
        let is_next = self.peek() == Some(symbol);
        self.at += usize::from(is_next);
        is_next
    }

    fn peek(&mut self) -> Option<char> {
        let begin = self.skip_blanks();
        self.text[begin..].chars().next()
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_blanks(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    fn end(&mut self) -> Result<(), PlanError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax(self.at, "the end of the text: join geometries in a GEOMETRYCOLLECTION").into()),
        }
    }

    /// Makes the error of a value at a byte.
    fn syntax(&self, at: usize, expected: impl Into<String>) -> ReadError {
        let rest = &self.text[at..];
        let length = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ')')).unwrap_or(rest.len());
        let found = if length == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length };
        ReadError::syntax(self.place(at), &rest.as_bytes()[..found], expected)
    }

    fn place(&self, at: usize) -> Place {
        let before = &self.text[..at];
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count() as u64;
        Place::LineColumn(line, 1 + before[begin..].chars().count() as u64)
    }
}
