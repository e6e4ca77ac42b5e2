import type { LimitPolicy } from '@tollgate/contracts';
import type { TestRelay } from '@tollgate/decision-plane/testing';

const HOUR_MS = 3_600_000;

/** A fixed window of an hour; `more` overrides fields. */
export function limitOf(name: string, limit: number, more: object = {}): LimitPolicy {
  return {
    name,
    api: 'links',
    operations: [name],
    per: [],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit,
    windowMs: HOUR_MS,
    alignment: 'first_request',
    ...more,
  } as LimitPolicy;
}

const OPERATIONS = [
  'create',
  'remove',
  'list',
  'watch',
  'weekly',
  'odd',
  'deny',
  'free',
  'shadow',
  'spread',
  'queue',
  'closed',
];

/** Policy of the gRPC tests: one operation per kind of limit, with unused tenants. */
export function rlsPolicy(relay: TestRelay) {
  return {
    apis: [
      {
        key: 'links',
        unknownOperations: 'allow' as const,
        operations: OPERATIONS.map((name) => ({ name, cost: name === 'spread' ? 3 : 1 })),
      },
      { key: 'closed', unknownOperations: 'refuse' as const, operations: [] },
      { key: 'whole', unknownOperations: 'count' as const, operations: [{ name: 'create', cost: 1 }] },
    ],
    limits: [
      limitOf('create', 10),
      limitOf('remove', 2, { windowMs: 60_000 }),
      limitOf('list', 5, { per: ['user'], onMissing: 'refuse' }),
      limitOf('watch', 5, { per: ['ip'] }),
      limitOf('weekly', 1000, { windowMs: 7 * 24 * HOUR_MS }),
      limitOf('odd', 50, { windowMs: 90_000 }),
      limitOf('deny', 5, { onUnavailable: 'deny' }),
      limitOf('shadow', 1, { enforcement: { mode: 'shadow' } }),
      limitOf('spread', 10),
      limitOf('closed', 0),
      limitOf('everything', 1, { api: 'whole', operations: [] }),
    ],
    tenants: [
      ...Array.from({ length: 100 }, (_, i) => relay.tenant(`t${i}`)),
      relay.tenant('acme'),
      relay.tenant('gone', { status: 'suspended' }),
    ],
  };
}

/** A descriptor of these entries, in order. */
export function descriptor(entries: Record<string, string>, more: object = {}) {
  return { entries: Object.entries(entries).map(([key, value]) => ({ key, value })), ...more };
}
