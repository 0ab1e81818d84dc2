#!/bin/sh
# CSG trees: an OpenSCAD file and a JSON tree as closed meshes and pictures, and a query of a tree.
# Usage: sh examples/csg.sh [path of heurt]
set -eu
heurt=$(realpath "${1:-target/release/heurt}")
trees=$(cd "$(dirname "$0")/csg" && pwd)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

"$heurt" solid evaluate "$trees/drilled.csg" -o drilled.stl --tolerance 0.05
"$heurt" inspect drilled.stl --strict -q
"$heurt" solid render "$trees/drilled.csg" -o drilled.png --picture-size 320x200
"$heurt" solid evaluate "$trees/bracket.json" -o bracket.obj
"$heurt" solid render "$trees/bracket.json" -o bracket.png --picture-size 320x200
# What a tree lacks of its first operand: the evaluated bracket is an operand as well.
"$heurt" make box --half 0.03,0.02,0.003 -o plate.obj
"$heurt" solid difference plate.obj bracket.obj --json
