// A small drawing of the graph: motions and the ways between them, the one that plays lit, a change shown moving.

import { el, setAttribute, svg } from "../elements";
import type { LiveGraph, LiveState } from "../messages";
import { homeOf } from "./request";

const WIDE = 250;
const HIGH = 190;
const RADIUS = 21;

interface Point {
  readonly x: number;
  readonly y: number;
}

export class GraphView {
  readonly root = el("div", { class: "live-card graph-card" });
  private readonly nodes = new Map<string, SVGGElement>();
  private readonly edges = new Map<string, SVGLineElement>();
  private places = new Map<string, Point>();
  private readonly runner = svg("circle", { r: 5, class: "runner" });
  private edge = "";
  private animation: Animation | null = null;

  setGraph(graph: LiveGraph): void {
    this.places = placed(graph);
    this.nodes.clear();
    this.edges.clear();
    this.edge = "";
    const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Graph ${graph.name}` });
    for (const [from, to] of graph.edges) this.line(drawing, from, to);
    drawing.append(this.runner);
    this.runner.style.visibility = "hidden";
    for (const node of graph.nodes) drawing.append(this.node(node.name, node.isAction));
    this.root.replaceChildren(el("h3", { text: "Graph" }), drawing);
  }

  show(state: LiveState): void {
    const [, to] = state.edge ? state.edge.split(" to ") : ["", ""];
    for (const [name, group] of this.nodes) {
      group.classList.toggle("now", name === state.node);
      group.classList.toggle("next", name === to || name === state.waiting);
    }
    if (state.edge !== this.edge) this.travel(state.edge);
  }

  private travel(edge: string): void {
    this.edges.get(key(...names(this.edge)))?.classList.remove("now");
    this.edge = edge;
    this.animation?.cancel();
    const [from, to] = names(edge);
    const [a, b] = [this.places.get(from), this.places.get(to)];
    this.runner.style.visibility = a && b ? "visible" : "hidden";
    if (!a || !b) return;
    this.edges.get(key(from, to))?.classList.add("now");
    const at = (point: Point): string => `translate(${point.x}px, ${point.y}px)`;
    this.animation = this.runner.animate([{ transform: at(a) }, { transform: at(b) }], { duration: 700, iterations: Infinity });
  }

  private line(drawing: SVGSVGElement, from: string, to: string): void {
    const [a, b] = [this.places.get(from), this.places.get(to)];
    if (!a || !b || this.edges.has(key(from, to))) return;
    const made = svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: "way" });
    this.edges.set(key(from, to), made);
    drawing.append(made);
  }

  private node(name: string, isAction: boolean): SVGGElement {
    const at = this.places.get(name) ?? { x: 0, y: 0 };
    const group = svg("g", { class: isAction ? "node action" : "node", transform: `translate(${at.x} ${at.y})` });
    group.append(svg("circle", { r: RADIUS }), svg("text", { "text-anchor": "middle", dy: "0.35em" }, short(name)));
    group.append(svg("title", {}, isAction ? `${name}, an action` : name));
    setAttribute(group, "data-node", name);
    this.nodes.set(name, group);
    return group;
  }
}

/** Home in the middle, the others around it: those that go on for ever on the left, actions on the right. */
function placed(graph: LiveGraph): Map<string, Point> {
  const home = homeOf(graph);
  const others = [
    ...graph.nodes.filter((node) => !node.isAction && node.name !== home),
    ...graph.nodes.filter((node) => node.isAction),
  ];
  const found = new Map<string, Point>([[home, { x: WIDE / 2, y: HIGH / 2 }]]);
  others.forEach((node, n) => {
    const angle = Math.PI * (0.75 + (2 * (n + 0.0)) / others.length);
    const x = WIDE / 2 + (WIDE / 2 - RADIUS - 6) * Math.cos(angle);
    found.set(node.name, { x, y: HIGH / 2 - (HIGH / 2 - RADIUS - 4) * Math.sin(angle) });
  });
  return found;
}

function names(edge: string): [string, string] {
  const [from = "", to = ""] = edge.split(" to ");
  return [from, to];
}

/** The same for both ways. */
function key(from: string, to: string): string {
  return from < to ? `${from}|${to}` : `${to}|${from}`;
}

function short(name: string): string {
  return name.length > 7 ? `${name.slice(0, 6)}…` : name;
}
