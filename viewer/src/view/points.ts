// Points: round dots of a size in pixels with a dark rim, drawn over the surfaces.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, ShaderMaterial, WebGLRenderer } from 'three';

const VERTEX = /* glsl */ `
uniform float size;
attribute vec3 tint;
varying vec3 v_tint;
void main() {
  v_tint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const FRAGMENT = /* glsl */ `
varying vec3 v_tint;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  if (r > 1.0) discard;
  gl_FragColor = vec4(v_tint * (r > 0.72 ? 0.25 : 1.0), 1.0);
  #include <colorspace_fragment>
}`;

/** Round dots, each with a colour. Fill it with `begin`, `put`, `end`. */
export class Dots extends Points<BufferGeometry, ShaderMaterial> {
  private capacity = 0;
  private at = new Float32Array(0);
  private tints = new Float32Array(0);
  filled = 0;

  constructor(size: number, order = 6) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { size: { value: size } }, depthTest: false, depthWrite: false, transparent: true,
    });
    super(new BufferGeometry(), material);
    this.frustumCulled = false;
    this.renderOrder = order;
    this.visible = false;
    this.onBeforeRender = (renderer: WebGLRenderer) => {
      material.uniforms.size!.value = size * renderer.getPixelRatio();
      material.uniformsNeedUpdate = true;
    };
  }

  override raycast(): void {}

  begin(): void {
    this.filled = 0;
  }

  put(x: number, y: number, z: number, tint: [number, number, number]): void {
    if (this.filled === this.capacity) {
      this.capacity = Math.max(64, 2 * this.capacity);
      const [at, tints] = [new Float32Array(3 * this.capacity), new Float32Array(3 * this.capacity)];
      at.set(this.at);
      tints.set(this.tints);
      [this.at, this.tints] = [at, tints];
      this.geometry.dispose();
      this.geometry.setAttribute('position', new BufferAttribute(at, 3).setUsage(DynamicDrawUsage));
      this.geometry.setAttribute('tint', new BufferAttribute(tints, 3).setUsage(DynamicDrawUsage));
    }
    this.at.set([x, y, z], 3 * this.filled);
    this.tints.set(tint, 3 * this.filled++);
  }

  end(): void {
    this.visible = this.filled > 0;
    this.geometry.setDrawRange(0, this.filled);
    for (const name of ['position', 'tint']) {
      const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
      if (attribute) attribute.needsUpdate = true;
    }
  }
}
