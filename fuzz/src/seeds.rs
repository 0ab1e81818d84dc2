//! Seeds that are made here: small whole files of every variant of the formats that need no folder of files.

use crate::{Target, zip};
use heurt_io::{Format, VolumeFormat};

/// The seeds of a reader that are not files.
pub fn generated(target: Target) -> Vec<Vec<u8>> {
    match target {
        Target::Model(Format::ThreeMf) => vec![packages(), production()],
        Target::Model(Format::Dae) => vec![primitives().into_bytes(), hierarchy().into_bytes()],
        Target::Model(Format::Volume(VolumeFormat::Vtk)) => vec![polygonal().into_bytes(), vtk_faces().into_bytes()],
        Target::Model(Format::Volume(VolumeFormat::Vtu)) => vec![vtp().into_bytes()],
        Target::Model(Format::Volume(VolumeFormat::Msh)) => vec![msh().into_bytes()],
        Target::Model(Format::Volume(VolumeFormat::Medit)) => vec![medit().into_bytes()],
        _ => Vec::new(),
    }
}

const RELATIONSHIPS: &str = r#"<Relationships><Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;

const MESH: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="2" z="0.5"/></vertices><triangles><triangle v1="0" v2="1" v3="2" pid="1" p1="0"/></triangles></mesh>"#;

fn package(root: String, others: &[(&str, String)]) -> Vec<u8> {
    let mut members = vec![
        ("_rels/.rels".to_owned(), RELATIONSHIPS.as_bytes().to_vec()),
        ("3D/3dmodel.model".to_owned(), root.into_bytes()),
    ];
    members.extend(others.iter().map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes())));
    zip::pack(&members)
}

/// Materials, components, transforms, types.
fn packages() -> Vec<u8> {
    let root = format!(
        r##"<?xml version="1.0"?><model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="inch"><metadata name="a">b</metadata><resources><basematerials id="1"><base name="a" displaycolor="#FF8000"/></basematerials><object id="2" name="rod" pid="1" pindex="0">{MESH}</object><object id="3" type="support">{MESH}</object><object id="4" name="engine"><components><component objectid="2" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/><component objectid="3"/><component objectid="2" transform="2 0 0 0 2 0 0 0 -2 0 0 0"/></components></object></resources><build><item objectid="4"/><item objectid="2" partnumber="x" transform="1 0 0 1 1 0 0 0 1 0 0 5"/></build></model>"##
    );
    package(root, &[])
}

/// Another model part, in another unit.
fn production() -> Vec<u8> {
    let root = r#"<model xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p"><resources><object id="1" name="a"><components><component objectid="1" p:path="/3D/b.model"/></components></object></resources><build><item objectid="1"/></build></model>"#;
    let other = format!(
        r#"<model unit="micron"><resources><object id="1" name="b">{MESH}</object></resources><build/></model>"#
    );
    package(root.to_owned(), &[("3D/b.model", other)])
}

fn collada(primitives: &str, nodes: &str, scene: &str) -> String {
    format!(
        r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/></asset><library_geometries><geometry id="g" name="tri"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0.5 0 0 3</float_array><technique_common><accessor source="#a" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitives}</mesh></geometry></library_geometries><library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
    )
}

/// Every primitive.
fn primitives() -> String {
    let primitive = |kind: &str, content: &str| {
        format!(r##"<{kind} count="1"><input semantic="VERTEX" source="#v" offset="0"/>{content}</{kind}>"##)
    };
    let all = [
        primitive("triangles", "<p>0 1 2</p>"),
        primitive("polylist", "<vcount>4 3</vcount><p>0 1 3 2 1 2 3</p>"),
        primitive("polygons", "<p>0 1 2</p><ph><p>1 2 3</p><h>0 1 2</h></ph>"),
        primitive("tristrips", "<p>0 1 2 3</p>"),
        primitive("trifans", "<p>0 1 2 3</p>"),
    ];
    collada(&all.concat(), "", r##"<node id="n"><instance_geometry url="#g"/></node>"##)
}

/// Every transform, and shared nodes.
fn hierarchy() -> String {
    let triangles = r##"<triangles><input semantic="NORMAL" source="#p" offset="1"/><input semantic="VERTEX" source="#v"/><p>0 9 1 9 2 9</p></triangles>"##;
    let nodes = r##"<node id="rod"><scale>1 2 -3</scale><instance_geometry url="#g"/></node>"##;
    let scene = r##"<node id="a" name="engine"><translate>1 2 3</translate><rotate>0 0 1 90</rotate><node id="b"><matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix><instance_node url="#rod"/></node><node><skew>30 1 0 0 0 1 0</skew><lookat>0 0 5 1 0 0 0 0 1</lookat><instance_node url="#rod"/><instance_controller url="#c"/></node></node>"##;
    collada(triangles, nodes, scene)
}

const POINTS: &str = "0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0";

fn polygonal() -> String {
    format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n{POINTS}\nLINES 1 3\n2 0 1\nPOLYGONS 2 8\n4 0 1 2 3\n2 0 1\nTRIANGLE_STRIPS 1 5\n4 1 4 2 5\n"
    )
}

fn vtk_faces() -> String {
    format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n{POINTS}\nCELLS 5 24\n3 0 1 2\n4 0 1 2 3\n4 0 1 3 2\n4 0 1 2 3\n4 0 1 3 2\nCELL_TYPES 5\n5 9 8 7 6\n"
    )
}

fn vtp() -> String {
    let section = |tag: &str, corners: &str, ends: &str| {
        format!(
            r#"<{tag}><DataArray type="Int64" Name="connectivity">{corners}</DataArray><DataArray type="Int64" Name="offsets">{ends}</DataArray></{tag}>"#
        )
    };
    format!(
        r#"<VTKFile type="PolyData"><PolyData><Piece><Points><DataArray type="Float32">{POINTS}</DataArray></Points>{}{}{}</Piece></PolyData></VTKFile>"#,
        section("Lines", "0 1", "2"),
        section("Strips", "1 4 2 5", "4"),
        section("Polys", "0 1 2 3 0 1 2", "4 7"),
    )
}

fn msh() -> String {
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n2\n1 2 2 0 0 1 2 3\n2 3 2 0 0 1 2 3 4\n$EndElements\n".to_owned()
}

fn medit() -> String {
    "MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 Triangles 1 1 2 3 0 Quadrilaterals 1 1 2 3 4 0 End".to_owned()
}
