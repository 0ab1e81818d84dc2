// Camera rig: orbit, fly and walk; perspective and orthographic; animated standard views.
//
// The state is a target, a distance, and two angles of the direction from the target to the eye. Flying and walking move
// the target with the eye, so that every mode and both projections share one state.
import { OrthographicCamera, PerspectiveCamera, Vector2, Vector3 } from 'three';
import { is_typing } from '../dom';

export type CameraMode = 'orbit' | 'fly' | 'walk';
export type StandardView = '+x' | '-x' | '+y' | '-y' | '+z' | '-z' | 'iso';

interface State {
  target: Vector3;
  distance: number;
  yaw: number;
  pitch: number;
}

const MAX_PITCH = Math.PI / 2 - 1e-4; // Straight down has no heading.
const FIELD_OF_VIEW = 38;
const ANIMATION_MS = 260;
const CLICK_PIXELS = 5;

/** Gets pointer events before the camera does; `down` returns true to keep the drag. */
export interface DragTool {
  down(event: PointerEvent): boolean;
  move(event: PointerEvent): void;
  up(event: PointerEvent): void;
}

export class CameraRig {
  readonly perspective = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 1000);
  is_orthographic = false;
  mode: CameraMode = 'orbit';
  state: State = { target: new Vector3(), distance: 5, yaw: -0.9, pitch: 0.45 };
  tool: DragTool | null = null;
  on_click: (event: PointerEvent) => void = () => {};
  on_change: () => void = () => {};

  private scene_center = new Vector3();
  private scene_radius = 1;
  private readonly e1 = new Vector3();
  private readonly e2 = new Vector3();
  private readonly pointers = new Map<number, Vector2>();
  private tool_pointer: number | null = null;
  private down_at: { x: number; y: number; time: number; moved: boolean } | null = null;
  private animation: { from: State; to: State; start: number } | null = null;
  private readonly keys = new Set<string>();
  private walk_height = 0;
  private aspect = 1;

  constructor(
    private readonly element: HTMLElement,
    readonly up: Vector3,
  ) {
    this.up.normalize();
    const x = new Vector3(1, 0, 0);
    this.e1.copy(Math.abs(x.dot(up)) > 0.9 ? new Vector3(0, 1, 0) : x);
    this.e1.addScaledVector(up, -this.e1.dot(up)).normalize();
    this.e2.crossVectors(up, this.e1);
    this.perspective.up.copy(up);
    this.orthographic.up.copy(up);
    element.addEventListener('pointerdown', (event) => this.pointer_down(event));
    element.addEventListener('pointermove', (event) => this.pointer_move(event));
    element.addEventListener('pointerup', (event) => this.pointer_up(event));
    element.addEventListener('pointercancel', (event) => this.pointer_up(event));
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    addEventListener('keydown', (event) => this.key(event, true));
    addEventListener('keyup', (event) => this.key(event, false));
    addEventListener('blur', () => this.keys.clear());
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.is_orthographic ? this.orthographic : this.perspective;
  }

  /** Returns the direction from the target to the eye. */
  private direction(state = this.state): Vector3 {
    const { yaw, pitch } = state;
    return new Vector3()
      .addScaledVector(this.e1, Math.cos(pitch) * Math.cos(yaw))
      .addScaledVector(this.e2, Math.cos(pitch) * Math.sin(yaw))
      .addScaledVector(this.up, Math.sin(pitch));
  }

  eye(): Vector3 {
    return this.direction().multiplyScalar(this.state.distance).add(this.state.target);
  }

  /** Sets the sphere that the near and far planes have to hold. */
  set_scene(center: Vector3, radius: number): void {
    this.scene_center.copy(center);
    this.scene_radius = Math.max(radius, 1e-9);
  }

  set_aspect(aspect: number): void {
    this.aspect = aspect;
    this.on_change();
  }

  set_mode(mode: CameraMode): void {
    this.mode = mode;
    this.keys.clear();
    if (mode === 'walk') {
      const height = this.height_above_ground();
      this.walk_height = Math.min(Math.max(height, 0.05 * this.scene_radius), 0.6 * this.scene_radius);
    }
    this.on_change();
  }

  private ground = 0;
  set_ground(height: number): void {
    this.ground = height;
  }
  private height_above_ground(): number {
    return this.eye().dot(this.up) - this.ground;
  }

  set_orthographic(on: boolean): void {
    this.is_orthographic = on;
    this.on_change();
  }

  /** Shows a sphere, as now, but turned so that lines along `axis` are seen from the side, 20° from across. */
  fit_across(center: Vector3, radius: number, axis: Vector3 | null): void {
    this.animation = null;
    const kept = this.state;
    if (axis && axis.lengthSq() > 0) {
      const d = axis.clone().normalize();
      const now = this.direction();
      if (now.dot(d) < 0) d.negate();
      const across = now.clone().addScaledVector(d, -now.dot(d));
      if (across.lengthSq() < 0.01) across.copy(Math.abs(this.e2.dot(d)) < 0.9 ? this.e2 : this.e1).addScaledVector(d, -across.dot(d)).negate();
      const v = across.normalize().multiplyScalar(0.94).addScaledVector(d, 0.34).normalize();
      const pitch = Math.asin(Math.min(1, Math.max(-1, v.dot(this.up))));
      const yaw = Math.atan2(v.dot(this.e2), v.dot(this.e1));
      const turn = 2 * Math.PI;
      this.fit(center, radius, true, { yaw: yaw + turn * Math.round((kept.yaw - yaw) / turn), pitch: Math.min(MAX_PITCH, Math.max(-MAX_PITCH, pitch)) });
    } else {
      this.fit(center, radius);
    }
  }

  /** Shows a sphere whole, with or without animation. */
  fit(center: Vector3, radius: number, animated = true, angles: { yaw?: number; pitch?: number } = {}): void {
    const half = (FIELD_OF_VIEW / 2) * (Math.PI / 180);
    const narrow = this.aspect < 1 ? Math.atan(Math.tan(half) * this.aspect) : half;
    this.go({ ...this.state, ...angles, target: center.clone(), distance: (Math.max(radius, 1e-6) / Math.sin(narrow)) * 1.04 }, animated);
  }

  look_from(view: StandardView, animated = true): void {
    const angles: Record<StandardView, [number, number]> = {
      '+x': [0, 0], '-x': [Math.PI, 0], '+y': [Math.PI / 2, 0], '-y': [-Math.PI / 2, 0],
      '+z': [-Math.PI / 2, MAX_PITCH], '-z': [-Math.PI / 2, -MAX_PITCH], iso: [-Math.PI / 4, Math.atan(Math.SQRT1_2)],
    };
    const [yaw, pitch] = angles[view];
    const turn = 2 * Math.PI;
    const near = yaw + turn * Math.round((this.state.yaw - yaw) / turn);
    this.go({ ...this.state, yaw: near, pitch }, animated);
  }

  private go(to: State, animated: boolean): void {
    if (![to.target.lengthSq(), to.distance, to.yaw, to.pitch].every(Number.isFinite)) return; // A pose that is not finite leads nowhere.
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!animated || still) {
      this.state = { ...to, target: to.target.clone() };
      this.animation = null;
    } else {
      this.animation = { from: { ...this.state, target: this.state.target.clone() }, to, start: performance.now() };
    }
    this.on_change();
  }

  /** Advances animation and flight; returns true while something moves. */
  update(now: number, seconds: number): boolean {
    let moving = false;
    if (this.animation) {
      const { from, to, start } = this.animation;
      const t = Math.min(1, (now - start) / ANIMATION_MS);
      const s = t * t * (3 - 2 * t);
      this.state = {
        target: from.target.clone().lerp(to.target, s),
        distance: from.distance * Math.pow(to.distance / from.distance, s),
        yaw: from.yaw + (to.yaw - from.yaw) * s,
        pitch: from.pitch + (to.pitch - from.pitch) * s,
      };
      if (t >= 1) this.animation = null;
      moving = true;
    }
    if (this.mode !== 'orbit' && this.keys.size > 0) {
      this.fly(seconds);
      moving = true;
    }
    this.place();
    return moving;
  }

  private fly(seconds: number): void {
    const ahead = this.direction().negate();
    if (this.mode === 'walk') ahead.addScaledVector(this.up, -ahead.dot(this.up)).normalize();
    const right = new Vector3().crossVectors(ahead, this.up).normalize();
    const move = new Vector3();
    if (this.keys.has('KeyW')) move.add(ahead);
    if (this.keys.has('KeyS')) move.sub(ahead);
    if (this.keys.has('KeyD')) move.add(right);
    if (this.keys.has('KeyA')) move.sub(right);
    if (this.mode === 'fly' && this.keys.has('KeyE')) move.add(this.up);
    if (this.mode === 'fly' && this.keys.has('KeyQ')) move.sub(this.up);
    const speed = this.scene_radius * (this.keys.has('Shift') ? 1.6 : 0.5);
    this.state.target.addScaledVector(move, speed * Math.min(seconds, 0.1));
    if (this.mode === 'walk') this.state.target.addScaledVector(this.up, this.walk_height - this.height_above_ground());
  }

  /** Puts the state into the camera. */
  private place(): void {
    const camera = this.camera;
    const eye = this.eye();
    const to_scene = eye.distanceTo(this.scene_center);
    const reach = this.scene_radius * 1.05;
    camera.position.copy(eye);
    camera.lookAt(this.state.target);
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = this.aspect;
      camera.near = Math.max(to_scene - reach, (to_scene + reach) * 4e-4, this.state.distance * 1e-3);
      camera.far = Math.max(to_scene + reach, camera.near * 2);
    } else {
      const half = this.half_height();
      camera.top = half;
      camera.bottom = -half;
      camera.right = half * this.aspect;
      camera.left = -camera.right;
      camera.near = to_scene - 2 * reach - 1e-3;
      camera.far = to_scene + 2 * reach;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /** Returns half the height of the picture at the target, in units of the scene. */
  half_height(): number {
    return this.state.distance * Math.tan((FIELD_OF_VIEW / 2) * (Math.PI / 180));
  }

  private pointer_down(event: PointerEvent): void {
    if (this.tool_pointer !== null) return; // A second button or finger while the tool drags.
    this.element.setPointerCapture(event.pointerId);
    this.element.focus({ preventScroll: true });
    if (this.pointers.size === 0 && this.tool?.down(event)) {
      this.tool_pointer = event.pointerId;
      return;
    }
    this.animation = null;
    this.pointers.set(event.pointerId, new Vector2(event.clientX, event.clientY));
    if (this.pointers.size === 1) this.down_at = { x: event.clientX, y: event.clientY, time: event.timeStamp, moved: false };
    else this.down_at = null;
  }

  private pointer_move(event: PointerEvent): void {
    if (event.pointerId === this.tool_pointer) {
      this.tool?.move(event);
      return;
    }
    // A release may be lost, as to a menu of the system.
    if (event.pointerType === 'mouse' && event.buttons === 0) this.pointers.clear();
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (this.pointers.size === 1) {
      if (this.down_at && Math.hypot(event.clientX - this.down_at.x, event.clientY - this.down_at.y) > CLICK_PIXELS) this.down_at.moved = true;
      if (this.down_at && !this.down_at.moved) return;
      const pan = event.pointerType === 'mouse' && (event.buttons & 6) !== 0;
      if (pan) this.pan(dx, dy);
      else this.rotate(dx, dy);
      last.set(event.clientX, event.clientY);
    } else if (this.pointers.size === 2) {
      const [p, q] = [...this.pointers.values()] as [Vector2, Vector2];
      const before = p.distanceTo(q);
      last.set(event.clientX, event.clientY);
      const after = p.distanceTo(q);
      if (before > 0 && after > 0) this.zoom(before / after, (p.x + q.x) / 2, (p.y + q.y) / 2);
      this.pan(dx / 2, dy / 2);
    }
    this.on_change();
  }

  private pointer_up(event: PointerEvent): void {
    if (event.pointerId === this.tool_pointer) {
      this.tool_pointer = null;
      this.pointers.delete(event.pointerId);
      this.tool?.up(event);
      return;
    }
    if (!this.pointers.delete(event.pointerId)) return;
    const down = this.down_at;
    this.down_at = null;
    if (event.type === 'pointerup' && down && !down.moved && event.button === 0) this.on_click(event);
  }

  private rotate(dx: number, dy: number): void {
    const eye = this.eye();
    const per_pixel = this.mode === 'orbit' ? Math.PI / Math.max(300, this.element.clientHeight) : 0.0035;
    this.state.yaw -= dx * per_pixel;
    this.state.pitch = Math.min(MAX_PITCH, Math.max(-MAX_PITCH, this.state.pitch + dy * per_pixel));
    // Flight turns around the eye.
    if (this.mode !== 'orbit') this.state.target.copy(eye).addScaledVector(this.direction(), -this.state.distance);
  }

  private pan(dx: number, dy: number): void {
    const scale = (2 * this.half_height()) / Math.max(1, this.element.clientHeight);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.state.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
  }

  /** Scales the distance and keeps the point under the pointer in place. */
  zoom(factor: number, client_x?: number, client_y?: number): void {
    const before = this.state.distance;
    const after = Math.min(Math.max(before * factor, this.scene_radius * 1e-4), this.scene_radius * 100);
    if (client_x !== undefined && client_y !== undefined) {
      const box = this.element.getBoundingClientRect();
      const scale = (2 * this.half_height()) / Math.max(1, box.height);
      const x = (client_x - (box.left + box.width / 2)) * scale * (1 - after / before);
      const y = (client_y - (box.top + box.height / 2)) * scale * (1 - after / before);
      const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
      const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      this.state.target.addScaledVector(right, x).addScaledVector(up, -y);
    }
    this.state.distance = after;
    this.on_change();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.animation = null;
    const pixels = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaMode === 2 ? event.deltaY * 400 : event.deltaY;
    if (this.mode === 'orbit') {
      this.zoom(Math.exp(Math.max(-1, Math.min(1, pixels * 0.0014))), event.clientX, event.clientY);
    } else {
      this.state.target.addScaledVector(this.direction(), pixels * 0.0005 * this.scene_radius);
      this.on_change();
    }
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (event.key === 'Shift') {
      if (down && this.keys.size > 0) this.keys.add('Shift');
      else this.keys.delete('Shift');
      return;
    }
    const known = ['KeyW', 'KeyA', 'KeyS', 'KeyD', 'KeyQ', 'KeyE'];
    if (!known.includes(event.code)) return;
    if (!down) {
      this.keys.delete(event.code);
      if (this.keys.size === 1 && this.keys.has('Shift')) this.keys.clear();
    } else if (this.mode !== 'orbit' && !is_typing(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.keys.add(event.code);
      if (event.shiftKey) this.keys.add('Shift');
      this.on_change();
    }
  }
}
