// Connection to the server: a WebSocket that comes back by itself, and the newest frame.
//
// Frames that arrive between two pictures are merged: the newest one counts, but a section that only has what changed
// (POSE, STAT, VERT) stays until it is applied.
import { decode_frame, type Frame } from '../codec';
import type { ServerMessage } from '../types';

export type ConnectionState = 'connecting' | 'connected' | 'lost';

const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 8000;

/** Merges the older of two frames into the newer one: what changed then and is absent now still holds. */
export function merge_frames(older: Frame | null, newer: Frame): Frame {
  if (!older) return newer;
  newer.pose ??= older.pose;
  newer.stat ??= older.stat;
  newer.tint ??= older.tint;
  if (older.vert) {
    const listed = new Set(newer.vert?.map((v) => v.body));
    newer.vert = [...older.vert.filter((v) => !listed.has(v.body)), ...(newer.vert ?? [])];
  }
  return newer;
}

export class Connection {
  state: ConnectionState = 'connecting';
  frames = 0;
  on_state: (state: ConnectionState, retry_ms: number) => void = () => {};
  on_message: (message: ServerMessage) => void = () => {};
  on_fault: (message: string) => void = () => {};

  private socket: WebSocket | null = null;
  private newest: Frame | null = null;
  private retry_ms = FIRST_RETRY_MS;
  private timer = 0;

  constructor(private readonly url: string) {}

  open(): void {
    clearTimeout(this.timer);
    this.set_state('connecting', 0);
    const socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retry_ms = FIRST_RETRY_MS;
      this.set_state('connected', 0);
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.newest = null;
      this.set_state('lost', this.retry_ms);
      this.timer = window.setTimeout(() => this.open(), this.retry_ms);
      this.retry_ms = Math.min(LAST_RETRY_MS, this.retry_ms * 1.7);
    };
  }

  private set_state(state: ConnectionState, retry_ms: number): void {
    this.state = state;
    this.on_state(state, retry_ms);
  }

  private receive(data: unknown): void {
    try {
      if (data instanceof ArrayBuffer) {
        this.newest = merge_frames(this.newest, decode_frame(data));
        this.frames++;
      } else if (typeof data === 'string') {
        this.on_message(JSON.parse(data) as ServerMessage);
      }
    } catch (error) {
      this.on_fault(`The server sent something that the page cannot read: ${(error as Error).message}`);
    }
  }

  /** Returns the newest frame once. */
  take_frame(): Frame | null {
    const frame = this.newest;
    this.newest = null;
    return frame;
  }

  /** Sends a message; returns false where there is no connection. */
  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
