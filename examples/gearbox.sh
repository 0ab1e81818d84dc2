#!/bin/sh
# Makes an assembly, checks all pairs of its parts, and writes the curves in which surfaces meet.
# Usage: sh examples/gearbox.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make demo -o "$folder/gearbox.glb"
# Status 1 says that there is interference, which is what this assembly is for.
"$heurt" check "$folder/gearbox.glb" --contours "$folder/clashes.obj" || [ $? -eq 1 ]
echo "curves: $(grep -c '^l' "$folder/clashes.obj")"
