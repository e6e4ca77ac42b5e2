/** Options of a run. */
export interface GoalOptions {
  /** Seed of the requests, independent of the machine's speed. */
  readonly seed: number;
  /** Share of the full run, up to 1. */
  readonly scale: number;
  /** Length of a measurement, for goals that have one. */
  readonly seconds: number;
}

export interface GoalResult {
  /** Whether all promises hold. */
  readonly verdict: boolean;
  readonly numbers: Readonly<Record<string, number | string>>;
  /** Failed checks. */
  readonly failures?: readonly string[];
}

/** A promise of the control plane with the run that tests it. */
export interface Goal {
  /** `C4`. */
  readonly name: string;
  readonly title: string;
  run(options: GoalOptions): Promise<GoalResult>;
}

/** The result of checks, with the message of each failed one. */
export function resultOf(
  numbers: GoalResult['numbers'],
  checks: Readonly<Record<string, boolean>>,
): GoalResult {
  const failures = Object.keys(checks).filter((text) => checks[text] === false);
  return { verdict: failures.length === 0, numbers, failures };
}
