// Weights of examples in a blend space: of the triangle around what is asked (Delaunay), or of the nearest on its edge.

type Weights = (asked: number[]) => number[];
type Point = [number, number];

export function spread(positions: number[][]): Weights {
  const count = positions.length;
  const axes = (positions[0] ?? []).map((_, i) => i).filter((i) => size(positions.map((p) => p[i]!)) > 1e-9);
  const sizes = axes.map((i) => size(positions.map((p) => p[i]!)));
  const flat = (p: number[]) => axes.map((i, k) => p[i]! / sizes[k]!);
  const points = positions.map(flat);
  const one = (i: number) => Array.from({ length: count }, (_, k) => (k === i ? 1 : 0));
  if (count === 1 || axes.length === 0) return () => one(0);
  if (axes.length === 1) return (p) => along(points.map((q) => q[0]!), flat(p)[0]!);
  if (axes.length > 2) return (p) => nearest(points, flat(p));
  const triangles = delaunay(points as Point[]);
  return (p) => inside(points as Point[], triangles, flat(p) as Point);
}

function size(values: number[]): number {
  return Math.max(...values) - Math.min(...values);
}

function along(values: number[], asked: number): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const out = values.map(() => 0);
  const at = Math.max(values[order[0]!]!, Math.min(values[order[order.length - 1]!]!, asked));
  for (let k = 0; k + 1 < order.length; k++) {
    const [a, b] = [order[k]!, order[k + 1]!];
    const [low, high] = [values[a]!, values[b]!];
    if (at > high) continue;
    const share = high > low ? (at - low) / (high - low) : 0;
    out[a] = 1 - share;
    out[b] = share;
    return out;
  }
  out[order[order.length - 1]!] = 1;
  return out;
}

function nearest(points: number[][], asked: number[]): number[] {
  const far = points.map((p) => Math.hypot(...p.map((x, i) => x - asked[i]!)));
  const limit = [...far].sort((a, b) => a - b)[Math.min(4, far.length - 1)]! + 1e-9;
  const raw = far.map((d) => Math.max(0, 1 / Math.max(d, 1e-6) - 1 / limit));
  const sum = raw.reduce((a, b) => a + b);
  return raw.map((w) => w / sum);
}

// brute force: a pack has dozens of examples, not thousands
function delaunay(points: Point[]): [number, number, number][] {
  const out: [number, number, number][] = [];
  for (let a = 0; a < points.length; a++)
    for (let b = a + 1; b < points.length; b++)
      for (let c = b + 1; c < points.length; c++) {
        const circle = around(points[a]!, points[b]!, points[c]!);
        if (!circle) continue;
        const [x, y, r] = circle;
        const empty = points.every((p, i) => i === a || i === b || i === c || Math.hypot(p[0] - x, p[1] - y) > r - 1e-7);
        if (empty) out.push([a, b, c]);
      }
  return out;
}

function around(a: Point, b: Point, c: Point): [number, number, number] | null {
  const d = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]));
  if (Math.abs(d) < 1e-9) return null;
  const square = (p: Point) => p[0] * p[0] + p[1] * p[1];
  const [aa, bb, cc] = [square(a), square(b), square(c)];
  const x = (aa * (b[1] - c[1]) + bb * (c[1] - a[1]) + cc * (a[1] - b[1])) / d;
  const y = (aa * (c[0] - b[0]) + bb * (a[0] - c[0]) + cc * (b[0] - a[0])) / d;
  return [x, y, Math.hypot(a[0] - x, a[1] - y)];
}

function inside(points: Point[], triangles: [number, number, number][], asked: Point): number[] {
  const out = points.map(() => 0);
  let best: { far: number; corners: number[]; weights: number[] } | null = null;
  for (const [a, b, c] of triangles) {
    const [p, q, r] = [points[a]!, points[b]!, points[c]!];
    const d = (q[1] - r[1]) * (p[0] - r[0]) + (r[0] - q[0]) * (p[1] - r[1]);
    const u = ((q[1] - r[1]) * (asked[0] - r[0]) + (r[0] - q[0]) * (asked[1] - r[1])) / d;
    const v = ((r[1] - p[1]) * (asked[0] - r[0]) + (p[0] - r[0]) * (asked[1] - r[1])) / d;
    const raw = [Math.max(0, u), Math.max(0, v), Math.max(0, 1 - u - v)] as const;
    const sum = raw[0] + raw[1] + raw[2];
    const [wp, wq, wr] = [raw[0] / sum, raw[1] / sum, raw[2] / sum];
    const x = wp * p[0] + wq * q[0] + wr * r[0];
    const y = wp * p[1] + wq * q[1] + wr * r[1];
    const far = Math.hypot(x - asked[0], y - asked[1]);
    if (!best || far < best.far) best = { far, corners: [a, b, c], weights: [wp, wq, wr] };
  }
  if (!best) return along(points.map((p) => p[0]), asked[0]);
  best.corners.forEach((corner, i) => (out[corner] = best!.weights[i]!));
  return out;
}
