// Lines: thin ones of one pixel that are instanced, and thick ones with a width in pixels.
import {
  BufferGeometry, Camera, Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, LineBasicMaterial, LineSegments,
  Mesh, Float32BufferAttribute, ShaderMaterial, Vector2, WebGLRenderer,
} from 'three';

/** Line segments that are drawn once for each matrix, as an InstancedMesh draws triangles. */
export class InstancedLines extends LineSegments<BufferGeometry, LineBasicMaterial> {
  // The renderer takes an object with these fields as instanced, whatever it draws.
  readonly isInstancedMesh = true;
  instanceColor: InstancedBufferAttribute | null = null;
  morphTexture = null;
  constructor(
    geometry: BufferGeometry,
    material: LineBasicMaterial,
    public instanceMatrix: InstancedBufferAttribute,
    public override count: number,
  ) {
    super(geometry, material);
    this.frustumCulled = false;
  }
  override raycast(): void {}
}

const VERTEX = /* glsl */ `
uniform vec2 resolution;
uniform float width;
uniform float near;
attribute vec3 start;
attribute vec3 end;
attribute vec3 tint;
varying vec3 v_tint;
void main() {
  v_tint = tint;
  vec4 a = modelViewMatrix * vec4(start, 1.0);
  vec4 b = modelViewMatrix * vec4(end, 1.0);
  // An end behind a perspective camera is cut at the near plane; projectionMatrix[3][3] is 0 for perspective.
  if (projectionMatrix[3][3] == 0.0) {
    if (a.z > -near && b.z < -near) a = mix(b, a, (-near - b.z) / (a.z - b.z));
    else if (b.z > -near && a.z < -near) b = mix(a, b, (-near - a.z) / (b.z - a.z));
  }
  vec4 p = projectionMatrix * a;
  vec4 q = projectionMatrix * b;
  vec2 along = (q.xy / q.w - p.xy / p.w) * resolution;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  vec4 at = position.y < 0.5 ? p : q;
  float cap = position.y < 0.5 ? -0.5 : 0.5;
  at.xy += (across * position.x + along * cap) * width / resolution * at.w;
  gl_Position = at;
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity;
varying vec3 v_tint;
void main() {
  gl_FragColor = vec4(v_tint, opacity);
  #include <colorspace_fragment>
}`;

const colours = new Map<string, [number, number, number]>();

/** Returns a CSS colour as linear red, green, blue. */
export function linear_colour(css: string): [number, number, number] {
  let found = colours.get(css);
  if (!found) {
    const { r, g, b } = new Color(css);
    found = [r, g, b];
    colours.set(css, found);
  }
  return found;
}

/** Segments of a width in pixels, each with a colour. Fill it with `begin`, `put`, `end`. */
export class ThickLines extends Mesh<InstancedBufferGeometry, ShaderMaterial> {
  private capacity = 0;
  private starts = new Float32Array(0);
  private ends = new Float32Array(0);
  private tints = new Float32Array(0);
  filled = 0;

  constructor(width: number, options: { on_top?: boolean; opacity?: number; order?: number } = {}) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.instanceCount = 0;
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { resolution: { value: new Vector2(1, 1) }, width: { value: width }, near: { value: 0.01 }, opacity: { value: options.opacity ?? 1 } },
      transparent: (options.opacity ?? 1) < 1 || options.on_top === true,
      depthTest: !options.on_top,
      depthWrite: false,
      side: 2,
    });
    super(geometry, material);
    this.frustumCulled = false;
    this.renderOrder = options.order ?? 5;
    this.visible = false;
    this.onBeforeRender = (renderer: WebGLRenderer, _scene: unknown, camera: Camera) => {
      renderer.getDrawingBufferSize(material.uniforms.resolution!.value);
      material.uniforms.width!.value = width * renderer.getPixelRatio();
      material.uniforms.near!.value = (camera as Camera & { near: number }).near * 1.01;
      material.uniformsNeedUpdate = true;
    };
  }

  override raycast(): void {}

  begin(): void {
    this.filled = 0;
  }

  private grow(): void {
    this.capacity = Math.max(64, 2 * this.capacity);
    const larger = (old: Float32Array): Float32Array<ArrayBuffer> => {
      const next = new Float32Array(3 * this.capacity);
      next.set(old);
      return next;
    };
    this.starts = larger(this.starts);
    this.ends = larger(this.ends);
    this.tints = larger(this.tints);
    this.geometry.dispose(); // The attributes on the card have another size.
    for (const [name, array] of [['start', this.starts], ['end', this.ends], ['tint', this.tints]] as const) {
      this.geometry.setAttribute(name, new InstancedBufferAttribute(array, 3).setUsage(DynamicDrawUsage));
    }
  }

  put(ax: number, ay: number, az: number, bx: number, by: number, bz: number, tint: [number, number, number]): void {
    if (this.filled === this.capacity) this.grow();
    const at = 3 * this.filled++;
    this.starts[at] = ax;
    this.starts[at + 1] = ay;
    this.starts[at + 2] = az;
    this.ends[at] = bx;
    this.ends[at + 1] = by;
    this.ends[at + 2] = bz;
    this.tints[at] = tint[0];
    this.tints[at + 1] = tint[1];
    this.tints[at + 2] = tint[2];
  }

  end(): void {
    this.visible = this.filled > 0;
    this.geometry.instanceCount = this.filled;
    for (const name of ['start', 'end', 'tint']) {
      const attribute = this.geometry.getAttribute(name) as InstancedBufferAttribute | undefined;
      if (attribute) attribute.needsUpdate = true;
    }
  }
}
