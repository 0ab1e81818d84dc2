//! Chains of operations on curved solids: how often rounding spoils a result.
use heurt_geometry::{Pose, Quat, SplitMix64};
use heurt_mesh::{check, generate};
use heurt_solid::{SetOperation, SolidMesh, combine};
fn main() {
    let mut fails = 0;
    let mut ops = 0;
    for seed in 0..20 {
        let mut random = SplitMix64::new(seed);
        let tool = [
            generate::cuboid([0.4, 0.3, 0.5]).unwrap(),
            generate::icosphere(0.5, 2).unwrap(),
            generate::torus(0.6, 0.2, 16, 8).unwrap(),
        ];
        let mut all = SolidMesh::new(&generate::cuboid([1.0, 1.0, 1.0]).unwrap()).unwrap();
        for k in 0..40 {
            let axis = random.vector(-1.0, 1.0).normalize();
            let turn = Quat::from_axis_angle(axis, random.between(0.0, 6.0));
            let pose = Pose::from_quaternion(turn.to_array(), random.vector(-1.2, 1.2)).unwrap();
            let tool = SolidMesh::new(&tool[random.below(3)].transformed(&pose).unwrap()).unwrap();
            let op =
                [SetOperation::Union, SetOperation::Difference, SetOperation::SymmetricDifference][random.below(3)];
            ops += 1;
            let begun = std::time::Instant::now();
            let result = match combine(&all, &tool, op) {
                Ok(Some(r)) => r,
                Ok(None) => break,
                Err(e) => {
                    println!("seed {seed} step {k} {op:?}: {e}");
                    fails += 1;
                    break;
                }
            };
            let s = begun.elapsed().as_secs_f64();
            if s > 0.5 {
                println!("slow {s}");
            }
            match SolidMesh::new(&result) {
                Ok(solid) => all = solid,
                Err(e) => {
                    fails += 1;
                    for f in check(&result).faults.iter().filter(|f| f.kind() == "self-intersection") {
                        if let heurt_mesh::Fault::SelfIntersection { triangles, .. } = f {
                            for t in triangles {
                                let c = result.corners(*t);
                                println!(
                                    "  {c:?} sides {:.2e} {:.2e} {:.2e} area {:.2e}",
                                    (c[1] - c[0]).length(),
                                    (c[2] - c[1]).length(),
                                    (c[0] - c[2]).length(),
                                    (c[1] - c[0]).cross(c[2] - c[0]).length()
                                );
                            }
                            println!();
                        }
                    }
                    println!(
                        "seed {seed} step {k} {op:?} {} triangles: {e} {:?}",
                        result.triangles().len(),
                        check(&result).counts.iter().map(ToString::to_string).collect::<Vec<_>>()
                    );
                    break;
                }
            }
        }
        println!("seed {seed}: {} triangles", all.mesh().triangles().len());
    }
    println!("{fails} of {ops}");
}
