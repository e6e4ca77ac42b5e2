import { build, type Histogram } from 'hdr-histogram-js';
import type { CallFailure } from '../client/decision-client.js';

/** Malformed lines that are shown. */
const MAX_EXAMPLES = 5;

/** Latencies are kept in microseconds, to three digits, up to here; a longer one counts as this long. */
const MAX_LATENCY_US = 600_000_000;

export interface MalformedLine {
  lineNumber: number;
  problem: string;
  text: string;
}

export interface Refusals {
  requests: number;
  refused: number;
}

/** What one decision was, for counting. */
export interface Outcome {
  client: string;
  operation: string;
  allowed: boolean;
  degraded: boolean;
  revision: number;
  /** No limit was asked. */
  unlimited: boolean;
  /** The binding limit, or the reason where none was asked. */
  refusedBy: string;
  latencyMs: number;
}

/** Counts what happens during a replay. */
export class Tally {
  lines = 0;
  requests = 0;
  allowed = 0;
  refused = 0;
  degraded = 0;
  unlimited = 0;
  failed = 0;
  malformed = 0;
  readonly malformedLines: MalformedLine[] = [];
  readonly revisions = new Set<number>();
  readonly byLimit = new Map<string, number>();
  readonly byOperation = new Map<string, Refusals>();
  readonly byClient = new Map<string, Refusals>();
  readonly failures = new Map<string, { count: number; example: string }>();
  /** Of answered requests, in microseconds. */
  readonly latencyUs: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_LATENCY_US,
    numberOfSignificantValueDigits: 3,
  });

  get answered(): number {
    return this.allowed + this.refused;
  }

  addMalformed(line: MalformedLine): void {
    this.malformed++;
    if (this.malformedLines.length < MAX_EXAMPLES) this.malformedLines.push(line);
  }

  addOutcome(outcome: Outcome): void {
    const { allowed, latencyMs } = outcome;
    if (allowed) this.allowed++;
    else this.refused++;
    if (outcome.degraded) this.degraded++;
    if (outcome.unlimited) this.unlimited++;
    this.revisions.add(outcome.revision);
    if (!allowed) this.byLimit.set(outcome.refusedBy, (this.byLimit.get(outcome.refusedBy) ?? 0) + 1);
    count(this.byOperation, outcome.operation, allowed);
    count(this.byClient, outcome.client, allowed);
    this.latencyUs.recordValue(Math.min(MAX_LATENCY_US, Math.max(1, Math.round(latencyMs * 1000))));
  }

  addFailure({ kind, message }: CallFailure): void {
    this.failed++;
    const known = this.failures.get(kind);
    if (known === undefined) this.failures.set(kind, { count: 1, example: message });
    else known.count++;
  }
}

function count(counts: Map<string, Refusals>, key: string, allowed: boolean): void {
  const entry = counts.get(key) ?? { requests: 0, refused: 0 };
  entry.requests++;
  if (!allowed) entry.refused++;
  counts.set(key, entry);
}
