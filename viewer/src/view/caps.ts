// Caps: fill the cut faces of solids, and the overlaps of pairs in them; overlaps in a flat colour.
//
// Method: along the ray of a pixel, back faces minus front faces behind the plane count how often the solid winds round the
// point of the plane. The stencil counts them for one solid at a time; then the plane is drawn where the count is not 0, and
// sets it to 0. For an overlap the highest bit keeps the first solid while the others count the second. All caps draw the
// same rectangle, so that depths in one plane agree to the bit and the last one counts; a scissor keeps each to its solid.
import {
  AlwaysStencilFunc, BackSide, DecrementWrapStencilOp, DoubleSide, FrontSide, Group, IncrementWrapStencilOp, LessStencilFunc, type Material, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  NotEqualStencilFunc, type Camera, PlaneGeometry, ReplaceStencilOp, Vector3, ZeroStencilOp, type BufferGeometry, type Matrix4, type Plane, Sphere, type StencilOp, Vector2, type WebGLRenderer,
} from 'three';

/** A closed surface at its place. */
export interface Solid {
  /** A sphere around it in the world. */
  sphere: Sphere;
  geometry: BufferGeometry;
  matrix: Matrix4;
}

/** Bit that keeps where the first solid of a pair is, and the bits that count. */
const KEPT = 0x80;
const COUNT = 0x7f;

export class Caps extends Group {
  private readonly quad = new PlaneGeometry(2, 2);
  private order = 0;
  /** Nothing is drawn outside the part of the screen that it covers. */
  private clip = new Sphere();

  /** Fills what a plane cuts; overlaps lie over the solids. */
  fill(plane: Plane | null, scene: Sphere, solids: (Solid & { colour: string })[], overlaps: { of: [Solid, Solid]; colour: string }[]): void {
    for (const child of this.children) ((child as Mesh).material as Material).dispose();
    this.clear();
    if (!plane) return;
    // Surfaces come first.
    this.order = 1;
    const foot = plane.projectPoint(scene.center, new Vector3());
    const zero = { stencilFail: ZeroStencilOp, stencilZFail: ZeroStencilOp, stencilZPass: ZeroStencilOp } as const;
    const style = (color: string, when: object): object => ({ color, side: DoubleSide, stencilWrite: true, ...zero, ...when });
    for (const solid of solids) {
      this.clip = solid.sphere;
      this.tally(solid, plane, 0xff);
      this.add_quad(plane, foot, scene.radius, new MeshLambertMaterial(style(solid.colour, { stencilFunc: NotEqualStencilFunc, stencilRef: 0 })));
    }
    for (const { of: [a, b], colour } of overlaps) {
      this.clip = a.sphere.radius < b.sphere.radius ? a.sphere : b.sphere;
      this.tally(a, plane, 0xff);
      this.add_quad(plane, foot, scene.radius, new MeshBasicMaterial({
        colorWrite: false, depthWrite: false, depthTest: false, side: DoubleSide, stencilWrite: true, stencilFunc: NotEqualStencilFunc, stencilRef: KEPT, stencilFuncMask: COUNT, stencilZPass: ReplaceStencilOp,
      }));
      this.tally(b, plane, COUNT);
      this.add_quad(plane, foot, scene.radius, new MeshBasicMaterial(style(colour, { stencilFunc: LessStencilFunc, stencilRef: KEPT })));
    }
  }

  /** Counts the faces of a solid behind the plane in bits of the stencil. */
  private tally({ geometry, matrix }: Solid, plane: Plane, bits: number): void {
    const add = (side: typeof BackSide | typeof FrontSide, step: StencilOp): void => {
      const material = new MeshBasicMaterial({
        side, colorWrite: false, depthWrite: false, depthTest: false, clippingPlanes: [plane], stencilWrite: true, stencilFunc: AlwaysStencilFunc, stencilWriteMask: bits, stencilZPass: step,
      });
      this.put(new Mesh(geometry, material), matrix);
    };
    add(BackSide, IncrementWrapStencilOp);
    add(FrontSide, DecrementWrapStencilOp);
  }

  private add_quad(plane: Plane, foot: Vector3, radius: number, material: Material): void {
    const mesh = new Mesh(this.quad, material);
    mesh.position.copy(foot);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), plane.normal);
    mesh.scale.setScalar(radius);
    mesh.updateMatrix();
    this.put(mesh, mesh.matrix.clone());
  }

  private put(mesh: Mesh, matrix: Matrix4): void {
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(matrix);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order++;
    const { clip } = this;
    mesh.onBeforeRender = (renderer, _scene, camera) => set_scissor(renderer, camera, clip);
    mesh.onAfterRender = (renderer) => renderer.setScissorTest(false);
    this.add(mesh);
  }
}

/** Keeps what is drawn to the part of the screen that a sphere covers, unless it reaches behind the camera. */
function set_scissor(renderer: WebGLRenderer, camera: Camera, { center, radius }: Sphere): void {
  const MARGIN = 2;
  const size = renderer.getSize(new Vector2());
  const [low, high] = [new Vector2(Infinity, Infinity), new Vector2(-Infinity, -Infinity)];
  for (let corner = 0; corner < 8; corner++) {
    const at = center.clone().add(new Vector3(corner & 1 ? radius : -radius, corner & 2 ? radius : -radius, corner & 4 ? radius : -radius));
    if (at.clone().applyMatrix4(camera.matrixWorldInverse).z >= 0) return;
    const { x, y } = at.project(camera);
    const pixel = new Vector2(((x + 1) / 2) * size.x, ((y + 1) / 2) * size.y);
    low.min(pixel);
    high.max(pixel);
  }
  low.subScalar(MARGIN).clamp(new Vector2(), size).floor();
  high.addScalar(MARGIN).clamp(new Vector2(), size).ceil();
  renderer.setScissor(low.x, low.y, high.x - low.x, high.y - low.y);
  renderer.setScissorTest(true);
}
