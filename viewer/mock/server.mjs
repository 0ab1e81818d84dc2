// Mock server for development and tests: serves dist/ and a synthetic scene by PROTOCOL.md.
// node mock/server.mjs [--port 8321] [--count 60] [--steps 1200] [--files] [--read-only] [--control visitor,cube 0] [--paused]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { mesh_bytes } from './bytes.mjs';
import { make_scene } from './scene.mjs';

const { values: args } = parseArgs({ options: {
  port: { type: 'string', default: '8321' }, count: { type: 'string', default: '60' }, steps: { type: 'string', default: '1200' }, files: { type: 'boolean' },
  'read-only': { type: 'boolean' }, control: { type: 'string' }, paused: { type: 'boolean' },
} });
const scene = make_scene({
  count: Number(args.count), steps: Number(args.steps), mode: args.files ? 'files' : 'run', read_only: !!args['read-only'], control: args.control ? args.control.split(',') : null,
});
const meshes = scene.meshes.map(mesh_bytes);
const { bodies, step: STEP, steps } = scene.json;
const CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws:";
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css' };

function is_foreign(request) {
  const host = request.headers.host ?? '';
  const origin = request.headers.origin;
  return !/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host) || (origin !== undefined && origin !== `http://${host}`);
}

const server = createServer(async (request, response) => {
  const send = (status, type, body) => response.writeHead(status, { 'content-type': type, 'content-security-policy': CSP, 'cache-control': 'no-store' }).end(body);
  if (is_foreign(request)) return send(403, 'text/plain', 'foreign origin or host');
  const path = request.url === '/' ? '/index.html' : request.url;
  if (path === '/scene.json') return send(200, 'application/json', JSON.stringify(scene.json));
  if (path === '/favicon.ico') return response.writeHead(204).end();
  const mesh = path.match(/^\/mesh\/(\d+)$/);
  if (mesh && meshes[mesh[1]]) return send(200, 'application/octet-stream', meshes[mesh[1]]);
  if (/^\/(index\.html|viewer\.js|viewer\.css)$/.test(path)) return send(200, TYPES[path.split('.').at(-1)], await readFile(new URL(`../dist${path}`, import.meta.url)));
  send(404, 'text/plain', 'nothing here');
});

// State of the run: poses of all steps so far, and what hands left behind.
const clients = new Map(); // socket → { layers, level, inspect }
const offsets = bodies.map(() => null);
const history = [scene.pose_at(0, offsets)];
let playing = !args.paused && !args.files;
let rate = 1;
let shown = 0;
let held = null; // { body, at, target, owner }
let ended = false;
let debt = 0;

const END = { type: 'end', message: `The run has ended after ${steps} steps.` };
const newest = () => history.length - 1;

function advance() {
  if (newest() >= steps) {
    playing = false;
    if (!ended) broadcast_text(END);
    ended = true;
    return;
  }
  if (held) {
    const o = (offsets[held.body] ??= [0, 0, 0]);
    const pose = history.at(-1)[held.body];
    for (let c = 0; c < 3; c++) o[c] += (held.target[c] - held.grip[c] - pose[c]) * 0.3;
  } else {
    offsets.forEach((o) => o && bodies[offsets.indexOf(o)].kind === 'dynamic' && o.forEach((v, c) => (o[c] = v * 0.97)));
  }
  history.push(scene.pose_at(history.length, offsets.map((o) => o && [...o])));
  shown = newest();
}

function frame() {
  const on = new Set();
  let level = 0;
  for (const client of clients.values()) {
    client.layers.forEach((l) => on.add(l));
    level = Math.max(level, client.level);
  }
  const header = { flags: (playing ? 1 : 0) | 2 | (shown < newest() ? 4 : 0), step: shown, time: shown * STEP, newest: newest(), rate };
  return scene.frame(header, history[shown], { on, level, held: new Set(held ? [held.body] : []) });
}

function broadcast() {
  if (clients.size === 0) return;
  const bytes = frame();
  for (const [socket] of clients) if (socket.bufferedAmount < 1e6) socket.send(bytes);
}

function broadcast_text(message) {
  for (const [socket] of clients) socket.send(JSON.stringify(message));
}

const is_vector = (v, n = 3) => Array.isArray(v) && v.length === n && v.every(Number.isFinite);
const may_move = (i) => {
  const body = bodies[i];
  if (!body) throw new Error(`there is no body ${i}`);
  const allowed = scene.json.control ? scene.json.control.includes(body.name) : ['dynamic', 'kinematic'].includes(body.kind);
  if (!allowed) throw new Error(`body "${body.name}" may not be moved`);
};

function obey(socket, message) {
  const looks = ['layers', 'inspect'].includes(message.do);
  if (scene.json.read_only && !looks) throw new Error('this run is read only');
  if (message.pose) {
    const i = bodies.findIndex((b) => b.name === message.body);
    may_move(i);
    if (bodies[i].kind !== 'kinematic') throw new Error(`body "${message.body}" is not kinematic`);
    if (!is_vector(message.pose.translation) || !is_vector(message.pose.rotation, 4)) throw new Error('pose: numbers are missing');
    offsets[i] = message.pose.translation.map((v, c) => v - scene.rest[i][c]);
    if (!playing) { advance(); }
    return;
  }
  switch (message.do) {
    case 'play': playing = true; shown = newest(); break;
    case 'pause': playing = false; break;
    case 'step':
      if (!(Number.isInteger(message.count) && message.count > 0 && message.count <= 1000)) throw new Error('step: count has to be 1 to 1000');
      playing = false;
      for (let i = 0; i < message.count; i++) advance();
      break;
    case 'rate':
      if (!(message.value > 0 && message.value <= 100)) throw new Error('rate: value has to be above 0 and at most 100');
      rate = message.value;
      break;
    case 'seek':
      if (!(message.step >= 0 && message.step <= newest())) throw new Error(`seek: step ${message.step} is not among 0 to ${newest()}`);
      playing = false;
      shown = message.step;
      break;
    case 'layers': Object.assign(clients.get(socket), { layers: message.on, level: message.level ?? 0 }); break;
    case 'inspect': clients.get(socket).inspect = message.body; tell_state(socket); break;
    case 'grab': {
      may_move(message.body);
      if (!is_vector(message.at) || !is_vector(message.target)) throw new Error('grab: numbers are missing');
      const pose = history.at(-1)[message.body];
      held = { body: message.body, grip: message.at.map((v, c) => v - pose[c]), target: message.target, owner: socket };
      break;
    }
    case 'drag': if (held?.owner === socket && is_vector(message.target)) held.target = message.target; break;
    case 'release': if (held?.owner === socket) held = null; break;
    default: throw new Error(`unknown message ${JSON.stringify(message).slice(0, 80)}`);
  }
}

function tell_state(socket) {
  const body = clients.get(socket)?.inspect;
  if (body === null || body === undefined || !bodies[body]) return;
  const [p, q] = [history[shown][body], history[Math.max(0, shown - 1)][body]];
  const moved = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) > 0;
  socket.send(JSON.stringify({
    type: 'body', body, step: shown, translation: p.slice(0, 3), rotation: p.slice(3), velocity: [0, 1, 2].map((c) => (p[c] - q[c]) / STEP),
    angular_velocity: moved ? [0.1, 0.2, 1.3] : [0, 0, 0], asleep: body >= 5 && !moved, contacts: p[2] < 0.62 ? 1 : 0,
  }));
}

const sockets = new WebSocketServer({ server, path: '/live', verifyClient: ({ req }) => !is_foreign(req) });
sockets.on('connection', (socket) => {
  clients.set(socket, { layers: [], level: 0, inspect: null });
  socket.send(frame());
  if (ended) socket.send(JSON.stringify(END));
  socket.on('message', (data, binary) => {
    try {
      if (binary) throw new Error('messages are text');
      obey(socket, JSON.parse(data.toString()));
    } catch (error) {
      socket.send(JSON.stringify({ type: 'error', message: error.message }));
    }
    broadcast();
  });
  socket.on('close', () => {
    clients.delete(socket);
    if (held?.owner === socket) held = null;
  });
});

let last = performance.now();
setInterval(() => {
  const now = performance.now();
  debt = Math.min(debt + ((now - last) / 1000) * rate, 0.2 * Math.max(1, rate));
  last = now;
  if (!playing) return void (debt = 0);
  let taken = 0;
  while (debt >= STEP && playing) { advance(); debt -= STEP; taken++; }
  if (taken) broadcast();
}, 8);
setInterval(() => { for (const socket of clients.keys()) tell_state(socket); }, 100);

server.listen(Number(args.port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
