import { getOrAdd } from '@tollgate/contracts/maps';
import type { Redis } from 'ioredis';
import type { CompiledFixedWindow } from '../algorithms/fixed-window.js';
import { algorithmOf } from '../algorithms/index.js';
import {
  RUN_FIRST_REQUEST_ACROSS_SCRIPT,
  RUN_FIRST_REQUEST_SCRIPT,
  RUN_PACKED_ACROSS_SCRIPT,
  RUN_PACKED_SCRIPT,
  RUN_SUBJECT_ACROSS_SCRIPT,
  RUN_SUBJECT_SCRIPT,
  RUN_VIRTUAL_TIME_ACROSS_SCRIPT,
  RUN_VIRTUAL_TIME_SCRIPT,
  RUN_WINDOW_ACROSS_SCRIPT,
  RUN_WINDOW_SCRIPT,
} from '../generated/scripts.js';
import type { WirePolicy } from '../rules/compile.js';
import { addressOf, fieldPrefix, isField } from '../rules/keys.js';
import { type Check, type Decided, MARK, type StoreRequest } from '../stores/decision-store.js';
import { type Elsewhere, type Marks, runAcross, sendAcross } from './across.js';
import { addressesOf, BatchExpired, type CallTiming, sendBatch, splitByPolicyId } from './decide.js';
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

/** The only family of requests with several limits: all in one hash. */
const SUBJECT: Family = {
  script: scriptOf(RUN_SUBJECT_SCRIPT),
  across: scriptOf(RUN_SUBJECT_ACROSS_SCRIPT),
  stateOf: (usage, policy, nowUs) => familyOfPolicy(policy)?.stateOf(usage, policy, nowUs),
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
    const isRepeated = repeated !== undefined && request.checks.some(({ key }) => repeated.has(key));
    if (family === undefined || isRepeated) general.push(request);
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
  if (check === undefined || peek || check.look === true || check.policy.penalty !== undefined)
    return undefined;
  const { policy, cost, key } = check;
  if (policy.kind === 'packed_window') {
    // Charged before it is known whether it has room, so without a mark.
    return checks.length === 1 && receipt === undefined && cost > 0 && cost <= MAX_PACKED_COST
      ? PACKED
      : undefined;
  }
  if (isField(key)) return receipt === undefined && cost > 0 && areOfOneHash(checks) ? SUBJECT : undefined;
  if (checks.length > 1) return undefined;
  // A limit in shadow mode does not charge all that it allows.
  const mayMark = cost > 0 && !policy.shadow;
  return receipt === undefined || (mayMark && receipt.fingerprint === MARK)
    ? familyOfPolicy(policy)
    : undefined;
}

/** Whether a run script can charge all checks together. */
function areOfOneHash(checks: readonly Check[]): boolean {
  const [first] = checks as [Check];
  const hash = fieldPrefix(first.key);
  return checks.every(
    ({ key, policy, cost, look }) =>
      cost === first.cost &&
      look !== true &&
      key.startsWith(hash) &&
      policy.penalty === undefined &&
      familyOfPolicy(policy) !== undefined,
  );
}

/** Of a limit whose counter is a string or a field of a subject's hash. */
function familyOfPolicy(policy: WirePolicy): Family | undefined {
  switch (policy.kind) {
    case 'gcra':
    case 'token_bucket':
    case 'leaky_bucket':
      return VIRTUAL_TIME;
    case 'fixed_window':
      return windowFamily(policy as unknown as CompiledFixedWindow);
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
export async function sendRun(
  redis: Redis,
  { requests, family }: Run<StoreRequest>,
  options: CallTiming = {},
  slots: 'one' | 'several' = 'one',
): Promise<readonly (Decided | Elsewhere | undefined)[]> {
  const marks = requests.some(({ receipt }) => receipt !== undefined);
  // Within one slot, every key is declared, which marks of a run are not.
  if (slots === 'one' && (family === undefined || marks)) return sendBatch(redis, requests, options);
  if (family === undefined) return sendAcross(redis, requests, options);
  const groups = groupsOf(requests, family);
  const names: string[] = [];
  for (const { places } of groups) {
    for (const place of places) names.push(requests[place]?.checks[0]?.key ?? '');
  }
  const { keys, fields } = addressesIn(names, family, groups);
  const args = [
    payloadOf(groups, family),
    options.nowUs?.toFixed(0) ?? '',
    options.expiresAtUs?.toFixed(0) ?? '',
  ];
  const reply =
    slots === 'one'
      ? runScriptOnKeys(redis, family.script, keys, fields === undefined ? args : [...args, '', fields])
      : runAcross(redis, family.across, keys, args, fields, marks ? marksOf(requests, groups) : undefined);
  return decisionsOf(await reply, family, groups, requests.length);
}

/** Requests of the same limits and cost, by their places in the run. */
interface Group {
  /** Of its first request. */
  readonly checks: readonly Check[];
  /** Of a subject's hash. */
  readonly fields: readonly string[];
  readonly cost: number;
  readonly places: number[];
}

function groupsOf(requests: readonly StoreRequest[], family: Family): Group[] {
  const groups: Group[] = [];
  let place = 0;
  for (const { checks } of requests) {
    const { cost } = checks[0] as Check;
    const group = groups.find((each) => each.cost === cost && haveSameLimits(each, checks));
    if (group === undefined) groups.push({ checks, fields: fieldsOf(checks, family), cost, places: [place] });
    else group.places.push(place);
    place++;
  }
  return groups;
}

function fieldsOf(checks: readonly Check[], family: Family): string[] {
  return family === SUBJECT ? checks.map(({ key }) => addressOf(key).field ?? '') : [];
}

function haveSameLimits({ checks, fields }: Group, others: readonly Check[]): boolean {
  if (checks.length !== others.length) return false;
  for (let i = 0; i < checks.length; i++) {
    if (checks[i]?.policy !== others[i]?.policy) return false;
    const field = fields[i];
    if (field !== undefined && addressOf(others[i]?.key ?? '').field !== field) return false;
  }
  return true;
}

/** Redis keys, one per request, and the script's argument for their fields, undefined for keys without. */
function addressesIn(names: readonly string[], family: Family, groups: readonly Group[]) {
  if (family === PACKED) return addressesOf(names);
  if (family !== SUBJECT) return { keys: names };
  const keys = names.map((name) => addressOf(name).key);
  return { keys, fields: JSON.stringify(groups.map(({ fields }) => fields)) };
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

function payloadOf(groups: readonly Group[], family: Family): string {
  let text = '';
  for (const { checks, cost, places } of groups) {
    text += `${text === '' ? '[' : ','}${cost},${places.length}`;
    if (family === SUBJECT) text += `,${checks.length}`;
    for (const { policy } of checks) text += `,${getOrAdd(wireTexts, policy, () => policy.wire.join())}`;
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
  let expected = 1;
  const decisions = new Array<Decided | undefined>(requests).fill(undefined);
  for (const { checks, places } of groups) {
    for (const place of places) {
      const usage = reader.next();
      expected += usage < 0 ? 1 : checks.length;
      if (usage < 0) continue;
      decisions[place] =
        checks.length === 1
          ? decisionOnOne(checks[0] as Check, usage, family, nowUs)
          : decisionOnAll(checks, [usage, ...checks.slice(1).map(() => reader.next())], family, nowUs);
    }
  }
  if (reader.length !== expected)
    throw new Error(`run: ${expected} integers expected, ${reader.length} came`);
  return decisions;
}

function decisionOnOne({ policy, cost }: Check, usage: number, family: Family, nowUs: number): Decided {
  const state = family.stateOf(usage, policy, nowUs);
  const step = algorithmOf(policy.kind).step(state, policy, cost, nowUs, 0);
  const { allowed, over, remaining, waitUs, resetAfterUs } = step;
  return {
    available: true,
    nowUs,
    allowed: allowed || policy.shadow,
    checks: [{ allowed, over, remaining, waitUs, resetAfterUs }],
    replayed: false,
  };
}

/** As `MemoryStore.chargeNow`. */
function decisionOnAll(
  checks: readonly Check[],
  usages: readonly number[],
  family: Family,
  nowUs: number,
): Decided {
  const states = checks.map(({ policy }, i) => family.stateOf(usages[i] as number, policy, nowUs));
  const stepAt = (i: number, cost: number) => {
    const { policy } = checks[i] as Check;
    return algorithmOf(policy.kind).step(states[i], policy, cost, nowUs, 0);
  };
  const steps = checks.map(({ cost }, i) => stepAt(i, cost));
  const allowed = steps.every((step, i) => step.allowed || checks[i]?.policy.shadow === true);
  const results = steps.map((step, i) => {
    // Allowed but not charged: `remaining` excludes this request.
    const { remaining, resetAfterUs } = step.allowed && !allowed ? stepAt(i, 0) : step;
    return { allowed: step.allowed, over: step.over, remaining, waitUs: step.waitUs, resetAfterUs };
  });
  return { available: true, nowUs, allowed, checks: results, replayed: false };
}
