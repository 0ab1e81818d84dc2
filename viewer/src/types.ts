// Types of the JSON of the protocol: the scene, messages, and the data of a report.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface SceneBody {
  name: string;
  kind: 'static' | 'kinematic' | 'dynamic' | 'soft' | 'part' | 'agent';
  mesh: number | null;
  shape: string;
  mass: number | null;
  colour?: string | null;
}

export interface SceneLayer {
  name: string;
  label: string;
  levels?: number;
  /** Kinds of meaning that the layer draws. */
  kinds?: number[];
  /** Shown at the start. */
  on?: boolean;
}

/** A scale of colours for bodies, from low to high. */
export interface SceneTint {
  label: string;
  low: string;
  high: string;
  colours: string[];
}

export interface SceneInfo {
  protocol: number;
  mode: 'run' | 'files';
  title: string;
  unit: string;
  read_only: boolean;
  control: string[] | null;
  step: number;
  steps: number | null;
  up: Vec3;
  bounds: { min: Vec3; max: Vec3 };
  stages: string[];
  meshes: number;
  bodies: SceneBody[];
  layers: SceneLayer[];
  tint?: SceneTint;
}

export interface BodyState {
  type: 'body';
  body: number;
  step: number;
  translation: Vec3;
  rotation: Quat;
  velocity: Vec3;
  /** Of bodies of a world. */
  angular_velocity?: Vec3;
  asleep?: boolean;
  contacts?: number;
  /** Of agents: the speed in m/s that it would have alone, and the name of its group. */
  own_speed?: number;
  group?: string;
}

export type ServerMessage = BodyState | { type: 'error'; message: string } | { type: 'end'; message: string };

export interface ReportPart {
  name: string;
  file: string;
  mesh: number | null;
  triangles: number;
  solid: boolean;
  class: string;
  translation: Vec3;
  rotation: Quat;
  colour: string | null;
  /** Null if they were not searched for. */
  faults: string[] | null;
}

export type FindingKind = 'duplicate' | 'clash' | 'inside' | 'touching' | 'near';

export interface Finding {
  a: number;
  b: number;
  kind: FindingKind;
  inner?: 'a' | 'b' | null;
  since?: 'new' | 'same' | 'changed' | null;
  depth?: number | null;
  /** The depth as the table of the program writes it, with what is proved of it. */
  depth_text?: string | null;
  /** The volume that the parts share, in the cube of the unit. */
  volume?: number | null;
  separating_translation?: Vec3 | null;
  /** The translation as the table of the program writes it: length and direction. */
  separating_text?: string | null;
  gap?: number | null;
  point_a?: Vec3 | null;
  point_b?: Vec3 | null;
  triangle_pairs?: number | null;
  where?: Vec3 | null;
  region?: [Vec3, Vec3] | null;
  contours?: number[][];
  contours_left_out?: number;
}

export interface ReportData {
  protocol: number;
  title: string;
  program: string;
  unit: string | null;
  summary: Record<string, number | string | null>;
  bounds: { min: Vec3; max: Vec3 };
  meshes: string[];
  parts: ReportPart[];
  findings: Finding[];
  gone?: { a: string; b: string; kind: string }[];
  notes?: string[];
  /** Colours of findings by kind, as the picture of the program has them. */
  colours?: Partial<Record<FindingKind, string>>;
}
