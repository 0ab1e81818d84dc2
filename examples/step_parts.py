# Writes two STEP assemblies into the present folder, with a mistake in each: fan.step (thin blades around a hub in a
# ring; the last blade is too long) and beam.step (a slender beam on two posts; the prop under it is too high). Lengths
# are in millimetres. Needs `pip install gmsh`, which contains Open CASCADE. docs/from-another-program.md goes on.
import math
import gmsh

occ = gmsh.model.occ


def cylinder(x, low, high, radius):
    return occ.addCylinder(x, 0, low, 0, 0, high - low, radius)


def write(name):
    occ.synchronize()
    gmsh.write(f"{name}.step")


def cut(volume, tools):
    return occ.cut([(3, volume)], [(3, tool) for tool in tools])[0][0][1]


gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)

# Part 1 of the file is the shaft, 2 the hub, 3 the ring; then come the blades.
gmsh.model.add("fan")
cylinder(0, -20, 20, 4)
cut(cylinder(0, -8, 8, 15), [cylinder(0, -9, 9, 4)])
cut(cylinder(0, -10, 10, 63), [cylinder(0, -11, 11, 60.2)])
for k in range(9):
    reach = 60.3 if k == 8 else 60
    blade = occ.addBox(14, -4, -0.4, reach - 14, 8, 0.8)
    occ.rotate([(3, blade)], 0, 0, 0, 1, 0, 0, math.radians(35))
    occ.rotate([(3, blade)], 0, 0, 0, 0, 0, 1, 2 * math.pi * k / 9)
write("fan")

# Two bolts, the beam, two posts, the prop.
gmsh.model.add("beam")
for x in (10, 1990):
    cylinder(x, -30, 20, 3)
cut(occ.addBox(0, -10, 0, 2000, 20, 4), [cylinder(x, -1, 5, 3) for x in (10, 1990)])
for x in (10, 1990):
    cut(occ.addBox(x - 20, -20, -500, 40, 40, 500), [cylinder(x, -40, 1, 3)])
cylinder(1000, -500, 0.5, 12)
write("beam")
gmsh.finalize()
