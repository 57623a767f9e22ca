// What figures with a step share that training finds: it is moved by hand, and Train leads it there.

import { Figure } from "./figure.js";
import { main } from "./hands.js";

const ROUND = 1e4;

/** A subclass has the trait `alpha` and `goal()`, where training ends. */
export class Stepper extends Figure {
  /** @returns {number} */
  goal() {
    return NaN;
  }

  move(alpha) {
    this.still();
    this.put(this.turned(alpha));
  }

  turned(alpha) {
    const { low, high } = this.traits.alpha;
    return { alpha: Math.round(Math.min(high, Math.max(low, alpha)) * ROUND) / ROUND };
  }

  bar(...others) {
    return super.bar(
      main("Train", () => this.train()),
      ...others,
    );
  }

  train() {
    const [from, goal] = [this.get("alpha"), this.goal()];
    this.lead(600, (share) => this.turned(from + share * (goal - from)));
  }
}
