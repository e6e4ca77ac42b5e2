import { setTimeout as delay } from 'node:timers/promises';
import { build, type Histogram } from 'hdr-histogram-js';
import {
  type AccessLogEntry,
  clientKey,
  MAX_LINE_BYTES,
  operationOf,
  parseAccessLogLine,
} from '../access-log.js';
import {
  type CallFailure,
  type CallResult,
  type DecisionClient,
  type ReadLimitAnswer,
  type ReadTenantLimits,
} from '../decision-client.js';
import { ChargeLog } from '../recount/charge-log.js';
import { LimitHistory } from '../recount/recount.js';

/** The first line is due immediately, the others after their recorded offset divided by the speed, in order. */
export class Pace {
  private startMs: number | undefined;
  private firstAtMs = 0;
  private latestAtMs = 0;

  constructor(private readonly speed: number) {}

  /** @param atMs unix ms @param nowMs monotonic time @returns due time on the clock of `nowMs` */
  dueMs(atMs: number, nowMs: number): number {
    if (this.startMs === undefined) {
      this.startMs = nowMs;
      this.firstAtMs = atMs;
      this.latestAtMs = atMs;
    }
    this.latestAtMs = Math.max(this.latestAtMs, atMs);
    return this.startMs + (this.latestAtMs - this.firstAtMs) / this.speed;
  }
}

/** Limits calls in flight. Only one caller may wait at a time. */
export class ConcurrencyLimit {
  private used = 0;
  private wake: (() => void) | undefined;

  constructor(private readonly size: number) {}

  async take(): Promise<void> {
    if (this.used >= this.size) await this.changed();
    this.used++;
  }

  giveBack(): void {
    this.used--;
    this.wake?.();
    this.wake = undefined;
  }

  async drained(): Promise<void> {
    while (this.used > 0) await this.changed();
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

// One Ctrl-C can arrive twice: from the terminal and from the parent program.
const SAME_REQUEST_MS = 1500;

/** 128 + SIGINT. */
export const STOPPED_EXIT_CODE = 130;

/** A second signal ends the process immediately. */
export function listenForStop(): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  let sentAtMs: number | undefined;
  const stop = () => {
    const nowMs = performance.now();
    if (sentAtMs !== undefined && nowMs - sentAtMs > SAME_REQUEST_MS) process.exit(STOPPED_EXIT_CODE);
    sentAtMs ??= nowMs;
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    close: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

const MAX_EXAMPLES = 5;

/** Longer latencies count as this value. */
const MAX_LATENCY_US = 600_000_000;

interface MalformedLine {
  lineNumber: number;
  problem: string;
  text: string;
}

interface DenialCounts {
  requests: number;
  denied: number;
}

export interface Outcome {
  client: string;
  operation: string;
  allowed: boolean;
  degraded: boolean;
  revision: number;
  /** No limit was checked. */
  unlimited: boolean;
  /** The binding limit, or the reason if no limit was checked. */
  deniedBy: string;
  latencyMs: number;
}

export class Tally {
  lines = 0;
  requests = 0;
  allowed = 0;
  denied = 0;
  degraded = 0;
  unlimited = 0;
  failed = 0;
  malformed = 0;
  readonly malformedLines: MalformedLine[] = [];
  readonly revisions = new Set<number>();
  readonly byLimit = new Map<string, number>();
  readonly byOperation = new Map<string, DenialCounts>();
  readonly byClient = new Map<string, DenialCounts>();
  readonly failures = new Map<string, { count: number; example: string }>();
  /** Of answered requests, in microseconds. */
  readonly latencyUs: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_LATENCY_US,
    numberOfSignificantValueDigits: 3,
  });

  get answered(): number {
    return this.allowed + this.denied;
  }

  addMalformed(line: MalformedLine): void {
    this.malformed++;
    if (this.malformedLines.length < MAX_EXAMPLES) this.malformedLines.push(line);
  }

  addOutcome(outcome: Outcome): void {
    const { allowed, latencyMs } = outcome;
    if (allowed) this.allowed++;
    else this.denied++;
    if (outcome.degraded) this.degraded++;
    if (outcome.unlimited) this.unlimited++;
    this.revisions.add(outcome.revision);
    if (!allowed) this.byLimit.set(outcome.deniedBy, (this.byLimit.get(outcome.deniedBy) ?? 0) + 1);
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

function count(counts: Map<string, DenialCounts>, key: string, allowed: boolean): void {
  const entry = counts.get(key) ?? { requests: 0, denied: 0 };
  entry.requests++;
  if (!allowed) entry.denied++;
  counts.set(key, entry);
}

/** Failures without any answer after which a replay stops: wrong address or token. */
const MAX_FAILURES_WITHOUT_ANSWER = 20;

/** Errors of a node that starts or is overloaded. Limits are read again after them, which charges nothing. */
const TEMPORARY: ReadonlySet<string> = new Set(['not-ready', 'overloaded']);
const READ_ATTEMPTS = 10;
/** As the node's `Retry-After`. */
const READ_PAUSE_MS = 1000;

/** Maximum delay of setTimeout. */
const LONGEST_DELAY_MS = 2 ** 30;

export interface ReplayOptions {
  tenant: string;
  api: string;
  /** 1: recorded pace, 60: an hour in a minute; undefined: as fast as answers arrive. */
  speed: number | undefined;
  concurrency: number;
  maxLines: number;
}

export type ReplayEnd =
  | { kind: 'complete' }
  | { kind: 'interrupted' }
  /** No request was answered. */
  | { kind: 'hopeless'; failure: CallFailure }
  | { kind: 'unreadable'; message: string };

export class Replay {
  readonly tally = new Tally();
  readonly charges = new ChargeLog();
  readonly limits = new LimitHistory();
  /** Maximum delay behind the recorded pace. */
  worstLagMs = 0;
  private readonly slots: ConcurrencyLimit;
  private readonly pace: Pace | undefined;
  private readonly unreadRevisions = new Set<number>();
  private fetchingLimits: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: DecisionClient,
    private readonly options: ReplayOptions,
  ) {
    this.slots = new ConcurrencyLimit(options.concurrency);
    this.pace = options.speed === undefined ? undefined : new Pace(options.speed);
  }

  /**
   * Call it once before `run`, which reads the limits again when they change. Takes up to 9 s longer for a node that starts or is
   * overloaded.
   */
  async readLimits(): Promise<CallResult<ReadTenantLimits>> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.client.limitsOf(this.options.tenant, this.options.api);
      if (result.ok) this.limits.add(result.answer);
      const isTemporary = !result.ok && TEMPORARY.has(result.failure.kind);
      if (!isTemporary || attempt === READ_ATTEMPTS) return result;
      await delay(READ_PAUSE_MS);
    }
  }

  /** Returns when every sent request has its answer, after the end of the log or `stop`. */
  async run(lines: AsyncIterable<string | null>, stop: AbortSignal): Promise<ReplayEnd> {
    const end = await this.feed(lines, stop).catch((error: unknown): ReplayEnd => {
      if (stop.aborted) return { kind: 'interrupted' };
      return { kind: 'unreadable', message: error instanceof Error ? error.message : String(error) };
    });
    await this.slots.drained();
    await this.fetchingLimits;
    // If a revision was replaced too soon, the next one shows its limits, unless they changed.
    if (this.unreadRevisions.size > 0) await this.readLimits();
    return this.hopeless(1) ?? end;
  }

  private async feed(lines: AsyncIterable<string | null>, stop: AbortSignal): Promise<ReplayEnd> {
    for await (const line of lines) {
      if (this.tally.lines >= this.options.maxLines) break;
      this.tally.lines++;
      if (line?.trim() === '') continue;
      const entry = this.parse(line);
      if (entry === undefined) continue;
      await this.untilDue(entry, stop);
      await this.slots.take();
      if (stop.aborted) {
        this.slots.giveBack();
        return { kind: 'interrupted' };
      }
      this.tally.requests++;
      void this.send(entry).finally(() => this.slots.giveBack());
      const hopeless = this.hopeless(MAX_FAILURES_WITHOUT_ANSWER);
      if (hopeless !== undefined) return hopeless;
    }
    return { kind: 'complete' };
  }

  private parse(line: string | null): AccessLogEntry | undefined {
    const parsed =
      line === null
        ? { ok: false as const, problem: `longer than ${MAX_LINE_BYTES} bytes` }
        : parseAccessLogLine(line);
    if (parsed.ok) return parsed.entry;
    this.tally.addMalformed({
      lineNumber: this.tally.lines,
      problem: parsed.problem,
      text: (line ?? '').slice(0, 120),
    });
    return undefined;
  }

  private async untilDue({ atMs }: AccessLogEntry, signal: AbortSignal): Promise<void> {
    if (this.pace === undefined) return;
    const dueMs = this.pace.dueMs(atMs, performance.now());
    for (let waitMs = dueMs - performance.now(); waitMs > 0; waitMs = dueMs - performance.now()) {
      await delay(Math.min(waitMs, LONGEST_DELAY_MS), undefined, { signal });
    }
    this.worstLagMs = Math.max(this.worstLagMs, performance.now() - dueMs);
  }

  private async send({ ip, target }: AccessLogEntry): Promise<void> {
    const { tenant, api } = this.options;
    const operation = operationOf(target);
    const startMs = performance.now();
    // Wall clock, comparable with the counter Redis. The answer arrived before the next whole millisecond.
    const sentMs = Date.now();
    const result = await this.client.limit({ tenant, api, operation, subject: { ip } });
    const receivedMs = Math.max(sentMs, Date.now() + 1);
    if (!result.ok) {
      this.tally.addFailure(result.failure);
      return;
    }
    const { answer } = result;
    const client = clientKey(ip);
    this.tally.addOutcome({
      client,
      operation,
      allowed: answer.success,
      degraded: answer.degraded,
      revision: answer.revision,
      unlimited: answer.success && answer.policies.length === 0,
      deniedBy: answer.policy ?? answer.reason,
      latencyMs: performance.now() - startMs,
    });
    // The shared counters did not decide degraded answers.
    if (answer.success && !answer.degraded) this.keep(answer, client, sentMs, receivedMs);
    this.noteRevision(answer.revision);
  }

  private keep(answer: ReadLimitAnswer, client: string, sentMs: number, receivedMs: number): void {
    const { cost, revision } = answer;
    for (const { name, label, limit, window, reset, mode } of answer.policies) {
      // Candidates and amounts per label have the name of their limit, which is recounted.
      if (mode === 'candidate' || label !== undefined) continue;
      if (mode === 'shadow') {
        this.charges.leaveOut('their limit is not enforced (shadow)');
        continue;
      }
      this.charges.add({
        limit: name,
        client,
        revision,
        limitMax: limit,
        windowMs: Math.round(window * 1000),
        cost,
        sentMs,
        receivedMs,
        resetMs: reset,
      });
    }
  }

  private noteRevision(revision: number): void {
    if (this.limits.knows(revision) || this.unreadRevisions.has(revision)) return;
    this.unreadRevisions.add(revision);
    this.fetchingLimits = this.fetchingLimits.then(() => this.readLimits());
  }

  private hopeless(failures: number): ReplayEnd | undefined {
    const { answered, failed } = this.tally;
    const [first] = this.tally.failures;
    if (answered > 0 || failed < failures || first === undefined) return undefined;
    const [kind, { example }] = first;
    return { kind: 'hopeless', failure: { kind, message: example } };
  }
}
