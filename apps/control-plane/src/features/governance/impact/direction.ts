/** Which way something changes; both, when it does in one respect this way and in another that way. */
export interface Direction {
  looser: boolean;
  tighter: boolean;
}

export const UNCHANGED: Direction = { looser: false, tighter: false };

export function either(directions: readonly Direction[]): Direction {
  return {
    looser: directions.some(({ looser }) => looser),
    tighter: directions.some(({ tighter }) => tighter),
  };
}

/** Of a number of which more admits more. */
export function moreIsLooser(before: number, after: number): Direction {
  return { looser: after > before, tighter: after < before };
}

/** Of a number of which more admits less. */
export function moreIsTighter(before: number, after: number): Direction {
  return moreIsLooser(after, before);
}
