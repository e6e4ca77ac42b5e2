/** So long the same parts are rounded up: long enough for a unit to change hands, which takes a second and two exchanges. */
const ROTATION_MS = 2000;

/**
 * Rounds a row of parts to whole units that add up to what the parts do: each is rounded down or up. Where it begins
 * moves every two seconds by the golden ratio, so that a part of 0.3 units is one unit three tenths of the time: nobody's
 * small part is rounded to nothing for ever.
 */
export class Spread {
  private readonly offset: number;
  private sum = 0;
  private given = 0;

  constructor(nowMs: number) {
    const turn = Math.floor(nowMs / ROTATION_MS) % 1_000_000;
    this.offset = ((turn * 618_034) % 1_000_000) / 1_000_000;
  }

  /** The next part in whole units. */
  next(part: number): number {
    this.sum += part;
    const upTo = Math.floor(this.sum + this.offset);
    const whole = upTo - this.given;
    this.given = upTo;
    return whole;
  }
}
