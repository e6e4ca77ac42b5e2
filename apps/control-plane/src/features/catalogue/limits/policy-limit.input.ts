import type { LimitPolicy } from '@tollgate/contracts';

const RULE_FIELDS = ['windowMs', 'buckets', 'capacity', 'queue', 'burst', 'leaseMs'] as const;

/** A stored policy as `LimitInput` would say it: what `toPolicy` turns back into the same policy. */
export function toLimitInput(policy: LimitPolicy): Record<string, unknown> {
  const {
    name,
    api,
    operations,
    per,
    onMissing,
    onUnavailable,
    deadlineMs,
    throttle,
    enforcement,
    consistency,
    charge,
    attemptTimeoutMs,
    candidate,
    inHeaders,
  } = policy;
  return {
    name,
    apiKey: api,
    operations,
    per,
    onUnavailable: onUnavailable.toUpperCase(),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(onMissing === undefined ? {} : { onMissing: onMissing.toUpperCase() }),
    ...ruleInput({ ...policy }),
    ...(throttle === undefined ? {} : { throttle: modeInput({ ...throttle }) }),
    ...(enforcement === undefined ? {} : { enforcement: modeInput({ ...enforcement }) }),
    ...(consistency === undefined ? {} : { consistency: modeInput({ ...consistency }) }),
    ...(charge === undefined ? {} : { charge: charge.toUpperCase() }),
    ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
    ...(candidate === undefined ? {} : { candidate: ruleInput({ ...candidate }) }),
    ...(inHeaders === undefined ? {} : { inHeaders }),
  };
}

function ruleInput(rule: Record<string, unknown>): Record<string, unknown> {
  const numbers = RULE_FIELDS.flatMap((field) => (rule[field] === undefined ? [] : [[field, rule[field]]]));
  const names = ['algorithm', 'alignment', 'refill', 'period'].flatMap((field) =>
    rule[field] === undefined ? [] : [[field, String(rule[field]).toUpperCase()]],
  );
  return { limit: rule.limit, ...Object.fromEntries([...names, ...numbers]) };
}

function modeInput({ mode, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { mode: String(mode).toUpperCase(), ...rest };
}
