// Live page: loads the scene, follows the frames, and joins the parts of the page.
import { AxesHelper, Box3, Color, Sphere, Vector3 } from 'three';
import '../style/common.css';
import '../style/live.css';
import { STATE_ABSENT, STATE_ASLEEP, STATE_HELD, STATE_TOUCHES, decode_mesh, type Frame } from '../codec';
import { by_id, is_typing, number_text, release_focus, set_text } from '../dom';
import { GENERAL_KEYS, VIEW_KEYS, toggle_help } from '../help';
import { COLOURS, KIND_COLOURS, PART_COLOURS } from '../palette';
import { on_theme, toggle_theme } from '../theme';
import type { SceneBody, SceneInfo } from '../types';
import { Bodies } from '../view/bodies';
import type { CameraMode, StandardView } from '../view/camera';
import { cut_control } from '../view/cut';
import { length_text, round_length } from '../view/grid';
import { Viewport } from '../view/viewport';
import { BodyList } from './body_list';
import { BodyPanel, short_state } from './body_panel';
import { Connection } from './connection';
import { LayersPanel, SLEEPING } from './layers_panel';
import { banner, toast } from './notices';
import { Overlay } from './overlay';
import { Plots } from './plot';
import { Touch } from './touch';
import { Transport } from './transport';

const PARALLEL_MESHES = 6;
/** The entry of section TINT of a body that keeps its colour; one less is the upper end of the scale. */
const NO_TINT = 255;
const LIST_REFRESH_MS = 250;

/** Colours that bodies are mixed with, and one to mix in. */
const TINT = { base: new Color(), sleeping: new Color(SLEEPING), touching: new Color(COLOURS.colliding), held: new Color(COLOURS.selected) };

/** Returns the colour of a body before any tint. */
function base_colour(body: SceneBody, i: number): Color {
  if (body.colour && /^#[0-9a-f]{6}$/i.test(body.colour)) return new Color(body.colour);
  return new Color(body.kind === 'part' ? PART_COLOURS[i % PART_COLOURS.length]! : KIND_COLOURS[body.kind] ?? '#999999');
}

/** Makes requests for a mesh or the scene and reports what went wrong in one line. */
async function get(path: string): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store' });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response;
}

class LivePage {
  readonly viewport: Viewport;
  readonly bodies: Bodies;
  readonly connection: Connection;
  readonly overlay = new Overlay();
  readonly layers: LayersPanel;
  readonly transport: Transport;
  readonly touch: Touch;
  readonly plots: Plots;
  readonly list: BodyList;
  readonly panel: BodyPanel;
  readonly axes: AxesHelper;
  selected: number | null = null;
  /** The newest frame; kept so that toggles can show it again. */
  frame: Frame | null = null;
  /** Bits per body, as in section STAT. */
  states: Uint8Array;
  /** Places of bodies on the scale of colours, as in section TINT. */
  private tints: Uint8Array;
  private readonly base_colours: Color[];
  private readonly scale: Color[];
  sphere: Sphere;
  key_step: number;
  private last_refresh = 0;
  private was_lost = false;

  constructor(
    readonly scene: SceneInfo,
    private readonly scene_text: string,
  ) {
    const bounds = new Box3(new Vector3(...scene.bounds.min), new Vector3(...scene.bounds.max));
    this.sphere = bounds.isEmpty() ? new Sphere(new Vector3(), 1) : bounds.getBoundingSphere(new Sphere());
    if (!(this.sphere.radius > 0)) this.sphere.radius = 1;
    const up = new Vector3(...scene.up);
    this.viewport = new Viewport(by_id('viewport'), up.lengthSq() > 0 ? up : new Vector3(0, 0, 1), scene.unit);
    this.bodies = new Bodies(scene.bodies.map((body) => body.mesh));
    this.states = new Uint8Array(scene.bodies.length);
    this.tints = new Uint8Array(scene.bodies.length).fill(NO_TINT);
    this.base_colours = scene.bodies.map(base_colour);
    this.scale = (scene.tint?.colours ?? []).map((colour) => new Color(colour));
    this.viewport.set_bodies(this.bodies);
    const corners = [bounds.min, bounds.max].map((p) => p.dot(this.viewport.rig.up));
    const ground = bounds.isEmpty() ? 0 : Math.min(...corners);
    // A floor at height 0 is where most scenes stand, though their bounds leave half-spaces out.
    this.viewport.set_bounds(this.sphere, ground > 0 && ground < this.sphere.radius ? 0 : ground);
    this.axes = new AxesHelper(this.sphere.radius * 0.5);
    this.axes.visible = false;
    this.viewport.scene.add(this.overlay.group, this.axes);
    this.viewport.rig.look_from('iso', false);
    this.viewport.fit(false);
    this.key_step = round_length(this.sphere.radius * 0.03);

    this.connection = new Connection(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`);
    const send = (message: object): boolean => this.send(message);
    this.layers = new LayersPanel(scene);
    this.transport = new Transport(send, scene.steps ?? 0);
    this.touch = new Touch(scene, this.viewport, send);
    this.plots = new Plots(scene.stages, scene.step * 1000);
    this.panel = new BodyPanel(scene, this.sphere.radius);
    this.list = new BodyList(scene.bodies, (body) => short_state(scene.bodies[body]!, this.states[body]!), (body) => {
      this.select(body);
      this.fly_to(body);
    });
    by_id('local-list').after(cut_control(this.viewport));
    this.describe();
    this.wire();
    this.colour_all();
  }

  private send(message: object): boolean {
    const sent = this.connection.send(message);
    if (!sent) toast('There is no connection to the server.');
    return sent;
  }

  private describe(): void {
    const { scene } = this;
    document.title = `${scene.title} – heurt`;
    set_text(by_id('title'), scene.title);
    document.body.classList.toggle('mode-files', scene.mode === 'files');
    document.body.classList.toggle('read-only', scene.read_only);
    by_id('read-only').hidden = !scene.read_only;
    by_id('times-panel').hidden = scene.mode === 'files';
    if (scene.read_only) for (const id of ['play', 'step', 'step10', 'back', 'latest', 'scrub', 'rate', 'grab']) by_id<HTMLButtonElement>(id).disabled = true;
    by_id('grab').hidden = scene.control?.length === 0;
    const note = scene.read_only ? 'This page may look only: the server refuses control.'
      : scene.control ? `This page may move: ${scene.control.join(', ') || 'nothing'}.` : 'Shift-drag or the hand grabs a body.';
    set_text(by_id('touch-note'), scene.mode === 'files' ? '' : note);
    this.show_key_body();
    this.panel.select(null, { fly: () => {}, clear: () => {} });
  }

  private show_key_body(): void {
    const body = this.touch.key_body(this.selected);
    const element = by_id('key-note');
    element.hidden = body === null;
    if (body !== null) set_text(element, `Arrow keys and Page up/down move ${this.scene.bodies[body]!.name} by ${number_text(this.key_step, 3)} ${this.scene.unit}; with Shift ten times that.`);
  }

  private wire(): void {
    const { viewport, connection, layers } = this;
    viewport.before_render = (now) => this.before_render(now);
    viewport.rig.on_click = (event) => this.select(this.body_at(event));
    connection.on_state = (state, retry_ms) => this.show_connection(state, retry_ms);
    connection.on_fault = toast;
    connection.on_message = (message) => {
      if (message.type === 'error') toast(message.message);
      else if (message.type === 'end') banner(message.message);
      else if (message.type === 'body' && message.body === this.selected) this.panel.show_state(message);
    };
    layers.on_layers = () => {
      connection.send(layers.message());
      this.show_overlay();
    };
    layers.on_local = () => this.show_local();
    this.touch.on_held = (body) => document.body.classList.toggle('holding', body !== null);
    viewport.on_cut = () => this.overlay.set_cut(viewport.clipping);
    by_id('fit').onclick = () => this.fit();
    by_id('iso').onclick = () => viewport.rig.look_from('iso');
    by_id('projection').onclick = () => this.flip_projection();
    by_id('grab').onclick = () => this.flip_grab();
    by_id('theme').onclick = toggle_theme;
    by_id('help').onclick = () => this.help();
    by_id('toggle-left').onclick = () => document.body.classList.toggle('no-left');
    by_id('toggle-right').onclick = () => document.body.classList.toggle('no-right');
    for (const button of document.querySelectorAll<HTMLButtonElement>('[data-camera]')) button.onclick = () => this.set_camera(button.dataset.camera as CameraMode);
    for (const tab of document.querySelectorAll<HTMLButtonElement>('.tabs button')) tab.onclick = () => this.show_tab(tab.dataset.tab!);
    addEventListener('keydown', (event) => this.key(event));
    release_focus();
    addEventListener('resize', () => this.plots.invalidate());
    on_theme(() => this.plots.invalidate());
  }

  private show_connection(state: 'connecting' | 'connected' | 'lost', retry_ms: number): void {
    const chip = by_id('connection');
    chip.dataset.state = state;
    set_text(chip, state === 'connected' ? 'connected' : state === 'connecting' ? 'connecting …' : `connection lost, next try in ${(retry_ms / 1000).toFixed(1)} s`);
    if (state === 'lost') {
      this.was_lost = true;
      this.touch.let_go();
    }
    if (state !== 'connected') return;
    this.connection.send(this.layers.message());
    if (this.selected !== null) this.connection.send({ do: 'inspect', body: this.selected });
    if (this.was_lost) void this.check_scene();
    this.was_lost = false;
  }

  /** Loads the page again where the server came back with another scene. */
  private async check_scene(): Promise<void> {
    try {
      if ((await (await get('/scene.json')).text()) !== this.scene_text) location.reload();
    } catch {
      // The connection will tell.
    }
  }

  private body_at(event: { clientX: number; clientY: number }): number | null {
    return this.bodies.pick(this.viewport.ray(event))?.body ?? null;
  }

  select(body: number | null): void {
    if (body === this.selected) return;
    this.selected = body;
    this.viewport.outlined = body === null ? [] : [body];
    this.viewport.invalidate();
    this.list.select(body);
    this.panel.select(body, { fly: () => body !== null && this.fly_to(body), clear: () => this.select(null) });
    if (body !== null) this.panel.show_pose(this.bodies.poses, body);
    this.connection.send({ do: 'inspect', body });
    this.show_key_body();
  }

  fly_to(body: number): void {
    const sphere = this.bodies.sphere(body);
    if (sphere) this.viewport.rig.fit(sphere.center, Math.max(sphere.radius * 2.2, this.sphere.radius * 0.02));
  }

  private fit(): void {
    const sphere = this.bodies.bounds() ?? this.sphere;
    this.viewport.rig.fit(sphere.center, sphere.radius);
  }

  private flip_projection(): void {
    const rig = this.viewport.rig;
    rig.set_orthographic(!rig.is_orthographic);
    set_text(by_id('projection'), rig.is_orthographic ? 'Ortho' : 'Persp');
  }

  private flip_grab(): void {
    if (this.scene.read_only || this.scene.mode === 'files') return;
    this.touch.grab_mode = !this.touch.grab_mode;
    by_id('grab').setAttribute('aria-pressed', String(this.touch.grab_mode));
    document.body.classList.toggle('grabbing', this.touch.grab_mode);
  }

  private set_camera(mode: CameraMode): void {
    // A parallel projection has no eye to fly with.
    if (mode !== 'orbit' && this.viewport.rig.is_orthographic) this.flip_projection();
    this.viewport.rig.set_mode(mode);
    for (const button of document.querySelectorAll<HTMLButtonElement>('[data-camera]')) button.setAttribute('aria-pressed', String(button.dataset.camera === mode));
  }

  /** Shows a panel on a narrow screen; a second press hides it. */
  private show_tab(name: string): void {
    const open = document.body.dataset.tab === name ? '' : name;
    document.body.dataset.tab = open;
    for (const tab of document.querySelectorAll<HTMLButtonElement>('.tabs button')) tab.setAttribute('aria-pressed', String(tab.dataset.tab === open));
    for (const panel of document.querySelectorAll<HTMLElement>('[data-panel]')) panel.classList.toggle('active', panel.dataset.panel === open);
    this.plots.invalidate();
  }

  private help(): void {
    toggle_help([
      { title: 'View', rows: [...VIEW_KEYS, ['M', 'orbit, fly, walk'], ['W A S D', 'fly and walk; Q, E down and up; Shift faster']] },
      { title: 'Run', rows: [['Space', 'play or pause'], ['.', 'one step'], ['Shift+.', 'ten steps'], [',', 'one step back'], ['− +', 'slower, faster'], ['End', 'newest step']] },
      { title: 'Bodies', rows: [['click', 'select'], ['Shift+drag', 'grab a body'], ['G', 'grab without Shift'], ['← ↑ → ↓', 'move the kinematic body'], ['PgUp PgDn', 'move it up and down']] },
      { title: 'Page', rows: [...GENERAL_KEYS, ['[ ]', 'left and right panels']] },
    ]);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !document.querySelector('dialog')) {
      if (is_typing(event)) (event.target as HTMLElement).blur();
      else this.select(null);
      return;
    }
    if (event.defaultPrevented || is_typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const run = this.scene.mode === 'run' && !this.scene.read_only;
    const views: Record<string, StandardView> = { 1: '+x', 2: '-x', 3: '+y', 4: '-y', 5: '+z', 6: '-z', 0: 'iso' };
    const rig = this.viewport.rig;
    const modes: CameraMode[] = ['orbit', 'fly', 'walk'];
    const actions: Record<string, (() => void) | false> = {
      f: () => this.fit(), F: () => this.selected !== null && this.fly_to(this.selected), o: () => this.flip_projection(), g: () => this.flip_grab(),
      m: () => this.set_camera(modes[(modes.indexOf(rig.mode) + 1) % 3]!), l: () => this.layers.flip('edges'), x: () => this.layers.flip('translucent'), t: toggle_theme,
      '?': () => this.help(), '/': () => by_id('body-search').focus(), '[': () => by_id('toggle-left').click(), ']': () => by_id('toggle-right').click(),
      ' ': run && (() => this.transport.toggle()), '.': run && (() => this.transport.take(1)), '>': run && (() => this.transport.take(10)), ':': run && (() => this.transport.take(10)),
      ',': run && (() => this.transport.back(1)), '-': run && (() => this.transport.change_rate(-1)), '+': run && (() => this.transport.change_rate(1)), '=': run && (() => this.transport.change_rate(1)),
      End: run && (() => this.transport.seek(this.transport.newest)),
    };
    const view = views[event.key];
    const action = view ? () => rig.look_from(view) : actions[event.key];
    // A focused button or slider keeps its own keys.
    if (event.key === ' ' && (event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement)) return;
    if (event.target instanceof HTMLInputElement && event.target.type === 'range' && /^(Arrow|Page|End)/.test(event.key)) return;
    if (action) {
      event.preventDefault();
      action();
    } else if (event.target instanceof Element && event.target.closest('.panel-side, aside, [role="listbox"]')) {
      // Lists and panels keep the keys that scroll them.
    } else if (this.touch.key(event.key, this.selected, this.key_step * (event.shiftKey ? 10 : 1))) {
      event.preventDefault();
    }
  }

  private before_render(now: number): void {
    const frame = this.connection.take_frame();
    if (frame) this.show_frame(frame);
    if (frame || this.touch.held !== null) {
      this.touch.update();
      this.viewport.invalidate();
    } else {
      this.touch.update();
    }
    this.plots.draw();
    if (now - this.last_refresh > LIST_REFRESH_MS) {
      this.last_refresh = now;
      this.list.refresh();
      this.viewport.widen(this.bodies.bounds());
    }
  }

  private show_frame(frame: Frame): void {
    const n = this.scene.bodies.length;
    if ((frame.pose && frame.pose.length !== 7 * n) || (frame.stat && frame.stat.length !== n) || (frame.tint && frame.tint.length !== n)) {
      toast(`A frame does not have the ${n} bodies of the scene; load the page again.`);
      return;
    }
    if (frame.pose) this.bodies.set_poses(frame.pose);
    for (const moved of frame.vert ?? []) if (moved.body < n) this.bodies.set_vertices(moved.body, moved.vertices);
    if (frame.stat) this.set_states(frame.stat);
    if (frame.tint) this.set_tints(frame.tint);
    this.frame = frame;
    this.transport.show(frame);
    if (!frame.history) this.layers.show_left_out(frame.left_out ?? 0);
    if (!frame.history) this.plots.push(frame.step, frame.times, frame.energy);
    if (this.selected !== null) this.panel.show_pose(this.bodies.poses, this.selected);
    this.show_overlay();
  }

  private set_states(states: Uint8Array): void {
    let placed = false;
    let coloured = false;
    for (let i = 0; i < states.length; i++) {
      const changed = states[i]! ^ this.states[i]!;
      if (!changed) continue;
      this.states[i] = states[i]!;
      if (changed & STATE_ABSENT) placed = this.bodies.set_hidden(i, (states[i]! & STATE_ABSENT) !== 0) || placed;
      this.colour_body(i);
      coloured = true;
    }
    if (coloured) this.bodies.update_colours();
    if (placed) this.bodies.update_matrices();
  }

  private set_tints(tints: Uint8Array): void {
    let coloured = false;
    for (let i = 0; i < tints.length; i++) {
      if (tints[i] === this.tints[i]) continue;
      this.tints[i] = tints[i]!;
      this.colour_body(i);
      coloured = true;
    }
    if (coloured) this.bodies.update_colours();
  }

  private colour_body(i: number): void {
    const { local } = this.layers;
    const state = this.states[i]!;
    const tint = this.tints[i]!;
    const colour = TINT.base.copy(this.base_colours[i]!);
    if (local.tint && tint < NO_TINT && this.scale.length > 0) colour.copy(this.scale[Math.round((tint / (NO_TINT - 1)) * (this.scale.length - 1))]!);
    if (local.touching && state & STATE_TOUCHES) colour.lerp(TINT.touching, 0.5);
    if (local.sleeping && state & STATE_ASLEEP) colour.lerp(TINT.sleeping, 0.6);
    if (state & STATE_HELD) colour.lerp(TINT.held, 0.45);
    this.bodies.set_colour(i, colour);
  }

  private colour_all(): void {
    for (let i = 0; i < this.scene.bodies.length; i++) this.colour_body(i);
    this.bodies.update_colours();
  }

  private show_overlay(): void {
    this.viewport.invalidate();
    if (!this.frame) return;
    const cont = this.frame.cont;
    let most = 0;
    for (let i = 0; cont && i < cont.count; i++) most = Math.max(most, cont.f32[i * cont.stride + 10]!);
    // The scale follows the greatest impulse seen so far, so that arrows of one run can be compared.
    this.greatest_impulse = Math.max(this.greatest_impulse, Number.isFinite(most) ? most : 0);
    const arrow = this.arrow_length();
    const scale = this.greatest_impulse > 0 ? (arrow * this.layers.impulse) / this.greatest_impulse : 0;
    this.layers.describe_impulse(scale > 0 ? `${length_text(round_length(arrow), this.scene.unit)} of arrow: ${number_text(round_length(arrow) / scale, 3)} N·s` : '');
    this.overlay.barb = 0.3 * arrow;
    this.overlay.show(this.frame, {
      contacts: this.layers.shows_layer('contacts'),
      triangles: this.layers.shows_layer('triangles'),
      shows: (kind) => this.layers.shows(kind),
      normal_length: 0.3 * arrow,
      impulse_scale: scale,
    });
  }
  private greatest_impulse = 0;
  private usual_radius = 0;

  /** Length of the longest impulse arrow: a few bodies long, and never more than a share of the scene. */
  private arrow_length(): number {
    if (this.usual_radius === 0) {
      const radii = this.scene.bodies.map((body, i) => (body.kind === 'static' ? null : this.bodies.sphere(i)?.radius ?? null)).filter((r) => r !== null).sort((a, b) => a - b);
      this.usual_radius = radii[radii.length >> 1] ?? 0;
    }
    return Math.min(0.3 * this.sphere.radius, (this.usual_radius || this.sphere.radius) * 2);
  }

  private show_local(): void {
    const { local } = this.layers;
    this.bodies.show({ surfaces: local.surfaces, edges: local.edges });
    this.bodies.set_opacity(local.translucent ? 0.35 : 1);
    this.viewport.grid.visible = local.grid;
    this.axes.visible = local.axes;
    this.colour_all();
    this.show_overlay();
  }

  /** Loads all meshes, a few at a time, the first ones first. */
  async load_meshes(): Promise<void> {
    const used = [...new Set(this.scene.bodies.map((body) => body.mesh).filter((mesh) => mesh !== null))].sort((a, b) => a - b);
    const total = used.length;
    let done = 0;
    const progress = by_id('progress');
    const worker = async (): Promise<void> => {
      for (let k = used.shift(); k !== undefined; k = used.shift()) {
        try {
          this.bodies.add_mesh(k, decode_mesh(await (await get(`/mesh/${k}`)).arrayBuffer()));
        } catch (error) {
          toast(`Mesh ${k} cannot be shown: ${(error as Error).message}`);
        }
        done++;
        progress.hidden = done >= total;
        progress.textContent = `meshes: ${done} of ${total}`;
        this.viewport.invalidate();
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_MESHES }, worker));
    this.bodies.show(this.layers.local);
    this.usual_radius = 0;
    this.show_overlay();
  }

  /** What tests look at. */
  expose(): void {
    const page = this;
    (window as unknown as { heurt: object }).heurt = {
      get frames() { return page.connection.frames; },
      get connection() { return page.connection.state; },
      get step() { return page.frame?.step ?? -1; },
      get newest() { return page.frame?.newest ?? -1; },
      get time() { return page.frame?.time ?? 0; },
      get playing() { return page.frame?.playing ?? false; },
      get history() { return page.frame?.history ?? false; },
      get rate() { return page.frame?.rate ?? 0; },
      get bodies() { return page.scene.bodies; },
      get selected() { return page.selected; },
      get held() { return page.touch.held; },
      get pictures() { return page.viewport.pictures; },
      get sections() {
        const f = page.frame;
        return f && {
          POSE: page.bodies.poses.length / 7, STAT: page.states.length, TINT: f.tint?.length ?? 0, CONT: f.cont?.count ?? 0, TRIS: f.tris?.count ?? 0, VERT: f.vert?.length ?? 0, LINE: f.line?.count ?? 0,
          BOXS: f.boxs?.count ?? 0, PNTS: f.pnts?.count ?? 0, FACE: f.face?.count ?? 0, TIME: f.times?.length ?? 0, ENER: f.energy?.length ?? 0,
        };
      },
      pose: (body: number) => [...page.bodies.poses.subarray(7 * body, 7 * body + 7)],
      project: (x: number, y: number, z: number) => page.viewport.project(new Vector3(x, y, z)),
      center: (body: number) => page.bodies.sphere(body)?.center.toArray() ?? null,
      body_at: (x: number, y: number) => page.body_at({ clientX: x, clientY: y }),
      count_pixels: (colour?: string, tolerance?: number) => page.viewport.count_pixels(colour, tolerance),
      select: (body: number | null) => page.select(body),
      send: (message: object) => page.connection.send(message),
    };
  }
}

async function start(): Promise<void> {
  try {
    const text = await (await get('/scene.json')).text();
    const scene = JSON.parse(text) as SceneInfo;
    if (scene.protocol !== 1) throw new Error(`the server speaks protocol ${scene.protocol}, this page speaks 1`);
    const page = new LivePage(scene, text);
    page.expose();
    page.connection.open();
    await page.load_meshes();
  } catch (error) {
    set_text(by_id('connection'), 'no scene');
    by_id('connection').dataset.state = 'lost';
    banner(`The scene cannot be shown: ${(error as Error).message}`);
    if (error instanceof TypeError) setTimeout(() => location.reload(), 3000); // No answer: the server may come.
  }
}

void start();
