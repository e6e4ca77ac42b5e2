import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rule } from '@tollgate/contracts';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { recount } from './oracle.ts';
import { EXACT_RULES, limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome } from './testbed-node.ts';

const SOURCE = fileURLToPath(new URL('./clock-shim.c', import.meta.url));

/** Whether this machine can compile the shim that steps the store's clock. */
export const canStepStoreClock: boolean = spawnSync('gcc', ['--version']).status === 0;

/** The clock of every redis-server that is started within `applyTo`. */
export class StoreClock {
  private readonly library: string;
  private readonly offsetPath: string;
  private readonly offset: number;

  /** @param dir an existing folder, for the compiled shim and the offset. @throws Error if compilation fails */
  constructor(dir: string) {
    this.library = join(dir, 'clock-shim.so');
    this.offsetPath = join(dir, 'clock-offset');
    const { status, stderr } = spawnSync('gcc', [
      '-shared',
      '-fPIC',
      '-O2',
      '-o',
      this.library,
      SOURCE,
      '-ldl',
    ]);
    if (status !== 0) throw new Error(`cannot compile the clock shim: ${stderr}`);
    this.offset = openSync(this.offsetPath, 'w+');
    this.setAhead(0);
  }

  /** Sets the offset to the machine's clock, ms. */
  setAhead(aheadMs: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(aheadMs) * 1000n);
    writeSync(this.offset, bytes, 0, bytes.length, 0);
  }

  /** Starts servers with this clock. */
  async applyTo<T>(start: () => Promise<T>): Promise<T> {
    // Inherited by the started server.
    process.env.LD_PRELOAD = this.library;
    process.env.TESTBED_CLOCK_FILE = this.offsetPath;
    try {
      return await start();
    } finally {
      delete process.env.LD_PRELOAD;
      delete process.env.TESTBED_CLOCK_FILE;
    }
  }
}

const HOUR_MS = 3_600_000;
const LIMIT = 10;
const WINDOW_MS = 60_000;
const NODES = 3;

/** Concurrent requests of each rule after a step of the store's clock. */
const OFFERED = 30;

/** Steps of the store's clock, each on separate, exhausted keys; then back to the true time. */
const STEPS_MS = {
  'back 10 s': -10_000,
  'back 30 s': -30_000,
  'forward 30 s': 30_000,
  'forward 1 h': HOUR_MS,
};

/** Rules whose windows do not end in a clock step; a month does not. */
const RULES = Object.entries(EXACT_RULES).map(([name, make]) => [name, make(LIMIT, WINDOW_MS)] as const);

/** Neither a node's clock nor steps of the store's clock admit more than the store's time allows. */
export const clocksLie: Goal = {
  id: 'R9',
  title: 'clocks lie',
  passLine:
    'nodes ± 1 h: exact; store stepped back: <= 1 extra a key, never a Retry-After above window + 1 s; stepped forward by s: ' +
    'the refill of s seconds, and after the return at most that limit again',
  async run(options, report) {
    // Nodes in one process share a clock.
    if (options.isolation === 'process') report(await skewedNodes(options));
    if (!canStepStoreClock) {
      report({ name: 'store clock', numbers: { 'left out': 'no gcc' }, failures: [] });
      return;
    }
    const dir = mkdtempSync(join(tmpdir(), 'tollgate-clock-'));
    try {
      const clock = new StoreClock(dir);
      for (const [name, stepMs] of Object.entries(STEPS_MS))
        report(await stepped(name, stepMs, clock, options));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function skewedNodes({ isolation }: GoalOptions): Promise<Measurement> {
  const limits = RULES.map(([name, rule]) => limitBy(name, rule));
  const clocksAheadMs = [HOUR_MS, -HOUR_MS, 0];
  const testbed = await Testbed.open({
    isolation,
    nodes: NODES,
    limits,
    clocksAheadMs,
    setup: { deadlineMs: 5000 },
  });
  try {
    let [over, under, tooLong, decisions] = [0, 0, 0, 0];
    for (const [name, rule] of RULES) {
      const outcomes = await offer(testbed, name, 'u0');
      const decided = outcomes.filter(({ fromStore }) => fromStore);
      const counted = recount(rule, decided);
      over += counted.over;
      under += counted.under;
      decisions += decided.length;
      tooLong += decided.filter((outcome) => waitsTooLong(rule, outcome)).length;
    }
    const failures = failing({
      'not exact': over === 0 && under === 0,
      'returned waits longer than a window': tooLong === 0,
    });
    return { name: 'nodes ± 1 h', numbers: { decisions, over, under, tooLong }, failures };
  } finally {
    await testbed.close();
  }
}

async function stepped(
  name: string,
  stepMs: number,
  clock: StoreClock,
  { isolation }: GoalOptions,
): Promise<Measurement> {
  clock.setAhead(0);
  const limits = RULES.map(([rule, made]) => limitBy(rule, made));
  const setup = { deadlineMs: 5000 };
  const testbed = await clock.applyTo(() => Testbed.open({ isolation, nodes: NODES, limits, setup }));
  try {
    const numbers: Record<string, string> = {};
    const failures: string[] = [];
    for (const [rule, made] of RULES) {
      const [before, during, after] = await withinWindow(async (user) => {
        clock.setAhead(0);
        const parts = [await offer(testbed, rule, user)];
        for (const aheadMs of [stepMs, 0]) {
          clock.setAhead(aheadMs);
          parts.push(await offer(testbed, rule, user));
        }
        return parts as [Outcome[], Outcome[], Outcome[]];
      });
      const extra = [during, after].map(admitted);
      const allowed = stepMs < 0 ? [1, 1] : [broughtBack(made, stepMs), LIMIT];
      numbers[rule] = `${admitted(before)} + ${extra.join(' + ')}`;
      const tooLong = [...during, ...after].filter((outcome) => waitsTooLong(made, outcome)).length;
      if (extra.some((one, i) => one > (allowed[i] ?? 0)))
        failures.push(`${rule}: ${extra.join(' + ')} extra`);
      if (tooLong > 0) failures.push(`${rule}: ${tooLong} returned waits longer than a window`);
    }
    return { name: `store ${name}`, numbers, failures };
  } finally {
    await testbed.close();
  }
}

/** Repeats a measurement, with another user, during which an aligned window ended: the next one admits again. */
async function withinWindow<T>(measure: (user: string) => Promise<T>): Promise<T> {
  const window = () => Math.floor(Date.now() / WINDOW_MS);
  for (let attempt = 0; ; attempt++) {
    const begun = window();
    const measured = await measure(`u${attempt}`);
    if (window() === begun) return measured;
  }
}

/** Maximum that the rule itself refills in `stepMs`. */
function broughtBack(rule: Rule, stepMs: number): number {
  const isSteady = ['gcra', 'leaky_bucket', 'token_bucket'].includes(rule.algorithm);
  if (isSteady && !('refill' in rule && rule.refill === 'interval'))
    return Math.min(LIMIT, Math.ceil((LIMIT * stepMs) / WINDOW_MS) + 1);
  // A window aligned to the clock may end within any step.
  const isAligned = ('alignment' in rule && rule.alignment === 'clock') || 'refill' in rule;
  return stepMs >= WINDOW_MS || isAligned ? LIMIT : 1;
}

async function offer(testbed: Testbed, operation: string, user: string): Promise<Outcome[]> {
  const request = { tenant: 'acme', api: TESTBED_API, operation, subject: { user } };
  const each = Array(OFFERED / NODES).fill(request);
  return (await Promise.all(testbed.nodes.map((node) => node.ask(each)))).flat();
}

function admitted(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ success }) => success).length;
}

/** A monthly quota may return a longer wait. */
function waitsTooLong(rule: Rule, { success, retryAfter }: Outcome): boolean {
  return !success && rule.algorithm !== 'quota' && (retryAfter ?? 0) > WINDOW_MS / 1000 + 1;
}
