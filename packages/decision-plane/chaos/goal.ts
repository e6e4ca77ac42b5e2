/** How a goal is run. */
export interface GoalOptions {
  /** Determines what is asked, not when the machine gets to it. */
  readonly seed: number;
  /** Length of each measured stretch. */
  readonly seconds: number;
  /** How much of the full load is offered: 1 is all of it. */
  readonly scale: number;
  /** Nodes as processes of their own, or in this one: quick to start, and dead by losing their connections. */
  readonly isolation: 'process' | 'none';
  readonly cluster: boolean;
}

/** One measured row, printed with the goal's name for it. */
export interface Measurement {
  readonly name: string;
  readonly numbers: Readonly<Record<string, number | string>>;
  /** What does not hold; empty: all does. */
  readonly failures: readonly string[];
}

/** A promise of docs/benchmarks.md, and the run that shows it. */
export interface Goal {
  readonly id: string;
  readonly title: string;
  readonly passLine: string;
  /** Calls `tell` for each measurement as it is made. */
  run(options: GoalOptions, tell: (measurement: Measurement) => void): Promise<void>;
}

/** Runs a goal and collects what it measured. */
export async function measured(goal: Goal, options: GoalOptions): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  await goal.run(options, (measurement) => measurements.push(measurement));
  return measurements;
}

/** `failures` of a measurement: the texts of what is not so. */
export function failing(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(checks).filter((text) => checks[text] === false);
}
