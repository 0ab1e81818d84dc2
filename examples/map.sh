#!/bin/sh
# Partitions a block into cubes, refines it around a corner, follows a particle through it, and lists points near points.
# Usage: sh examples/map.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" map grid 8 6 4 --cell 0.25 --vtu "$folder/block.vtu"
"$heurt" map refine "$folder/block.vtu" --levels 2 --at 0,0,0 --radius 0.3 --vtu "$folder/fine.vtu" --picture "$folder/fine.png"
"$heurt" map inspect "$folder/fine.vtu"
"$heurt" map track "$folder/fine.vtu" --from 0.01,0.02,0.03 --to 1.9,1.4,0.9
# A wall stops this path: status 1.
"$heurt" map track "$folder/fine.vtu" --from 0.01,0.02,0.03 --to 3,1,0.5 || [ $? -eq 1 ]
"$heurt" make sphere --radius 0.4 --pose 1,0.75,0.5 -o "$folder/ball.ply"
"$heurt" map near "$folder/fine.vtu" --points "$folder/ball.ply" --at 1,0.75,0.9 --radius 0.2
