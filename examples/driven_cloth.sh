#!/bin/sh
# A cloth whose vertices another program computes: here awk bulges it step by step until it meets a ball above it.
# Usage: sh examples/driven_cloth.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# A square metre of 20 by 20 cells.
awk 'BEGIN {
    n = 20
    for (j = 0; j <= n; j++) for (i = 0; i <= n; i++) printf "v %g %g 0\n", i / n, j / n
    for (j = 0; j < n; j++) for (i = 0; i < n; i++) {
        a = j * (n + 1) + i + 1
        printf "f %d %d %d\nf %d %d %d\n", a, a + 1, a + n + 2, a, a + n + 2, a + n + 1
    }
}' >"$folder/cloth.obj"
cat >"$folder/scene.toml" <<'SCENE'
[world]
step = 0.01
seconds = 0.5

[[body]]
name = "cloth"
kind = "soft"
shape = { type = "mesh", path = "cloth.obj" }

[[body]]
name = "ball"
kind = "static"
shape = { type = "sphere", radius = 0.1 }
pose = { translation = [0.5, 0.5, 0.3] }
SCENE
# A line a step: all vertices, in metres, in the frame of the cloth.
awk 'BEGIN {
    n = 20; pi = 3.14159265358979
    for (step = 1; step <= 50; step++) {
        printf "{\"step\":%d,\"body\":\"cloth\",\"vertices\":[", step
        for (j = 0; j <= n; j++) for (i = 0; i <= n; i++) {
            if (i + j > 0) printf ","
            printf "[%g,%g,%g]", i / n, j / n, 0.008 * step * sin(pi * i / n) * sin(pi * j / n)
        }
        print "]}"
    }
}' >"$folder/vertices.jsonl"
"$heurt" run "$folder/scene.toml" --control "$folder/vertices.jsonl" --trace "$folder/trace.jsonl" --trace-faces
# The faces that intersect as the run ends.
tail -n 1 "$folder/trace.jsonl" | sed 's/.*"faces":/faces: /; s/,"joints".*//' | cut -c 1-120
