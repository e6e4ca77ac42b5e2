/** How a goal is run. */
export interface GoalOptions {
  /** Determines what is asked, not when the machine gets to it. */
  readonly seed: number;
  /** How much of the full goal is run: 1 is all of it. */
  readonly scale: number;
  /** Length of a measured stretch, for goals that have one. */
  readonly seconds: number;
}

export interface GoalResult {
  /** Whether all that is promised holds. */
  readonly verdict: boolean;
  readonly numbers: Readonly<Record<string, number | string>>;
  /** What does not hold. */
  readonly failures?: readonly string[];
}

/** A promise of the control plane, and the run that shows it. */
export interface Goal {
  /** `C4`. */
  readonly name: string;
  readonly title: string;
  run(options: GoalOptions): Promise<GoalResult>;
}

/** The result of checks, each under the text of what is wrong where it fails. */
export function resultOf(
  numbers: GoalResult['numbers'],
  checks: Readonly<Record<string, boolean>>,
): GoalResult {
  const failures = Object.keys(checks).filter((text) => checks[text] === false);
  return { verdict: failures.length === 0, numbers, failures };
}
