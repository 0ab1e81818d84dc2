//! Operands of set operations: parts of an assembly as solids, and the results of operations on them.

use crate::Failure;
use crate::check::LoadedAssembly;
use crate::progress::Progress;
use heurt::assembly::AssemblyPart;
use heurt::mesh::TriMesh;
use heurt::solid::{SetOperation, SolidMesh, combine};
use rayon::prelude::*;

/// A solid with a name, which may be empty.
#[derive(Clone)]
pub(super) struct Operand {
    pub(super) name: String,
    pub(super) mesh: Option<TriMesh>,
    /// At least the change of each coordinate of each part, in the unit of the input.
    pub(super) moved: f64,
}

impl Operand {
    /// Makes the parts of an assembly operands, in their order.
    pub(super) fn of_parts(assembly: &LoadedAssembly, progress: &Progress) -> Result<Vec<Self>, Failure> {
        let make = |part: &AssemblyPart| {
            let mesh = assembly.shapes[part.shape].mesh().transformed(&part.pose);
            progress.step();
            mesh.map(|mesh| Self { name: part.name.clone(), mesh: Some(mesh), moved: 0.0 })
                .map_err(|source| Failure::NoSolid { part: part.name.clone(), source: Box::new(source.into()) })
        };
        assembly.parts.par_iter().map(make).collect()
    }

    fn solid(&self) -> Result<Option<SolidMesh>, Failure> {
        let refuse = |source| Failure::NoSolid { part: self.name.clone(), source: Box::new(source) };
        self.mesh.as_ref().map(|mesh| SolidMesh::new(mesh).map_err(refuse)).transpose()
    }

    /// Combines two operands.
    fn combined(&self, other: &Self, operation: SetOperation) -> Result<Self, Failure> {
        let (a, b) = rayon::join(|| self.solid(), || other.solid());
        let mut moved = self.moved.max(other.moved);
        let mesh = match (a?, b?) {
            (Some(a), Some(b)) => {
                let result = combine(&a, &b, operation).map_err(|source| Failure::NoSetOperation {
                    a: self.name.clone(),
                    b: other.name.clone(),
                    source: Box::new(source),
                })?;
                moved = result.moved_from([self.moved, other.moved]);
                result.mesh
            }
            (Some(a), None) => operation.contains(true, false).then(|| a.mesh().clone()),
            (None, Some(b)) => operation.contains(false, true).then(|| b.mesh().clone()),
            (None, None) => None,
        };
        Ok(Self { name: format!("{} and {}", self.name, other.name), mesh, moved })
    }
}

/// Combines operands: neighbours first, then the results of neighbours, until one is left. At least one is given.
pub(super) fn reduce(
    operation: SetOperation,
    mut operands: Vec<Operand>,
    progress: &Progress,
) -> Result<Operand, Failure> {
    while operands.len() > 1 {
        let combine = |pair: &[Operand]| match pair {
            [a, b] => {
                let result = a.combined(b, operation);
                progress.step();
                result
            }
            _ => Ok(pair[0].clone()),
        };
        operands = operands.par_chunks(2).map(combine).collect::<Result<_, _>>()?;
    }
    operands.pop().ok_or(Failure::OneOperand)
}
