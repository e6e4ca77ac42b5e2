/**
 * Nodes mark each counter with (generation + version number) modulo this, so that they can tell under what it was
 * written. A mark that they do not know is of a policy that they have yet to hear of, if it is less than half of this above
 * theirs.
 */
const MARKS = 48;

/** Versions before the one that was left: counters that nobody touched since then may still carry their marks. */
const MARKS_BELOW = 3;

/** Later versions of the tier that the new generation may see before it comes near a mark of an old one. */
const MARKS_ABOVE = 8;

/** How far the new mark is above the one that is left: with later versions it is still less than half of all marks. */
const LEAST_AHEAD = MARKS_BELOW + 1;
const MOST_AHEAD = MARKS / 2 - 1 - MARKS_ABOVE;

/** What a subscription was on, by its generation and the number of the tier version. */
export interface Held {
  generation: number;
  version: number;
}

/**
 * The generation of a subscription that moves to `version`: above all of `held`, under which the version's mark looks newer
 * than the one that is left, to nodes that have not heard of the move. Neither it nor those of the versions that follow soon
 * are near a mark of `held`; where there is no room for that, fewer of them, or the oldest of `held` is not kept apart.
 *
 * @param held what is left now first, then what was left before, newest first
 * @param above a generation that was promised for later, and is not to be used for anything else
 */
export function nextGeneration(held: readonly [Held, ...Held[]], version: number, above = 0): number {
  const [left, ...before] = held;
  const first = Math.max(above, ...held.map(({ generation }) => generation)) + 1;
  const mark = modulo(markOf(left) + stepFrom(left, before), MARKS);
  return first + modulo(mark - version - first, MARKS);
}

function stepFrom(left: Held, before: readonly Held[]): number {
  for (let kept = before.length; kept > 0; kept--) {
    for (let room = MARKS_ABOVE; room >= 0; room--) {
      for (let ahead = LEAST_AHEAD; ahead <= MOST_AHEAD; ahead++) {
        if (before.slice(0, kept).every((old) => isApart(markOf(left) + ahead - markOf(old), room)))
          return ahead;
      }
    }
  }
  return LEAST_AHEAD;
}

/** @param distance from the old mark up to the new one */
function isApart(distance: number, room: number): boolean {
  const above = modulo(distance, MARKS);
  return above > MARKS_BELOW && above < MARKS - MARKS_BELOW - room;
}

function markOf({ generation, version }: Held): number {
  return generation + version;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
