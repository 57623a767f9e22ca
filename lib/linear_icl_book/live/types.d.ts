// What goes through the scripts of the figures, for the type checker and for whoever reads them.

/** One coordinate of one series in the packed grid, as packing.py writes it. */
export interface Channel {
  axes: number[]; // the controls on which it depends
  offset: number; // in words
  length: number;
  lo: number;
  step: number;
  log: boolean;
}

/** x, y of a line or points; low, high of a band; z of a heat map. */
export type Coordinate = "x" | "y" | "low" | "high" | "z";

export interface Series {
  name: string;
  kind: "line" | "band" | "point" | "hline" | "vline" | "heat";
  color: string; // a role
  dash: string;
  channels: { [name in Coordinate]?: Channel };
}

/** The values of one series at a place of the grid. */
export type Drawn = { [name in Coordinate]?: Float64Array };

/** A control: numbers, or names in a menu. */
export interface Axis {
  name: string;
  label: string;
  values: (number | string)[];
  init: number | string;
  integer: boolean;
}

/** A direction of the frame, or what colours measure. */
export interface Side {
  label: string;
  scale: "linear" | "log";
  domain: [number, number];
  values?: number[];
}

export interface Frame {
  x: Side;
  y: Side;
  z?: Side;
}

/** What LiveFigure sends once. */
export interface Spec extends Frame {
  schema: number;
  name: string;
  title: string;
  alt: string;
  snap: boolean;
  equal: boolean;
  axes: Axis[];
  series: Series[];
}

export type Way = "up" | "down" | "left" | "right";

/** Where something outside the frame is marked; no value where it goes on. */
export interface Mark {
  x: number;
  y: number;
  way: Way;
  value: number | null;
}

/** Where the read-out stands: on a series, or in a heat map on a cell. */
export interface Cursor {
  series?: number;
  index?: number;
  column?: number;
  row?: number;
}

/** What the legend shows and what is said of a series, and where the cursor marks it. */
export interface Told {
  shown: string;
  phrase: string;
  dot?: [number, number] | null;
}

/** anywidget's model, or the page's own in its place, which knows where it started. */
export interface Model {
  // biome-ignore lint/suspicious/noExplicitAny: a trait may hold anything
  get(name: string): any;
  set(name: string, value: unknown): void;
  on(event: string, listener: (...heard: unknown[]) => void): void;
  off(event: string, listener: (...heard: unknown[]) => void): void;
  save_changes(): void;
  send(message: object): void;
  start?: State;
}

/** Traits by name. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type State = Record<string, any>;

/** What a trait of a figure that computes may be, as states.py says it. */
export interface Trait {
  low: number;
  high: number;
  whole?: boolean;
  lengths?: number[]; // of a list
  points?: number; // of a list of triples (index, x, y): how many there are
}

export interface Context {
  model: Model;
  el: HTMLElement;
}
