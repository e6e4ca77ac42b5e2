/** Options of a run. Those of nodes and Redis apply to goals of decisions. */
export interface GoalOptions {
  /** Determines the requests, but not their timing. */
  readonly seed: number;
  /** Duration of each measured phase. */
  readonly seconds: number;
  /** Fraction of the full load. */
  readonly scale: number;
  /** Nodes in their own processes, or in this one: these start quickly, and crash by losing their connections. */
  readonly isolation: 'process' | 'none';
  readonly cluster: boolean;
}

/** One measured row, printed with its name. */
export interface Measurement {
  readonly name: string;
  readonly numbers: Readonly<Record<string, number | string>>;
  /** Violated conditions; empty if all hold. */
  readonly failures: readonly string[];
}

/** A reliability goal of docs/benchmarks, and the run that verifies it. */
export interface Goal {
  /** `R3`. */
  readonly id: string;
  readonly title: string;
  readonly passLine: string;
  /** Default of `--seconds`; 1 if absent. */
  readonly seconds?: number;
  /** Default of `--scale`; 1 if absent. */
  readonly scale?: number;
  /** Whether it also runs on a Redis Cluster. */
  readonly cluster?: true;
  /** Calls `report` for each measurement. */
  run(options: GoalOptions, report: (measurement: Measurement) => void): Promise<void>;
}

/** Texts of violated conditions. */
export function failing(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(checks).filter((text) => checks[text] === false);
}
