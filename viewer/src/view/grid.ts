// Ground grid, world axes, and the scale bar that goes with them.
import { AdditiveBlending, BufferGeometry, Color, Float32BufferAttribute, LineBasicMaterial, LineSegments, NormalBlending, Vector3 } from 'three';

/** Returns the greatest of 1, 2, 5 × 10^k that is not above `length`. */
export function round_length(length: number): number {
  if (!(length > 0) || !Number.isFinite(length)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(length) + 1e-9));
  const share = length / power;
  return (share >= 5 ? 5 : share >= 2 ? 2 : 1) * power;
}

export class Grid extends LineSegments<BufferGeometry, LineBasicMaterial> {
  spacing = 1;
  constructor() {
    super(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.frustumCulled = false;
    this.renderOrder = -2;
  }
  override raycast(): void {}

  /** Lays the grid below a sphere, at `height` along `up`; lines fade outward. */
  lay(center: Vector3, radius: number, up: Vector3, height: number, colour: string, dark: boolean): void {
    const half_count = 20;
    this.spacing = round_length((radius * 2.4) / half_count) || 1;
    const e1 = new Vector3(1, 0, 0);
    if (Math.abs(e1.dot(up)) > 0.9) e1.set(0, 1, 0);
    e1.addScaledVector(up, -e1.dot(up)).normalize();
    const e2 = new Vector3().crossVectors(up, e1);
    const c1 = Math.round(center.dot(e1) / this.spacing);
    const c2 = Math.round(center.dot(e2) / this.spacing);
    const { r, g, b } = new Color(colour);
    const positions: number[] = [];
    const colours: number[] = [];
    const vertex = (i: number, j: number, strength: number): void => {
      const off = Math.hypot(i, j) / half_count;
      const alpha = strength * Math.max(0, 1 - off * off);
      const p = new Vector3().addScaledVector(e1, (c1 + i) * this.spacing).addScaledVector(e2, (c2 + j) * this.spacing).addScaledVector(up, height);
      positions.push(p.x, p.y, p.z);
      colours.push(r, g, b, alpha);
    };
    for (let i = -half_count; i <= half_count; i++) {
      for (let j = -half_count; j < half_count; j++) {
        if (Math.hypot(i, j + 0.5) > half_count) continue;
        const along_2 = (c1 + i) % 10 === 0 ? 0.75 : 0.28;
        vertex(i, j, along_2);
        vertex(i, j + 1, along_2);
        const along_1 = (c2 + i) % 10 === 0 ? 0.75 : 0.28;
        vertex(j, i, along_1);
        vertex(j + 1, i, along_1);
      }
    }
    this.geometry.dispose();
    this.geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    this.geometry.setAttribute('color', new Float32BufferAttribute(colours, 4));
    this.material.blending = dark ? AdditiveBlending : NormalBlending;
  }
}

/** Updates a scale bar: an element with a bar and a label, roughly `target` pixels wide. */
export function update_scale_bar(element: HTMLElement, units_per_pixel: number, unit: string, target = 110): void {
  const length = round_length(units_per_pixel * target);
  const bar = element.firstElementChild as HTMLElement;
  const label = element.lastElementChild as HTMLElement;
  bar.style.width = `${(length / units_per_pixel).toFixed(1)}px`;
  const text = length_text(length, unit);
  if (label.textContent !== text) label.textContent = text;
}

/** Writes a length; metres get a prefix. */
export function length_text(length: number, unit: string): string {
  const round = (value: number): string => String(Number(value.toPrecision(3)));
  if (unit !== 'm') return `${round(length)} ${unit}`.trim();
  const size = Math.abs(length);
  if (size >= 1000) return `${round(length / 1000)} km`;
  if (size >= 1 || size === 0) return `${round(length)} m`;
  if (size >= 1e-3) return `${round(length * 1e3)} mm`;
  return `${round(length * 1e6)} µm`;
}
