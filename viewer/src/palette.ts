// Palette: the Okabe–Ito colours, which people with colour-blindness can separate, and the meaning of each.

export const OKABE_ITO = {
  orange: '#E69F00',
  sky: '#56B4E9',
  green: '#009E73',
  yellow: '#F0E442',
  blue: '#0072B2',
  vermilion: '#D55E00',
  purple: '#CC79A7',
  grey: '#999999',
};

export const COLOURS = {
  colliding: OKABE_ITO.vermilion,
  resting: OKABE_ITO.green,
  separating: OKABE_ITO.sky,
  intersecting: OKABE_ITO.purple,
  near: OKABE_ITO.sky,
  selected: OKABE_ITO.yellow,
};

/** Colours of contacts by kind: colliding, resting, separating. */
export const CONTACT_COLOURS = [COLOURS.colliding, COLOURS.resting, COLOURS.separating];

/** Colours by the kind of a meaning. Level-dependent kinds start from this colour. */
export const MEANING_COLOURS = [
  '#8fa3b5', // surface
  '#5b6b7a', // edge
  COLOURS.colliding,
  COLOURS.resting,
  COLOURS.separating,
  COLOURS.intersecting,
  OKABE_ITO.blue, // normal
  OKABE_ITO.orange, // impulse
  OKABE_ITO.green, // volume of a tree
  OKABE_ITO.grey, // broad phase
  OKABE_ITO.orange, // swept volume
  OKABE_ITO.blue, // separating plane
  OKABE_ITO.green, // cell of a map
  COLOURS.colliding, // fault
  OKABE_ITO.yellow, // note
  OKABE_ITO.grey, // box of a body
  '#c8c8c8', // cell by level
  OKABE_ITO.orange, // cell of an agent
  OKABE_ITO.sky, // cells around it
  OKABE_ITO.blue, // velocity
  OKABE_ITO.vermilion, // path
  OKABE_ITO.purple, // bubble
];

export const MEANING_NAMES = [
  'surface', 'edge', 'colliding', 'resting', 'separating', 'intersecting', 'normal', 'impulse', 'volume of a tree',
  'broad phase', 'swept volume', 'separating plane', 'cell of a map', 'fault', 'note', 'box of a body', 'cell, darker with its level',
  'cell of the agent', 'cells around it', 'velocity, 1 s', 'path', 'bubble',
];

export const MEANING_TREE = 8;
export const MEANING_LEVEL = 16;

/** Colours of tree levels, from the root down: viridis, which stays ordered in grey. */
const LEVELS = ['#fde725', '#b5de2b', '#6ece58', '#35b779', '#1f9e89', '#26828e', '#31688e', '#3e4989', '#482878'];

/** Returns the colour of a meaning: the low byte is the kind, the rest a level. */
export function meaning_colour(meaning: number): string {
  const kind = meaning & 255;
  if (kind === MEANING_TREE) return LEVELS[(meaning >>> 8) % LEVELS.length]!;
  if (kind === MEANING_LEVEL) {
    const grey = (0xc8 - 0x14 * Math.min(meaning >>> 8, 6)).toString(16);
    return `#${grey}${grey}${grey}`;
  }
  return MEANING_COLOURS[kind] ?? OKABE_ITO.grey;
}

/** Colours of stages in the plot of step times. */
export const STAGE_COLOURS = [
  OKABE_ITO.blue, OKABE_ITO.orange, OKABE_ITO.green, OKABE_ITO.purple, OKABE_ITO.sky, OKABE_ITO.vermilion, OKABE_ITO.yellow, OKABE_ITO.grey,
];

/** Colours of bodies by kind, where the file states none. Muted, so that states stand out. */
export const KIND_COLOURS: Record<string, string> = {
  static: '#8b949e',
  kinematic: '#d8b36a',
  dynamic: '#9db4cc',
  soft: '#a9c3a6',
  part: '#a8b3bf',
  agent: '#9db4cc',
};

/** Muted colours of parts, by their number. */
export const PART_COLOURS = ['#a8b8c8', '#c9b79c', '#a7bfa9', '#bfa9b8', '#9fb8bd', '#c4bfa0', '#aeb0cc', '#c7aaa0'];

/** Colour of a part without a finding while a cut is on. */
export const PLAIN_COLOUR = '#dce0e4';

/** Colours of findings by kind; a report states them, these hold for one that does not. */
export const FINDING_COLOURS = {
  clash: OKABE_ITO.vermilion,
  duplicate: OKABE_ITO.vermilion,
  inside: OKABE_ITO.purple,
  touching: OKABE_ITO.yellow,
  near: OKABE_ITO.sky,
};

/** Colours of the two parts of a finding; no kind has one of them. */
export const PAIR_COLOURS = [OKABE_ITO.blue, OKABE_ITO.green] as const;
