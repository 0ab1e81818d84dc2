// Bodies: one instanced surface and one instanced edge set per mesh; a body whose vertices move gets a surface of its own.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshLambertMaterial, Plane, Quaternion, Sphere, Vector3,
} from 'three';
import type { Mesh as MeshData } from '../codec';
import { InstancedLines } from './lines';
import { shade } from './normals';

interface Shape {
  data: MeshData;
  bodies: number[];
  geometry: BufferGeometry;
  edge_geometry: BufferGeometry;
  surface: InstancedMesh<BufferGeometry, MeshLambertMaterial>;
  edges: InstancedLines;
  sphere: Sphere;
}

interface Moved {
  vertices: Float32Array;
  surface: Mesh<BufferGeometry, MeshLambertMaterial>;
  edges: LineSegments<BufferGeometry, LineBasicMaterial>;
  sphere: Sphere;
}

/** A ray in the world; what is nearer than `least` or farther than `most` is not seen. */
export interface Ray {
  origin: Vector3;
  direction: Vector3;
  least: number;
  most: number;
}

export interface Hit {
  body: number;
  distance: number;
  point: Vector3;
}

/** Puts a pose (translation, rotation x, y, z, w at `at`) into the 16 numbers of a matrix, by columns. */
export function write_matrix(out: Float32Array, to: number, pose: ArrayLike<number>, at: number): void {
  const [x, y, z, w] = [pose[at + 3]!, pose[at + 4]!, pose[at + 5]!, pose[at + 6]!];
  out[to] = 1 - 2 * (y * y + z * z);
  out[to + 1] = 2 * (x * y + z * w);
  out[to + 2] = 2 * (x * z - y * w);
  out[to + 3] = 0;
  out[to + 4] = 2 * (x * y - z * w);
  out[to + 5] = 1 - 2 * (x * x + z * z);
  out[to + 6] = 2 * (y * z + x * w);
  out[to + 7] = 0;
  out[to + 8] = 2 * (x * z + y * w);
  out[to + 9] = 2 * (y * z - x * w);
  out[to + 10] = 1 - 2 * (x * x + y * y);
  out[to + 11] = 0;
  out[to + 12] = pose[at]!;
  out[to + 13] = pose[at + 1]!;
  out[to + 14] = pose[at + 2]!;
  out[to + 15] = 1;
}

/** Shade of back faces: below 1 while a cut shows them. */
const back_shade = { value: 1 };

/** Builds the material of surfaces. Edges and surfaces share the depth; the surface steps back so that its edges are not cut. */
function surface_material(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  shade_back(material);
  return material;
}

function shade_back(material: MeshLambertMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.back_shade = back_shade;
    shader.fragmentShader = `uniform float back_shade;\n${shader.fragmentShader}`.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\n  if (!gl_FrontFacing) diffuseColor.rgb *= back_shade;',
    );
  };
}

/** Builds drawable geometry with crease-angle normals. */
export function surface_geometry(data: MeshData): BufferGeometry {
  const { positions, normals, indices } = shade(data.vertices, data.triangles);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

export function edge_geometry(data: MeshData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(data.vertices, 3));
  geometry.setIndex(new BufferAttribute(data.edges, 1));
  return geometry;
}

function bounding_sphere(vertices: Float32Array): Sphere {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(vertices, 3));
  geometry.computeBoundingSphere();
  return geometry.boundingSphere!;
}

export class Bodies {
  readonly group = new Group();
  readonly poses: Float32Array;
  private readonly hidden: Uint8Array;
  private readonly colours: Float32Array;
  private readonly bodies_of = new Map<number, number[]>();
  private readonly shapes = new Map<number, Shape>();
  private readonly moved = new Map<number, Moved>();
  private readonly edge_material = new LineBasicMaterial({ color: '#222a33', transparent: true, opacity: 0.6 });
  private show_surfaces = true;
  private show_edges = true;

  /** `mesh_of[i]` is the mesh of body i, or null. */
  constructor(readonly mesh_of: (number | null)[]) {
    const n = mesh_of.length;
    mesh_of.forEach((mesh, body) => {
      if (mesh === null) return;
      const bodies = this.bodies_of.get(mesh);
      if (bodies) bodies.push(body);
      else this.bodies_of.set(mesh, [body]);
    });
    this.poses = new Float32Array(7 * n);
    for (let i = 0; i < n; i++) this.poses[7 * i + 6] = 1;
    this.hidden = new Uint8Array(n);
    this.colours = new Float32Array(3 * n).fill(0.6);
  }

  add_mesh(k: number, data: MeshData): void {
    const bodies = this.bodies_of.get(k);
    if (!bodies || this.shapes.has(k)) return;
    const geometry = surface_geometry(data);
    const material = surface_material();
    material.clippingPlanes = this.cut;
    const surface = new InstancedMesh(geometry, material, bodies.length);
    surface.frustumCulled = false;
    surface.instanceMatrix.setUsage(DynamicDrawUsage);
    surface.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * bodies.length), 3).setUsage(DynamicDrawUsage);
    surface.visible = this.show_surfaces;
    const lines = edge_geometry(data);
    const edges = new InstancedLines(lines, this.edge_material, surface.instanceMatrix, bodies.length);
    edges.renderOrder = 1;
    edges.visible = this.show_edges;
    this.group.add(surface, edges);
    const shape: Shape = { data, bodies, geometry, edge_geometry: lines, surface, edges, sphere: bounding_sphere(data.vertices) };
    this.shapes.set(k, shape);
    this.style(surface.material);
    this.paint(shape);
    this.place(shape);
    for (const body of bodies) {
      const vertices = this.early.get(body);
      if (vertices) this.set_vertices(body, vertices);
      this.early.delete(body);
    }
  }

  /** Gives a material the opacity that is chosen. */
  private style(material: MeshLambertMaterial): void {
    material.opacity = this.opacity;
    material.transparent = this.opacity < 1;
    material.depthWrite = this.opacity >= 1;
  }

  mesh_data(k: number): MeshData | undefined {
    return this.shapes.get(k)?.data;
  }

  set_poses(poses: Float32Array): void {
    if (poses.length !== this.poses.length) throw new Error(`${poses.length / 7} poses for ${this.poses.length / 7} bodies`);
    this.poses.set(poses);
    this.update_matrices();
  }

  set_hidden(body: number, hidden: boolean): boolean {
    const value = hidden ? 1 : 0;
    if (this.hidden[body] === value) return false;
    this.hidden[body] = value;
    return true;
  }

  is_hidden(body: number): boolean {
    return this.hidden[body] === 1;
  }

  set_colour(body: number, colour: Color): void {
    this.colours[3 * body] = colour.r;
    this.colours[3 * body + 1] = colour.g;
    this.colours[3 * body + 2] = colour.b;
  }

  update_colours(): void {
    for (const shape of this.shapes.values()) this.paint(shape);
    for (const [body, { surface }] of this.moved) surface.material.color.fromArray(this.colours, 3 * body);
  }

  private paint({ bodies, surface }: Shape): void {
    const out = surface.instanceColor!.array as Float32Array;
    bodies.forEach((body, i) => {
      for (let c = 0; c < 3; c++) out[3 * i + c] = this.colours[3 * body + c]!;
    });
    surface.instanceColor!.needsUpdate = true;
  }

  update_matrices(): void {
    for (const shape of this.shapes.values()) this.place(shape);
    for (const [body, { surface, edges }] of this.moved) {
      surface.visible = this.show_surfaces && !this.hidden[body];
      edges.visible = this.show_edges && !this.hidden[body];
      for (const object of [surface, edges]) {
        object.position.fromArray(this.poses, 7 * body);
        object.quaternion.fromArray(this.poses, 7 * body + 3);
      }
    }
  }

  private place({ bodies, surface }: Shape): void {
    const out = surface.instanceMatrix.array as Float32Array;
    for (let i = 0; i < bodies.length; i++) {
      const body = bodies[i]!;
      if (this.hidden[body] || this.moved.has(body)) out.fill(0, 16 * i, 16 * i + 16);
      else write_matrix(out, 16 * i, this.poses, 7 * body);
    }
    surface.instanceMatrix.needsUpdate = true;
  }

  /** Vertices of bodies whose meshes are not loaded yet. */
  private readonly early = new Map<number, Float32Array>();

  /** Gives a body vertices of its own. Their number has to be that of its mesh. */
  set_vertices(body: number, vertices: Float32Array): void {
    const k = this.mesh_of[body];
    const shape = k === null || k === undefined ? undefined : this.shapes.get(k);
    if (!shape) this.early.set(body, vertices);
    if (!shape || vertices.length !== shape.data.vertices.length) return;
    let own = this.moved.get(body);
    if (!own) {
      const copy = vertices.slice();
      const geometry = new BufferGeometry();
      const position = new BufferAttribute(copy, 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute('position', position);
      geometry.setIndex(new BufferAttribute(shape.data.triangles, 1));
      const lines = new BufferGeometry();
      lines.setAttribute('position', position);
      lines.setIndex(new BufferAttribute(shape.data.edges, 1));
      const material = surface_material();
      this.style(material);
      material.clippingPlanes = this.cut;
      material.color.fromArray(this.colours, 3 * body);
      own = { vertices: copy, surface: new Mesh(geometry, material), edges: new LineSegments(lines, this.edge_material), sphere: new Sphere() };
      own.surface.frustumCulled = false;
      own.edges.frustumCulled = false;
      own.edges.renderOrder = 1;
      this.moved.set(body, own);
      this.group.add(own.surface, own.edges);
      this.update_matrices();
    }
    own.vertices.set(vertices);
    own.surface.geometry.getAttribute('position').needsUpdate = true;
    own.surface.geometry.computeVertexNormals();
    own.surface.geometry.computeBoundingSphere();
    own.sphere.copy(own.surface.geometry.boundingSphere!);
  }

  show(options: { surfaces: boolean; edges: boolean }): void {
    this.show_surfaces = options.surfaces;
    this.show_edges = options.edges;
    for (const { surface, edges } of this.shapes.values()) {
      surface.visible = options.surfaces;
      edges.visible = options.edges;
    }
    this.update_matrices();
  }

  /** Makes all surfaces opaque (1) or translucent. */
  private opacity = 1;

  set_opacity(opacity: number): void {
    const materials = [...this.shapes.values()].map((s) => s.surface.material).concat([...this.moved.values()].map((m) => m.surface.material));
    this.opacity = opacity;
    for (const material of materials) {
      this.style(material);
      material.needsUpdate = true;
    }
  }

  private cut: Plane[] | null = null;

  /** Takes away what is behind a plane; back faces are darker then. */
  set_cut(plane: Plane | null): void {
    this.cut = plane ? [plane] : null;
    back_shade.value = plane ? 0.6 : 1;
    const materials = [...this.shapes.values()].map((s) => s.surface.material).concat([...this.moved.values()].map((m) => m.surface.material));
    for (const material of [...materials, this.edge_material]) material.clippingPlanes = this.cut;
  }

  set_edge_colour(colour: string): void {
    this.edge_material.color.set(colour);
  }

  /** Returns the geometry and matrix of a body, or null where it has no surface. */
  drawable(body: number): { geometry: BufferGeometry; edges: BufferGeometry; matrix: Matrix4 } | null {
    const k = this.mesh_of[body];
    const shape = k === null || k === undefined ? undefined : this.shapes.get(k);
    if (!shape || this.hidden[body]) return null;
    const matrix = new Matrix4();
    write_matrix(matrix.elements as unknown as Float32Array, 0, this.poses, 7 * body);
    const own = this.moved.get(body);
    return { geometry: own?.surface.geometry ?? shape.geometry, edges: own?.edges.geometry ?? shape.edge_geometry, matrix };
  }

  /** Returns the bounding sphere of a body in the world, or null where it has no surface. */
  sphere(body: number): Sphere | null {
    const k = this.mesh_of[body];
    const shape = k === null || k === undefined ? undefined : this.shapes.get(k);
    const local = this.moved.get(body)?.sphere ?? shape?.sphere;
    if (!local || local.radius < 0) return null;
    const center = local.center.clone().applyQuaternion(new Quaternion().fromArray(this.poses, 7 * body + 3));
    return new Sphere(center.add(new Vector3().fromArray(this.poses, 7 * body)), local.radius);
  }

  /** Returns a sphere around all bodies that are shown, or null where there are none. */
  bounds(): Sphere | null {
    let all: Sphere | null = null;
    for (let body = 0; body < this.mesh_of.length; body++) {
      const sphere = this.hidden[body] ? null : this.sphere(body);
      if (!sphere || !Number.isFinite(sphere.center.lengthSq())) continue;
      if (all) all.union(sphere);
      else all = sphere;
    }
    return all;
  }

  /** Finds the first body on a ray: spheres first, then triangles of the bodies whose sphere is hit, nearest first. */
  pick({ origin, direction, least, most }: Ray, accept: (body: number) => boolean = () => true): Hit | null {
    const candidates: { body: number; entry: number }[] = [];
    const to = new Vector3();
    for (let body = 0; body < this.mesh_of.length; body++) {
      if (this.hidden[body] || !accept(body)) continue;
      const sphere = this.sphere(body);
      if (!sphere) continue;
      to.subVectors(sphere.center, origin);
      const along = to.dot(direction);
      const off_sq = to.lengthSq() - along * along;
      const radius_sq = sphere.radius * sphere.radius;
      if (!(off_sq <= radius_sq)) continue;
      const half = Math.sqrt(radius_sq - off_sq);
      if (along + half < least) continue;
      candidates.push({ body, entry: along - half });
    }
    candidates.sort((a, b) => a.entry - b.entry);
    let best: Hit | null = null;
    for (const { body, entry } of candidates) {
      if (best && entry > best.distance) break;
      const distance = this.ray_body(body, origin, direction, least);
      if (distance !== null && (!best || distance < best.distance)) {
        best = { body, distance, point: origin.clone().addScaledVector(direction, distance) };
      }
    }
    return best && best.distance <= most ? best : null;
  }

  private ray_body(body: number, origin: Vector3, direction: Vector3, least: number): number | null {
    const data = this.shapes.get(this.mesh_of[body]!)!.data;
    const vertices = this.moved.get(body)?.vertices ?? data.vertices;
    const back = new Quaternion().fromArray(this.poses, 7 * body + 3).invert();
    const o = origin.clone().sub(new Vector3().fromArray(this.poses, 7 * body)).applyQuaternion(back);
    const d = direction.clone().applyQuaternion(back);
    return ray_triangles(vertices, data.triangles, o, d, least);
  }
}

/** Returns the distance to the first triangle that a ray meets beyond `least`, from either side (Möller and Trumbore). */
export function ray_triangles(vertices: Float32Array, triangles: Uint32Array, o: Vector3, d: Vector3, least: number): number | null {
  let best = Infinity;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    const [ax, ay, az] = [vertices[a]!, vertices[a + 1]!, vertices[a + 2]!];
    const [ux, uy, uz] = [vertices[b]! - ax, vertices[b + 1]! - ay, vertices[b + 2]! - az];
    const [vx, vy, vz] = [vertices[c]! - ax, vertices[c + 1]! - ay, vertices[c + 2]! - az];
    const [px, py, pz] = [d.y * vz - d.z * vy, d.z * vx - d.x * vz, d.x * vy - d.y * vx];
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const [sx, sy, sz] = [o.x - ax, o.y - ay, o.z - az];
    const u = (sx * px + sy * py + sz * pz) / det;
    if (!(u >= 0 && u <= 1)) continue;
    const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
    const v = (d.x * qx + d.y * qy + d.z * qz) / det;
    if (!(v >= 0 && u + v <= 1)) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (distance >= least && distance < best) best = distance;
  }
  return best === Infinity ? null : best;
}
