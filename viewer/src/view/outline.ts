// Outline of selected bodies: their mask is drawn into a texture, and a pass over the screen draws its rim.
import {
  BufferGeometry, Color, DoubleSide, Float32BufferAttribute, Matrix4, Mesh, MeshBasicMaterial, NearestFilter, OrthographicCamera, type Plane, Scene,
  ShaderMaterial, Vector2, WebGLRenderTarget, WebGLRenderer, type Camera,
} from 'three';

const FRAGMENT = /* glsl */ `
uniform sampler2D mask;
uniform vec2 texel;
uniform vec3 tint;
varying vec2 v_uv;
void main() {
  float inside = texture2D(mask, v_uv).r;
  float around = 0.0;
  for (int i = 0; i < 12; i++) {
    float angle = float(i) * 0.5235988;
    around = max(around, texture2D(mask, v_uv + vec2(cos(angle), sin(angle)) * texel).r);
  }
  if (inside > 0.5 || around < 0.5) discard;
  gl_FragColor = vec4(tint, 1.0);
  #include <colorspace_fragment>
}`;

export class Outline {
  private readonly target = new WebGLRenderTarget(1, 1, { minFilter: NearestFilter, magFilter: NearestFilter });
  private readonly scene = new Scene();
  private readonly screen = new Scene();
  private readonly screen_camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly white = new MeshBasicMaterial({ color: '#ffffff', side: DoubleSide });
  private readonly material: ShaderMaterial;
  private readonly size = new Vector2();

  constructor(colour: string) {
    this.material = new ShaderMaterial({
      uniforms: { mask: { value: this.target.texture }, texel: { value: new Vector2() }, tint: { value: new Color(colour) } },
      vertexShader: 'varying vec2 v_uv; void main() { v_uv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
      fragmentShader: FRAGMENT,
      depthTest: false,
      depthWrite: false,
      transparent: true,
    });
    const triangle = new BufferGeometry();
    triangle.setAttribute('position', new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    triangle.setAttribute('uv', new Float32BufferAttribute([0, 0, 2, 0, 0, 2], 2));
    const quad = new Mesh(triangle, this.material);
    quad.frustumCulled = false;
    this.screen.add(quad);
  }

  set_cut(plane: Plane | null): void {
    this.white.clippingPlanes = plane ? [plane] : null;
  }

  /** Draws the rim of the given bodies over what is drawn. */
  render(renderer: WebGLRenderer, camera: Camera, bodies: { geometry: BufferGeometry; matrix: Matrix4 }[]): void {
    if (bodies.length === 0) return;
    renderer.getDrawingBufferSize(this.size);
    if (this.target.width !== this.size.x || this.target.height !== this.size.y) this.target.setSize(this.size.x, this.size.y);
    this.scene.clear();
    for (const { geometry, matrix } of bodies) {
      const mesh = new Mesh(geometry, this.white);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(matrix);
      mesh.frustumCulled = false;
      this.scene.add(mesh);
    }
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(this.target);
    renderer.setClearAlpha(0);
    renderer.clear();
    renderer.render(this.scene, camera);
    renderer.setRenderTarget(null);
    renderer.setClearAlpha(alpha);
    const width = 2.2 * renderer.getPixelRatio();
    this.material.uniforms.texel!.value.set(width / this.size.x, width / this.size.y);
    const auto = renderer.autoClear;
    renderer.autoClear = false;
    renderer.render(this.screen, this.screen_camera);
    renderer.autoClear = auto;
  }
}
