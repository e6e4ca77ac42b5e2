import type { Redis } from 'ioredis';
import type { CompiledFixedWindow } from '../algorithms/fixed-window.js';
import { type AnyAlgorithm, algorithmOf } from '../algorithms/index.js';
import {
  RUN_FIRST_REQUEST_ACROSS_SCRIPT,
  RUN_FIRST_REQUEST_SCRIPT,
  RUN_PACKED_ACROSS_SCRIPT,
  RUN_PACKED_SCRIPT,
  RUN_VIRTUAL_TIME_ACROSS_SCRIPT,
  RUN_VIRTUAL_TIME_SCRIPT,
  RUN_WINDOW_ACROSS_SCRIPT,
  RUN_WINDOW_SCRIPT,
} from '../generated/scripts.js';
import type { WirePolicy } from '../policy/compile.js';
import { getOrAdd } from '../store/bounded-keys.js';
import { type Check, type Decided, MARK, type StoreRequest } from '../store/decision-store.js';
import { isField } from '../store/keys.js';
import { decideAcross, type Elsewhere, type Marks, runAcross } from './across.js';
import { addressesOf, BatchExpired, type DecideOptions, decideBatch, splitByPolicyId } from './decide.js';
import { IntegerArrayReader, runScriptOnKeys, type Script, scriptOf } from './script.js';

/** Algorithms whose most frequent requests a run script decides. */
interface Family {
  readonly script: Script;
  /** Its variant for several slots. */
  readonly across: Script;
  /** The state of a usage in the script's reply. */
  stateOf(usage: number, policy: WirePolicy, nowUs: number): unknown;
}

const VIRTUAL_TIME: Family = {
  script: scriptOf(RUN_VIRTUAL_TIME_SCRIPT),
  across: scriptOf(RUN_VIRTUAL_TIME_ACROSS_SCRIPT),
  stateOf: (usedUs, _policy, nowUs) => nowUs + usedUs,
};

const WINDOW: Family = {
  script: scriptOf(RUN_WINDOW_SCRIPT),
  across: scriptOf(RUN_WINDOW_ACROSS_SCRIPT),
  stateOf(count, policy, nowUs) {
    const nowMs = Math.floor(nowUs / 1000);
    return { count, startMs: nowMs - (nowMs % (policy as unknown as CompiledFixedWindow).windowMs) };
  },
};

const FIRST_REQUEST: Family = {
  script: scriptOf(RUN_FIRST_REQUEST_SCRIPT),
  across: scriptOf(RUN_FIRST_REQUEST_ACROSS_SCRIPT),
  stateOf(usage, policy, nowUs) {
    const { windowMs } = policy as unknown as CompiledFixedWindow;
    return { count: Math.floor(usage / windowMs), startMs: Math.floor(nowUs / 1000) - (usage % windowMs) };
  },
};

const PACKED: Family = {
  script: scriptOf(RUN_PACKED_SCRIPT),
  across: scriptOf(RUN_PACKED_ACROSS_SCRIPT),
  stateOf: WINDOW.stateOf,
};

/** Highest cost of a packed counter that a run script adds exactly. */
const MAX_PACKED_COST = 9006;

/** Requests for one call of a script. */
export interface Run<R extends StoreRequest> {
  readonly requests: readonly R[];
  /** Undefined: for the general script, decide.lua. */
  readonly family?: Family;
}

/** Below this number of requests, a separate call costs more than the general script. */
const MIN_RUN = 8;

/**
 * Splits a batch into runs that may be sent in any order: all requests of a key are in one run, or in general runs in
 * order. The general runs have one policy id per key (see {@link splitByPolicyId}).
 */
export function splitRuns<R extends StoreRequest>(requests: readonly R[]): Run<R>[] {
  const [only] = requests;
  if (only !== undefined && requests.length === 1) {
    const family = familyOf(only);
    return [family === undefined ? { requests } : { requests, family }];
  }
  const repeated = repeatedKeys(requests);
  const general: R[] = [];
  const families = new Map<Family, R[]>();
  for (const request of requests) {
    const family = familyOf(request);
    const key = request.checks[0]?.key ?? '';
    if (family === undefined || repeated?.has(key) === true) general.push(request);
    else getOrAdd(families, family, () => []).push(request);
  }
  const runs: Run<R>[] = [];
  for (const [family, run] of families) {
    if (general.length > 0 && run.length < MIN_RUN) general.push(...run);
    else runs.push({ requests: run, family });
  }
  if (general.length > 0) runs.push(...splitByPolicyId(general).map((run) => ({ requests: run })));
  return runs;
}

function repeatedKeys(requests: readonly StoreRequest[]): Set<string> | undefined {
  const seen = new Set<string>();
  let repeated: Set<string> | undefined;
  for (const { checks } of requests) {
    for (const { key } of checks) {
      const { size } = seen;
      seen.add(key);
      if (seen.size > size) continue;
      repeated ??= new Set();
      repeated.add(key);
    }
  }
  return repeated;
}

function familyOf({ checks, peek, receipt }: StoreRequest): Family | undefined {
  const check = checks[0];
  if (check === undefined || checks.length > 1 || peek || check.look === true) return undefined;
  if (check.policy.penalty !== undefined) return undefined;
  // A packed window is charged before it is known whether it has room; a limit in shadow mode does not charge all that it allows.
  const mayMark = check.cost > 0 && !check.policy.shadow && check.policy.kind !== 'packed_window';
  if (receipt !== undefined && !(mayMark && receipt.fingerprint === MARK)) return undefined;
  // Of the run scripts, only that of packed windows reads fields.
  if (check.policy.kind !== 'packed_window' && isField(check.key)) return undefined;
  switch (check.policy.kind) {
    case 'gcra':
    case 'token_bucket':
    case 'leaky_bucket':
      return VIRTUAL_TIME;
    case 'fixed_window':
      return windowFamily(check.policy as unknown as CompiledFixedWindow);
    case 'packed_window':
      return check.cost > 0 && check.cost <= MAX_PACKED_COST ? PACKED : undefined;
    default:
      return undefined;
  }
}

function windowFamily({ clockAligned, capacity, extra, windowMs }: CompiledFixedWindow): Family | undefined {
  if (clockAligned) return WINDOW;
  return (capacity + extra + 1) * windowMs <= Number.MAX_SAFE_INTEGER ? FIRST_REQUEST : undefined;
}

/**
 * Decides a run of {@link splitRuns}. Undefined for a request that the run script did not charge and that the general script
 * has to decide.
 * @param slots whether its keys are in one slot, or in several of one master
 * @throws BatchExpired; connection errors; Error for an invalid reply
 */
export async function decideRun(
  redis: Redis,
  { requests, family }: Run<StoreRequest>,
  options: DecideOptions = {},
  slots: 'one' | 'several' = 'one',
): Promise<readonly (Decided | Elsewhere | undefined)[]> {
  const marks = requests.some(({ receipt }) => receipt !== undefined);
  // Within one slot, every key is declared, which marks of a run are not.
  if (slots === 'one' && (family === undefined || marks)) return decideBatch(redis, requests, options);
  if (family === undefined) return decideAcross(redis, requests, options);
  const groups = groupsOf(requests);
  const names: string[] = [];
  for (const { places } of groups) {
    for (const place of places) names.push(requests[place]?.checks[0]?.key ?? '');
  }
  const { keys, fields } = family === PACKED ? addressesOf(names) : { keys: names, fields: undefined };
  const args = [payloadOf(groups), options.nowUs?.toFixed(0) ?? '', options.expiresAtUs?.toFixed(0) ?? ''];
  const reply =
    slots === 'one'
      ? runScriptOnKeys(redis, family.script, keys, fields === undefined ? args : [...args, '', fields])
      : runAcross(redis, family.across, keys, args, fields, marks ? marksOf(requests, groups) : undefined);
  return decisionsOf(await reply, family, groups, requests.length);
}

/** Requests of one policy and cost, by their places in the run. */
interface Group {
  readonly policy: WirePolicy;
  readonly cost: number;
  readonly places: number[];
}

function groupsOf(requests: readonly StoreRequest[]): Group[] {
  const groups: Group[] = [];
  let place = 0;
  for (const { checks } of requests) {
    const { policy, cost } = checks[0] as Check;
    const group = groups.find((each) => each.policy === policy && each.cost === cost);
    if (group === undefined) groups.push({ policy, cost, places: [place] });
    else group.places.push(place);
    place++;
  }
  return groups;
}

/** Keys of the marks in the order of the groups, '' for none. */
function marksOf(requests: readonly StoreRequest[], groups: readonly Group[]): Marks {
  const keys: string[] = [];
  let keepMs = 0;
  for (const { places } of groups) {
    for (const place of places) {
      const receipt = requests[place]?.receipt;
      keys.push(receipt?.key ?? '');
      keepMs = Math.max(keepMs, receipt?.keepMs ?? 0);
    }
  }
  return { keys, keepMs };
}

/** Integers of policies, as the payload contains them. */
const wireTexts = new WeakMap<WirePolicy, string>();

function payloadOf(groups: readonly Group[]): string {
  let text = '';
  for (const { policy, cost, places } of groups) {
    const wire = getOrAdd(wireTexts, policy, () => policy.wire.join());
    text += `${text === '' ? '[' : ','}${cost},${places.length},${wire}`;
  }
  return `${text}]`;
}

function decisionsOf(
  reply: unknown,
  family: Family,
  groups: readonly Group[],
  requests: number,
): (Decided | undefined)[] {
  if (!Buffer.isBuffer(reply)) throw new Error('run: the reply is not a string');
  const reader = new IntegerArrayReader(reply);
  const nowUs = reader.next();
  if (reader.length === 1) throw new BatchExpired(nowUs);
  if (reader.length !== requests + 1)
    throw new Error(`run: ${requests + 1} integers expected, ${reader.length} came`);
  const decisions = new Array<Decided | undefined>(requests).fill(undefined);
  for (const { policy, cost, places } of groups) {
    const algorithm = algorithmOf(policy.kind);
    for (const place of places) {
      const usage = reader.next();
      if (usage >= 0)
        decisions[place] = decisionOf(algorithm, family.stateOf(usage, policy, nowUs), policy, cost, nowUs);
    }
  }
  return decisions;
}

function decisionOf(
  algorithm: AnyAlgorithm,
  state: unknown,
  policy: WirePolicy,
  cost: number,
  nowUs: number,
): Decided {
  const { allowed, over, remaining, waitUs, resetAfterUs } = algorithm.step(state, policy, cost, nowUs, 0);
  return {
    available: true,
    nowUs,
    allowed: allowed || policy.shadow,
    checks: [{ allowed, over, remaining, waitUs, resetAfterUs }],
    replayed: false,
  };
}
