// Viewport: renderer, lights, camera, grid, outline, gizmo and scale bar. It draws only when something changed.
import { Color, DirectionalLight, HemisphereLight, Raycaster, type Plane, Scene, Sphere, Vector2, Vector3, WebGLRenderer } from 'three';
import { COLOURS } from '../palette';
import { css_value, on_theme, theme } from '../theme';
import { Bodies, type Ray } from './bodies';
import { CameraRig } from './camera';
import { Gizmo } from './gizmo';
import { Grid, update_scale_bar } from './grid';
import { Outline } from './outline';

export class Viewport {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly rig: CameraRig;
  readonly grid = new Grid();
  readonly canvas: HTMLCanvasElement;
  bodies: Bodies | null = null;
  /** Bodies with an outline. */
  outlined: number[] = [];
  /** Runs before each picture. */
  before_render: (now: number) => void = () => {};
  /** Number of pictures drawn. */
  pictures = 0;

  private readonly outline = new Outline(COLOURS.selected);
  private readonly sky = new HemisphereLight('#ffffff', '#8d94a0', 1.5);
  private readonly key_light = new DirectionalLight('#ffffff', 1.7);
  private readonly fill_light = new DirectionalLight('#ffffff', 0.45);
  private readonly gizmo: Gizmo;
  private readonly raycaster = new Raycaster();
  private dirty = true;
  private last = 0;
  private sphere = new Sphere(new Vector3(), 1);
  private ground = 0;

  constructor(
    private readonly container: HTMLElement,
    up: Vector3,
    private readonly unit: string,
  ) {
    this.canvas = container.querySelector('canvas')!;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, stencil: true });
    this.renderer.setClearAlpha(0);
    this.renderer.localClippingEnabled = true;
    this.canvas.addEventListener('webglcontextrestored', () => this.invalidate());
    this.rig = new CameraRig(this.canvas, up);
    this.rig.on_change = () => this.invalidate();
    this.scene.add(this.sky, this.key_light, this.key_light.target, this.fill_light, this.fill_light.target, this.grid);
    this.gizmo = new Gizmo(container.querySelector<SVGSVGElement>('.gizmo')!, (view) => this.rig.look_from(view));
    new ResizeObserver(() => this.resize()).observe(container);
    on_theme(() => this.restyle());
    this.resize();
    const loop = (now: number): void => {
      requestAnimationFrame(loop);
      this.tick(now);
    };
    requestAnimationFrame(loop);
  }

  invalidate(): void {
    this.dirty = true;
  }

  set_bodies(bodies: Bodies): void {
    this.bodies = bodies;
    this.scene.add(bodies.group);
    this.restyle();
  }

  /** Sets what the camera and the grid go by. */
  set_bounds(sphere: Sphere, ground: number): void {
    this.sphere = sphere.clone();
    this.ground = ground;
    // The grid reaches 20 cells, less than 2.4 radii from the centre.
    this.rig.set_scene(sphere.center, sphere.radius * 2.6);
    this.rig.set_ground(ground);
    this.restyle();
  }

  /** Lets the camera see bodies that have left the bounds, up to 30 radii away. */
  widen(bodies: Sphere | null): void {
    if (!bodies || !Number.isFinite(bodies.radius)) return;
    const farthest = Math.min(bodies.center.distanceTo(this.sphere.center) + bodies.radius, 30 * this.sphere.radius);
    this.rig.set_scene(this.sphere.center, Math.max(2.6 * this.sphere.radius, 1.05 * farthest));
  }

  fit(animated = true): void {
    this.rig.fit(this.sphere.center, this.sphere.radius, animated);
  }

  get bounds(): Sphere {
    return this.sphere;
  }

  private cut: Plane | null = null;
  on_cut: () => void = () => {};

  /** Planes for materials that the cut takes away, too. */
  get clipping(): Plane[] | null {
    return this.cut ? [this.cut] : null;
  }

  /** Takes away what is behind a plane. */
  set_cut(plane: Plane | null): void {
    this.cut = plane;
    this.bodies?.set_cut(plane);
    this.outline.set_cut(plane);
    this.on_cut();
    this.invalidate();
  }

  private restyle(): void {
    const edge = css_value('--edge');
    if (edge) this.bodies?.set_edge_colour(edge);
    const colour = css_value('--grid') || '#888888';
    this.grid.lay(this.sphere.center, this.sphere.radius, this.rig.up, this.ground, colour, theme() === 'dark');
    this.sky.groundColor = new Color(theme() === 'dark' ? '#5d6675' : '#98a0aa');
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.container;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.rig.set_aspect(clientWidth / clientHeight);
    this.invalidate();
  }

  private tick(now: number): void {
    const seconds = (now - this.last) / 1000;
    this.last = now;
    this.before_render(now);
    const moving = this.rig.update(now, seconds);
    if (!this.dirty && !moving) return;
    this.dirty = false;
    this.render();
  }

  /** Draws at once. */
  render(): void {
    const camera = this.rig.camera;
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const back = new Vector3().setFromMatrixColumn(camera.matrixWorld, 2);
    this.sky.position.copy(this.rig.up);
    // The key light comes from above the left shoulder, so that no face that is seen is black.
    this.key_light.position.copy(back).addScaledVector(up, 0.7).addScaledVector(right, -0.5);
    this.fill_light.position.copy(back).addScaledVector(right, 0.9).addScaledVector(up, -0.2);
    this.renderer.render(this.scene, camera);
    if (this.bodies && this.outlined.length > 0) {
      const shown = this.outlined.map((body) => this.bodies!.drawable(body)).filter((d) => d !== null);
      this.outline.render(this.renderer, camera, shown);
    }
    this.gizmo.update(camera);
    const bar = this.container.querySelector<HTMLElement>('.scale-bar');
    if (bar) update_scale_bar(bar, (2 * this.rig.half_height()) / Math.max(1, this.container.clientHeight), this.unit);
    this.pictures++;
  }

  /** Returns the ray through a pointer, in the world; a cut takes a part of it away. */
  ray(event: { clientX: number; clientY: number }): Ray {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.raycaster.setFromCamera(at, this.rig.camera);
    const { origin, direction } = this.raycaster.ray;
    const ray: Ray = { origin: origin.clone(), direction: direction.clone(), least: this.rig.is_orthographic ? -Infinity : 0, most: Infinity };
    if (this.cut) {
      const slope = this.cut.normal.dot(direction);
      const at = -this.cut.distanceToPoint(origin) / slope;
      if (slope > 0) ray.least = Math.max(ray.least, at);
      else if (slope < 0) ray.most = at;
    }
    return ray;
  }

  /** Returns the place of a point of the world on the page, in pixels. */
  project(point: Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const p = point.clone().project(this.rig.camera);
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }

  /** Counts pixels of a fresh picture near a colour, for tests; without a colour, pixels that are not empty. */
  count_pixels(colour?: string, tolerance = 12): number {
    this.render();
    const gl = this.renderer.getContext();
    const [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const want = colour ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) : null;
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3] === 0) continue;
      if (!want || want.every((v, c) => Math.abs(v - pixels[i + c]!) <= tolerance)) count++;
    }
    return count;
  }
}
