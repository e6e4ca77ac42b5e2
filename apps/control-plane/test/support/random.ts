import { Random as Source } from '../../chaos/random.ts';

/** An integer from 0 to less than `below`. */
export type Random = (below: number) => number;

/** A deterministic generator. */
export function random(seed: number): Random {
  const source = new Source(seed);
  return (below) => source.int(below);
}
