// Touch: bodies are held by a spring with the pointer, and moved by keys.
import { Quaternion, Vector3 } from 'three';
import { COLOURS } from '../palette';
import type { SceneInfo } from '../types';
import type { DragTool } from '../view/camera';
import { ThickLines, linear_colour } from '../view/lines';
import { Dots } from '../view/points';
import type { Viewport } from '../view/viewport';

type Send = (message: object) => boolean;

const POSE_MEMORY_MS = 300;

export class Touch implements DragTool {
  /** The pointer grabs without a key. */
  grab_mode = false;
  held: number | null = null;
  on_held: (body: number | null) => void = () => {};

  private readonly line = new ThickLines(2.5, { on_top: true, order: 9 });
  private readonly dots = new Dots(10, 10);
  private readonly anchor = new Vector3(); // in the frame of the body
  private readonly target = new Vector3();
  private readonly normal = new Vector3();
  private readonly by_name = new Map<string, number>();
  private dirty = false;
  private last_pose: { body: number; time: number; translation: Vector3 } | null = null;

  constructor(
    private readonly scene: SceneInfo,
    private readonly viewport: Viewport,
    private readonly send: Send,
  ) {
    scene.bodies.forEach((body, i) => this.by_name.set(body.name, i));
    viewport.scene.add(this.line, this.dots);
    viewport.rig.tool = this;
  }

  /** Reports whether this page may move a body. */
  may_move(body: number): boolean {
    const info = this.scene.bodies[body];
    if (!info || this.scene.read_only || this.scene.mode !== 'run') return false;
    if (this.scene.control) return this.scene.control.includes(info.name);
    return info.kind === 'dynamic' || info.kind === 'kinematic';
  }

  down(event: PointerEvent): boolean {
    if (event.button !== 0 || !(this.grab_mode || event.ctrlKey || event.shiftKey)) return false;
    const hit = this.viewport.bodies?.pick(this.viewport.ray(event));
    if (!hit || !this.may_move(hit.body)) return false;
    const at = hit.point.toArray();
    if (!this.send({ do: 'grab', body: hit.body, at, target: at })) return false;
    const poses = this.viewport.bodies!.poses;
    const back = new Quaternion().fromArray(poses, 7 * hit.body + 3).invert();
    this.anchor.copy(hit.point).sub(new Vector3().fromArray(poses, 7 * hit.body)).applyQuaternion(back);
    this.target.copy(hit.point);
    this.viewport.rig.camera.getWorldDirection(this.normal);
    this.held = hit.body;
    this.on_held(hit.body);
    this.viewport.invalidate();
    return true;
  }

  move(event: PointerEvent): void {
    if (this.held === null) return;
    const { origin, direction } = this.viewport.ray(event);
    const slope = direction.dot(this.normal);
    if (Math.abs(slope) < 1e-6) return;
    const distance = this.target.clone().sub(origin).dot(this.normal) / slope;
    this.target.copy(origin).addScaledVector(direction, distance);
    this.dirty = true;
    this.viewport.invalidate();
  }

  up(event: PointerEvent): void {
    if (this.held === null) return;
    if (event.type === 'pointerup') this.flush();
    this.send({ do: 'release' });
    this.let_go();
  }

  /** Forgets the body that is held, as after a lost connection. */
  let_go(): void {
    this.held = null;
    this.dirty = false;
    this.on_held(null);
    this.viewport.invalidate();
  }

  private flush(): void {
    if (this.dirty && this.held !== null) this.send({ do: 'drag', target: this.target.toArray() });
    this.dirty = false;
  }

  /** Sends the target once per picture and draws the spring. */
  update(): void {
    this.flush();
    this.line.begin();
    this.dots.begin();
    if (this.held !== null) {
      const poses = this.viewport.bodies!.poses;
      const at = this.anchor.clone().applyQuaternion(new Quaternion().fromArray(poses, 7 * this.held + 3)).add(new Vector3().fromArray(poses, 7 * this.held));
      const colour = linear_colour(COLOURS.selected);
      this.line.put(at.x, at.y, at.z, this.target.x, this.target.y, this.target.z, colour);
      this.dots.put(at.x, at.y, at.z, colour);
      this.dots.put(this.target.x, this.target.y, this.target.z, colour);
    }
    this.line.end();
    this.dots.end();
  }

  /** Returns the body that the arrow keys move: the selected one, or the first that may be controlled. */
  key_body(selected: number | null): number | null {
    const fits = (body: number | undefined | null): body is number => body !== null && body !== undefined && this.scene.bodies[body]?.kind === 'kinematic' && this.may_move(body);
    if (fits(selected)) return selected;
    const first = this.scene.control?.map((name) => this.by_name.get(name)).find(fits);
    return first ?? null;
  }

  /** Moves a kinematic body by a key; returns true if the key is one of these. */
  key(key: string, selected: number | null, step: number): boolean {
    const rig = this.viewport.rig;
    const right = new Vector3().setFromMatrixColumn(rig.camera.matrixWorld, 0);
    const moves: Record<string, Vector3> = {
      ArrowRight: snap(right, rig.up), ArrowLeft: snap(right, rig.up).negate(),
      ArrowUp: snap(new Vector3().crossVectors(rig.up, right), rig.up), ArrowDown: snap(new Vector3().crossVectors(rig.up, right), rig.up).negate(),
      PageUp: rig.up.clone(), PageDown: rig.up.clone().negate(),
    };
    const move = moves[key];
    if (!move) return false;
    const body = this.key_body(selected);
    if (body === null) return false;
    const poses = this.viewport.bodies!.poses;
    const now = performance.now();
    // Keys may come faster than frames: the last request is where the next begins.
    const recent = this.last_pose && this.last_pose.body === body && now - this.last_pose.time < POSE_MEMORY_MS;
    const translation = recent ? this.last_pose!.translation.clone() : new Vector3().fromArray(poses, 7 * body);
    translation.addScaledVector(move, step);
    this.last_pose = { body, time: now, translation };
    this.send({ body: this.scene.bodies[body]!.name, pose: { translation: translation.toArray(), rotation: [...poses.subarray(7 * body + 3, 7 * body + 7)] } });
    return true;
  }
}

/** Returns the horizontal world axis nearest to a direction. */
function snap(direction: Vector3, up: Vector3): Vector3 {
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].filter((axis) => Math.abs(axis.dot(up)) < 0.9);
  let best = axes[0]!;
  for (const axis of axes) if (Math.abs(axis.dot(direction)) > Math.abs(best.dot(direction))) best = axis;
  return best.multiplyScalar(Math.sign(best.dot(direction)) || 1);
}
