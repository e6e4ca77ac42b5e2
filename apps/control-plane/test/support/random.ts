import { Random as Source } from '../../chaos/random.ts';

/** Below its argument, 0 or more, whole. */
export type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function random(seed: number): Random {
  const source = new Source(seed);
  return (below) => source.int(below);
}
