#!/bin/sh
# Solids: a bolt is cut out of a plate, and the shared volume of an assembly is written.
# Usage: sh examples/solid.sh [path of heurt]
set -eu
heurt=$(realpath "${1:-target/release/heurt}")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

"$heurt" make plate -o plate.obj
"$heurt" make bolt -o bolt.obj
"$heurt" solid difference plate.obj bolt.obj -o bored.obj --pose-b 0.003,0.003,0
"$heurt" inspect bored.obj --strict
# The volumes of the dented plate and of the shared solid add up to the plate.
"$heurt" inspect plate.obj
"$heurt" solid intersection plate.obj bolt.obj --pose-b 0.003,0.003,0 --json
"$heurt" make demo -o gearbox.glb
"$heurt" check gearbox.glb --volumes --solids shared.glb --no-depth --exit-zero
"$heurt" inspect shared.glb
