//! Drawing of mesh shapes: the mesh, and levels of all their trees.

use heurt_bvh::VolumeKind;
use heurt_geometry::{Aabb, Meaning, Vec3};
use heurt_mesh::generate;
use heurt_shape::{AnyTreeLevel, Degree, MeshLevel, MeshShape, PairVolume, TreeChoice};
use heurt_testkit::drawing::Drawing;

fn shape() -> MeshShape {
    MeshShape::new(generate::icosphere(2.0, 3).unwrap()).unwrap()
}

#[test]
fn a_mesh_shape_is_its_mesh() {
    let shape = shape();
    let drawing = Drawing::of(&shape);
    assert_eq!(drawing, Drawing::of(shape.mesh()));
    assert_eq!(drawing.triangles.len(), shape.mesh().triangles().len());
}

#[test]
fn levels_of_the_default_trees_surround_the_mesh() {
    let shape = shape();
    for volume in [PairVolume::Aligned, PairVolume::Oriented, PairVolume::Polytope] {
        let levels = shape.levels(volume);
        assert!(levels >= 3);
        for level in 0..levels {
            let drawing = Drawing::of(&MeshLevel { shape: &shape, volume, level });
            assert!(drawing.lines_of(Meaning::Volume(level)) > 0);
            assert_eq!(drawing.lines_of(Meaning::Volume(level + 1)), 0);
            let bounds = Aabb::from_points(drawing.places());
            assert!(
                (bounds.min - 1e-4).cmple(Vec3::splat(-2.0)).all() && (bounds.max + 1e-4).cmpge(Vec3::splat(2.0)).all()
            );
        }
    }
}

#[test]
fn levels_of_every_chosen_tree_are_drawn() {
    for volume in VolumeKind::ALL {
        for degree in [Degree::Two, Degree::Four, Degree::Eight] {
            let shape = shape().with_tree(&TreeChoice { volume, degree, ..TreeChoice::default() }).unwrap();
            let tree = shape.chosen_tree().unwrap();
            assert!(tree.levels() >= 3);
            let drawing = Drawing::of(&AnyTreeLevel { tree, level: 1 });
            assert!(drawing.lines_of(Meaning::Volume(1)) >= 12, "{}", volume.name());
            assert_eq!(drawing.lines_of(Meaning::Volume(0)), 0);
        }
    }
}
