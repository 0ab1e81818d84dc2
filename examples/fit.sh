#!/bin/sh
# Does a bolt fit a hole? Moves it until the answer changes.
# Usage: sh examples/fit.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make plate --size 0.04,0.04,0.01 --holes 1,1 --hole-diameter 0.009 -o "$folder/plate.stl"
"$heurt" make bolt --diameter 0.008 --length 0.03 -o "$folder/bolt.stl"
for x in 0 0.0003 0.0006; do
    if "$heurt" check "$folder/plate.stl" "$folder/bolt.stl" --pose-b "$x,0,0.011" --quiet; then
        echo "moved by $x m: free"
    else
        echo "moved by $x m: it clashes"
    fi
done
