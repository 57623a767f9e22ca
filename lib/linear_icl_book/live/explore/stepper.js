// What figures with a step share that training finds: it is moved by hand, and Train leads it there.

import { Figure } from "./figure.js";
import { button, controlled, glide, make, sliders, titled } from "./hands.js";

const ROUND = 1e4;

/** A subclass has the trait `alpha` and `goal()`, where training ends. */
export class Stepper extends Figure {
  move(alpha) {
    this.stop?.();
    this.turn(alpha);
  }

  turn(alpha) {
    const { low, high } = this.constructor.traits.alpha;
    this.put({ alpha: Math.round(Math.min(high, Math.max(low, alpha)) * ROUND) / ROUND });
  }

  train() {
    this.stop?.();
    const [from, goal] = [this.get("alpha"), this.goal()];
    this.stop = glide(600, (share) => this.turn(from + share * (goal - from)));
  }

  back() {
    this.stop?.();
    this.put(this.first());
  }

  /** Train, what else there is, Reset. */
  bar(...others) {
    return make("div", { class: "ex-bar" }, button("Train", () => this.train(), { class: "ex-button is-main" }), ...others,
      button("Reset", () => this.back(), { class: "ex-button ex-quiet ex-reset" }));
  }

  /** Sliders by the trait that they set. */
  sliders(known, move) {
    this.controls = sliders(known, Object.keys(known), { id: this.id, get: (name) => this.get(name), move });
    return controlled(this.controls);
  }

  /** Panels with what stands above each. */
  panels(...known) {
    return make("div", { class: "ex-panels" }, ...known.map(([title, drawn]) => titled(title, drawn)));
  }

  destroy() {
    this.stop?.();
    super.destroy();
  }
}
