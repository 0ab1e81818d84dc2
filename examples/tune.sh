#!/bin/sh
# Which tree is fastest for two parts? Measures, keeps the choice, and uses it.
# Usage: sh examples/tune.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make bumpy-sphere --triangles 4000 -o "$folder/organ.stl"
"$heurt" make gear --teeth 24 -o "$folder/gear.stl"
# Volumes, degrees and builders on poses near and touching; the second half of the poses checks the choice.
"$heurt" tune "$folder/organ.stl" "$folder/gear.stl" --poses 300 -o "$folder/pair.tree"
cat "$folder/pair.tree"
# Status 1 says that they interfere. The answer is the same with any tree.
"$heurt" check "$folder/organ.stl" "$folder/gear.stl" --pose-b 1,0,0 --tree "$folder/pair.tree" || [ $? -eq 1 ]
