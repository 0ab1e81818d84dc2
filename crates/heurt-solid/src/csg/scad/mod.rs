//! Trees from the `.csg` files of OpenSCAD, a subset.
//!
//! In: text. Out: a [`Csg`], or an error with line and column.
//! Format: `union`, `difference`, `intersection`, `group`, `color`, `render`, `multmatrix`, `cube`, `sphere`,
//! `cylinder`, `polyhedron`, with named or positional arguments, comments, and the modifiers `#` (ignored), `%` and `*`
//! (the object is left out). With `$fn` above 0, spheres and cylinders are the convex hulls of the vertices that
//! OpenSCAD uses; without it they are the curved solids, and `$fa` and `$fs` are ignored.
//! Guarantees: nesting, the number of objects and the length of the text are limited, so that no text exhausts memory.
//! Not guaranteed: two-dimensional objects, `hull`, `minkowski` and extrusions are refused by name.

mod objects;
mod tokens;

pub(super) use objects::circle_direction;

use super::json::CsgTextError;
use super::{Affine, Csg};
use heurt_geometry::{Mat3, Vec3};
use tokens::{Position, Token, Tokens};

/// The deepest nesting of objects and lists.
const MAX_NESTED: usize = 200;
/// The greatest number of objects.
const MAX_OBJECTS: usize = 1 << 20;
/// The greatest number of vertices of all solids of `$fn`: their hulls take a kibibyte each.
const MAX_VERTICES: usize = 1 << 21;
/// The longest text in bytes: 64 MiB.
const MAX_TEXT: usize = 1 << 26;

/// A value of an argument.
#[derive(Debug, Clone, PartialEq)]
enum ScadValue {
    Number(f64),
    Bool(bool),
    /// A text or `undef`, which no supported object uses.
    Other,
    List(Vec<ScadValue>),
}

/// The arguments of an object, with its position for errors.
struct Arguments {
    at: Position,
    values: Vec<(Option<String>, ScadValue)>,
}

impl Csg {
    /// Reads a tree from the text of a `.csg` file of OpenSCAD.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::Csg;
    /// let text = "difference() {
    ///     cube(size = [2, 2, 2], center = true);
    ///     multmatrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -2], [0, 0, 0, 1]]) {
    ///         cylinder($fn = 0, $fa = 12, $fs = 2, h = 4, r1 = 0.5, r2 = 0.5, center = false);
    ///     }
    /// }";
    /// let drilled = Csg::from_openscad(text)?;
    /// assert!(!drilled.contains(Vec3::ZERO) && drilled.contains(Vec3::splat(0.9)));
    /// let error = Csg::from_openscad("union() {\n  square(1);\n}").unwrap_err();
    /// assert!(error.to_string().starts_with("line 2, column 3: `square`"));
    /// # Ok::<(), heurt_solid::csg::CsgTextError>(())
    /// ```
    ///
    /// # Errors
    /// [`CsgTextError::Syntax`] for text outside of the subset, and for numbers that make no solid.
    pub fn from_openscad(text: &str) -> Result<Self, CsgTextError> {
        if text.len() > MAX_TEXT {
            return Err(Position::START.error(format!("the text has more than {} MiB: divide it", MAX_TEXT >> 20)));
        }
        let mut reader = ScadReader { tokens: Tokens::new(text), objects: 0, vertices: 0 };
        let mut objects = Vec::new();
        while reader.tokens.peek()?.0 != Token::End {
            objects.extend(reader.statement(0)?);
        }
        Ok(Self::union_of(objects))
    }
}

struct ScadReader<'a> {
    tokens: Tokens<'a>,
    objects: usize,
    vertices: usize,
}

impl ScadReader<'_> {
    /// Reads one object with its children; `None` for an object that a modifier leaves out, and for a lone `;`.
    fn statement(&mut self, depth: usize) -> Result<Option<Csg>, CsgTextError> {
        let mut is_left_out = false;
        loop {
            let (token, at) = self.tokens.next()?;
            match token {
                Token::Sign(';') => return Ok(None),
                Token::Sign('#') => {}
                Token::Sign('%' | '*') => is_left_out = true,
                Token::Name(name) => {
                    let object = self.object(name, at, depth)?;
                    return Ok((!is_left_out).then_some(object));
                }
                other => return Err(at.error(format!("{other} begins no object: give a name such as `cube`"))),
            }
        }
    }

    fn object(&mut self, name: &str, at: Position, depth: usize) -> Result<Csg, CsgTextError> {
        self.objects += 1;
        if depth > MAX_NESTED {
            return Err(at.error(format!("objects are nested deeper than {MAX_NESTED}: flatten them")));
        }
        if self.objects > MAX_OBJECTS {
            return Err(at.error(format!("there are more than {MAX_OBJECTS} objects: divide the file")));
        }
        let arguments = self.arguments(at)?;
        self.vertices += objects::vertices_of(name, &arguments)?;
        if self.vertices > MAX_VERTICES {
            let cause = format!("the solids of `$fn` have more than {MAX_VERTICES} vertices: lower `$fn`");
            return Err(at.error(cause));
        }
        let children = self.children(depth)?;
        Ok(match name {
            "group" | "union" | "color" | "render" => Csg::union_of(children),
            "intersection" => match children.is_empty() {
                true => Csg::empty(),
                false => Csg::intersection_of(children),
            },
            "difference" => children.into_iter().reduce(Csg::difference).unwrap_or_else(Csg::empty),
            "multmatrix" => Csg::union_of(children).transformed(arguments.map()?),
            "cube" => objects::cube(&arguments)?,
            "sphere" => objects::sphere(&arguments)?,
            "cylinder" => objects::cylinder(&arguments)?,
            "polyhedron" => objects::polyhedron(&arguments)?,
            _ => return Err(at.error(format!("`{name}` is not supported: {}", objects::SUPPORTED))),
        })
    }

    /// Reads `(…)`.
    fn arguments(&mut self, at: Position) -> Result<Arguments, CsgTextError> {
        self.tokens.expect('(')?;
        let mut values = Vec::new();
        while !self.tokens.skip(')')? {
            let name = self.tokens.argument_name()?;
            values.push((name, self.value(0)?));
            if !self.tokens.skip(',')? {
                self.tokens.expect(')')?;
                break;
            }
        }
        Ok(Arguments { at, values })
    }

    fn value(&mut self, depth: usize) -> Result<ScadValue, CsgTextError> {
        let (token, at) = self.tokens.next()?;
        Ok(match token {
            Token::Number(number) => ScadValue::Number(number),
            Token::Name("true") => ScadValue::Bool(true),
            Token::Name("false") => ScadValue::Bool(false),
            Token::Name("undef") | Token::Text => ScadValue::Other,
            Token::Sign('[') if depth < MAX_NESTED => {
                let mut items = Vec::new();
                while !self.tokens.skip(']')? {
                    items.push(self.value(depth + 1)?);
                    if !self.tokens.skip(',')? {
                        self.tokens.expect(']')?;
                        break;
                    }
                }
                ScadValue::List(items)
            }
            other => return Err(at.error(format!("{other} is no value: give a number, true, false, undef or a list"))),
        })
    }

    /// Reads `;`, `{…}` or a single child.
    fn children(&mut self, depth: usize) -> Result<Vec<Csg>, CsgTextError> {
        if self.tokens.skip(';')? {
            return Ok(Vec::new());
        }
        if !self.tokens.skip('{')? {
            return Ok(self.statement(depth + 1)?.into_iter().collect());
        }
        let mut children = Vec::new();
        while !self.tokens.skip('}')? {
            children.extend(self.statement(depth + 1)?);
        }
        Ok(children)
    }
}

impl ScadValue {
    fn numbers(&self) -> Option<Vec<f64>> {
        let Self::List(items) = self else { return None };
        let number = |item: &Self| if let Self::Number(number) = item { Some(*number) } else { None };
        items.iter().map(number).collect()
    }
}

impl Arguments {
    /// Returns an argument by its name, or by its position among those without a name.
    fn get(&self, name: &str, position: usize) -> Option<&ScadValue> {
        let named = self.values.iter().find(|(own, _)| own.as_deref() == Some(name));
        let unnamed = || self.values.iter().filter(|(own, _)| own.is_none()).nth(position);
        named.or_else(unnamed).map(|(_, value)| value).filter(|value| **value != ScadValue::Other)
    }

    fn number(&self, name: &str, position: usize) -> Result<Option<f64>, CsgTextError> {
        match self.get(name, position) {
            None => Ok(None),
            Some(ScadValue::Number(number)) => Ok(Some(*number)),
            Some(_) => Err(self.at.error(format!("`{name}` is no number: give one"))),
        }
    }

    fn is_true(&self, name: &str, position: usize) -> bool {
        self.get(name, position) == Some(&ScadValue::Bool(true))
    }

    /// Returns the map of `multmatrix`: three or four rows of four numbers, the last one 0 0 0 1.
    fn map(&self) -> Result<Affine, CsgTextError> {
        let wrong = || self.at.error("`multmatrix` needs four rows of 4 numbers, the last one [0, 0, 0, 1]".to_owned());
        let Some(ScadValue::List(rows)) = self.get("m", 0) else { return Err(wrong()) };
        let row = |row: &ScadValue| row.numbers().and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
        let rows: Vec<[f64; 4]> = rows.iter().map(row).collect::<Option<_>>().ok_or_else(wrong)?;
        let [a, b, c] = match *rows.as_slice() {
            [a, b, c] | [a, b, c, [0.0, 0.0, 0.0, 1.0]] => [a, b, c],
            _ => return Err(wrong()),
        };
        let column = |k: usize| Vec3::new(a[k], b[k], c[k]);
        let map = Affine::new(Mat3::from_cols(column(0), column(1), column(2)), column(3));
        map.map_err(|error| self.at.error(error.to_string()))
    }
}
