import { setTimeout as delay } from 'node:timers/promises';
import { type AccessLogEntry, parseAccessLogLine } from '../access-log/access-log-line.js';
import { clientKey } from '../access-log/client-address.js';
import { MAX_LINE_BYTES } from '../access-log/log-lines.js';
import { pathGroup } from '../access-log/path-group.js';
import type { ReadLimitAnswer, ReadTenantLimits } from '../client/answers.js';
import type { CallFailure, CallResult, DecisionClient } from '../client/decision-client.js';
import { ChargeLog } from '../recount/charge-log.js';
import { LimitHistory } from '../recount/limit-history.js';
import { Pace } from './pace.js';
import { Slots } from './slots.js';
import { Tally } from './tally.js';

/** So many failures without one answer end a replay: the address or the token is wrong. */
const HOPELESS_AFTER = 20;

/** setTimeout takes no more. */
const LONGEST_DELAY_MS = 2 ** 30;

export interface ReplayOptions {
  tenant: string;
  api: string;
  /** Times the recorded pace; undefined: as fast as answers come. */
  speed: number | undefined;
  concurrency: number;
  /** Stop after so many lines. */
  maxLines: number;
}

export type ReplayEnd =
  | { kind: 'complete' }
  | { kind: 'interrupted' }
  /** Nothing was answered. */
  | { kind: 'hopeless'; failure: CallFailure }
  /** The log could not be read to its end. */
  | { kind: 'unreadable'; message: string };

/** Sends the requests of an access log to the decision API, in order, and keeps what came back. */
export class Replay {
  readonly tally = new Tally();
  readonly charges = new ChargeLog();
  readonly limits = new LimitHistory();
  /** How far behind the recorded pace a request was sent at worst. */
  worstLagMs = 0;
  private readonly slots: Slots;
  private readonly pace: Pace | undefined;
  private readonly askedRevisions = new Set<number>();
  private fetchingLimits: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: DecisionClient,
    private readonly options: ReplayOptions,
  ) {
    this.slots = new Slots(options.concurrency);
    this.pace = options.speed === undefined ? undefined : new Pace(options.speed);
  }

  /** Reads the limits in force: to be called once before `run`, which reads them again when they change. */
  async readLimits(): Promise<CallResult<ReadTenantLimits>> {
    const result = await this.client.limitsOf(this.options.tenant, this.options.api);
    if (result.ok) this.limits.add(result.answer);
    return result;
  }

  /**
   * Runs to the end of the log, or until `stop` fires; returns when every request that was sent has its answer.
   *
   * @param lines from `readLines`
   */
  async run(lines: AsyncIterable<string | null>, stop: AbortSignal): Promise<ReplayEnd> {
    const end = await this.feed(lines, stop).catch((error: unknown): ReplayEnd => {
      if (stop.aborted) return { kind: 'interrupted' };
      return { kind: 'unreadable', message: error instanceof Error ? error.message : String(error) };
    });
    await this.slots.drained();
    await this.fetchingLimits;
    // What came after a revision that was replaced too soon tells what it was, if nothing changed.
    if (this.askedRevisions.size > 0) await this.readLimits();
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
      const hopeless = this.hopeless(HOPELESS_AFTER);
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
    const operation = pathGroup(target);
    const startMs = performance.now();
    // The wall clock, as the counters' Redis has it. It tells whole milliseconds: the answer came before the next one.
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
      refusedBy: answer.policy ?? answer.reason,
      latencyMs: performance.now() - startMs,
    });
    // Degraded answers were not decided by the shared counters: they are counted apart.
    if (answer.success && !answer.degraded) this.keep(answer, client, sentMs, receivedMs);
    this.noteRevision(answer.revision);
  }

  private keep(answer: ReadLimitAnswer, client: string, sentMs: number, receivedMs: number): void {
    const { cost, revision } = answer;
    for (const { name, limit, window, reset, mode } of answer.policies) {
      // A candidate has its limit's name, but is none.
      if (mode === 'candidate') continue;
      if (mode === 'shadow') {
        this.charges.leaveOut('their limit refuses nothing (shadow)');
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
    if (this.limits.knows(revision) || this.askedRevisions.has(revision)) return;
    this.askedRevisions.add(revision);
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
