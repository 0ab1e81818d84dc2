#!/bin/sh
# Everything in one go: meshes and poses, the peers from their wheels and from C++, then heurt and the Rust peers.
# Tables go to standard output and to target/report.md. Give a folder for the Python environment as the first argument.
# The C++ loops are built where g++ and the headers of Eigen and FCL, and of CGAL, are there (Debian: libeigen3-dev libfcl-dev libcgal-dev).
set -eu
cd "$(dirname "$0")"
venv=${1:-target/venv}
data=target/data

cargo build --release --manifest-path ../Cargo.toml -p heurt-cli
cargo build --release
bench=target/release/heurt-bench
"$bench" prepare --data "$data"

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet -r peers.txt
fi
rm -f "$data/peers.tsv"
"$venv/bin/python" peers.py "$data"
"$bench" deform --case cloth --rounds 1 --data "$data" >/dev/null
"$venv/bin/python" peers_cloth.py "$data"
"$bench" deform --case impacts --rounds 1 --data "$data" >/dev/null
"$venv/bin/python" peers_impacts.py "$data"
"$bench" ccd --rounds 1 --data "$data" >/dev/null
"$venv/bin/python" peers_ccd.py "$data" --case simulated

for count in 1000 10000 100000; do
    "$bench" broad --case write --case "$count" --data "$data" >/dev/null
done
packages=$("$venv/bin/python" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parent.parent)')
cases="smooth-10k smooth-100k gears plates gears-meshed plates-stacked brackets hull-8 hull-32 hull-128 box-100k capsule-100k broad-1000 broad-10000 broad-100000"
flags="-std=c++17 -O3 -DNDEBUG -I/usr/include/eigen3"
if g++ $flags -DCOAL -I"$packages/cmeel.prefix/include" peers.cpp -o target/peers-coal \
    -L"$packages/cmeel.prefix/lib" -lcoal -Wl,-rpath,"$packages/cmeel.prefix/lib" 2>target/peers-coal.log; then
    # shellcheck disable=SC2086
    target/peers-coal "$data" $cases | tee -a "$data/peers.tsv"
fi
if g++ $flags -DFCL peers.cpp -o target/peers-fcl "$packages"/python_fcl.libs/libfcl-*.so* \
    -Wl,-rpath,"$packages/python_fcl.libs" 2>target/peers-fcl.log; then
    # shellcheck disable=SC2086
    target/peers-fcl "$data" $cases | tee -a "$data/peers.tsv"
fi
if g++ -std=c++17 -O3 -DNDEBUG peers_map.cpp -o target/peers-map -lgmp 2>target/peers-map.log; then
    target/peers-map 32 7 | tee -a "$data/peers.tsv"
fi

"$bench" all --data "$data" | tee target/report.md
