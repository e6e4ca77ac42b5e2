import type { AlgorithmName, LimitPolicy } from '@tollgate/contracts';
import type { Algorithm, CompiledPolicy } from './algorithm.js';
import { fixedWindow } from './fixed-window.js';
import { gcra } from './gcra.js';

/** An algorithm whose policy and state types are its own business. */
export type AnyAlgorithm = Algorithm<LimitPolicy, CompiledPolicy, unknown>;

const ALGORITHMS = { fixed_window: fixedWindow, gcra } satisfies Record<
  AlgorithmName,
  { name: AlgorithmName }
>;

/** The model of `name`. A compiled policy and its states must only meet the algorithm that made them. */
export function algorithmOf(name: AlgorithmName): AnyAlgorithm {
  // One algorithm's policy type is narrower than the union's; the name that both carry keeps them together.
  return ALGORITHMS[name] as unknown as AnyAlgorithm;
}
