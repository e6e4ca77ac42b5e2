/**
 * Nodes mark each counter with (generation + version number) modulo this value, to identify the policy it was written under.
 * An unknown mark less than half of this value above theirs belongs to a newer policy that they have not received yet.
 */
const MARKS = 48;

/** Earlier versions whose marks idle counters may still carry. */
const MARKS_BELOW = 3;

/** Later versions that the new generation can have before its marks approach an old mark. */
const MARKS_ABOVE = 8;

/** Distance of the new mark from the previous one: even with later versions below half of all marks. */
const LEAST_AHEAD = MARKS_BELOW + 1;
const MOST_AHEAD = MARKS / 2 - 1 - MARKS_ABOVE;

export interface CounterMark {
  generation: number;
  version: number;
}

/**
 * The next generation of a subscription that changes to `version`. It is above all of `earlier`, and nodes without the change see
 * its mark as newer than the previous one. Its mark and those of the next versions stay clear of the marks of `earlier`; if there
 * is no room, fewer next versions are reserved, then the oldest marks are ignored.
 *
 * @param earlier the previous state first, then older ones, newest first
 * @param above a generation reserved by a scheduled change
 */
export function nextGeneration(
  earlier: readonly [CounterMark, ...CounterMark[]],
  version: number,
  above = 0,
): number {
  const [left, ...before] = earlier;
  const first = Math.max(above, ...earlier.map(({ generation }) => generation)) + 1;
  const mark = modulo(markOf(left) + stepFrom(left, before), MARKS);
  return first + modulo(mark - version - first, MARKS);
}

function stepFrom(left: CounterMark, before: readonly CounterMark[]): number {
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

function markOf({ generation, version }: CounterMark): number {
  return generation + version;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
