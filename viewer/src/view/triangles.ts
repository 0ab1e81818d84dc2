// Triangle sets that change with each frame: triangles that intersect, and translucent faces.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshBasicMaterial } from 'three';

/** Triangles, each with a colour. Fill it with `begin`, `put`, `end`. */
export class TriangleSet extends Mesh<BufferGeometry, MeshBasicMaterial> {
  private capacity = 0;
  private corners = new Float32Array(0);
  private tints = new Float32Array(0);
  filled = 0;

  constructor(opacity: number, order: number) {
    const material = new MeshBasicMaterial({
      vertexColors: true, side: DoubleSide, transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
      polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4, // Wins against the surface that holds it.
    });
    super(new BufferGeometry(), material);
    this.frustumCulled = false;
    this.renderOrder = order;
    this.visible = false;
  }

  override raycast(): void {}

  begin(): void {
    this.filled = 0;
  }

  /** Adds the 9 coordinates at `from`. */
  put(source: Float32Array, from: number, tint: [number, number, number]): void {
    if (this.filled === this.capacity) {
      this.capacity = Math.max(64, 2 * this.capacity);
      const [corners, tints] = [new Float32Array(9 * this.capacity), new Float32Array(9 * this.capacity)];
      corners.set(this.corners);
      tints.set(this.tints);
      [this.corners, this.tints] = [corners, tints];
      this.geometry.dispose();
      this.geometry.setAttribute('position', new BufferAttribute(corners, 3).setUsage(DynamicDrawUsage));
      this.geometry.setAttribute('color', new BufferAttribute(tints, 3).setUsage(DynamicDrawUsage));
    }
    const at = 9 * this.filled++;
    for (let i = 0; i < 9; i++) this.corners[at + i] = source[from + i]!;
    for (let i = 0; i < 9; i++) this.tints[at + i] = tint[i % 3]!;
  }

  end(): void {
    this.visible = this.filled > 0;
    this.geometry.setDrawRange(0, 3 * this.filled);
    for (const name of ['position', 'color']) {
      const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
      if (attribute) attribute.needsUpdate = true;
    }
  }
}
