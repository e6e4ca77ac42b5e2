// Cost of a tenant's API key instead of its name: the engine over the in-memory store, one tenant, one limit.
// Usage: pnpm bench caller-keys [--rounds 5] [--ms 500]
import type { Called, LimitRequest, TenantRecord } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { MemoryStore } from '@tollgate/limiter/stores';
import { CallerKeys } from '../../../packages/decision-plane/src/api/caller-keys.js';
import { benchOptions, median, spin, whereMeasured } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import { engineOver } from './engine.ts';
import { LASTING, limitBy, randomNumber } from './fixtures.ts';

const TENANT = 'tenant-0';
const USERS = 10_000;
const PEPPER = 'benchmark pepper of 32 characters';
const CALL = { api: 'url-shortener', operation: 'createURL' };

const { rounds, ms } = benchOptions();
console.log(`${whereMeasured()}; one core, per second of its CPU; median of ${rounds} rounds of ${ms} ms`);

const keys = Array.from({ length: 100 }, () => issueToken('tgk', 'live'));
const record: TenantRecord = {
  kind: 'tenant',
  revision: 1,
  tenant: TENANT,
  status: 'active',
  tier: 'bench',
  pinnedVersion: null,
  keys: keys.map(({ token, publicId }) => ({ publicId, secrets: [{ hash: hashToken(token, PEPPER) }] })),
};
const engine = engineOver(new MemoryStore({ maxKeys: USERS }), [limitBy(LASTING, 'create')], 1);
const callers = new CallerKeys({
  peppers: new Map([[1, PEPPER]]),
  index: { tenantOf: () => Promise.resolve(TENANT) },
  tenants: { findTenant: () => record, loadTenant: () => Promise.resolve(record) },
  onUse: () => undefined,
  nowMs: Date.now,
});
// Separate strings, as in request bodies.
const tokens = keys.map(({ token }) => Buffer.from(token));
const subjectOf = () => ({ user: `u${randomNumber(USERS)}` });
const decide = (request: LimitRequest) => engine.limit(request);

const decideCall = async (call: Called<LimitRequest>) => decide(await callers.resolve<LimitRequest>(call));

const byName = () => decideCall({ tenant: TENANT, ...CALL, subject: subjectOf() });
const byKey = (n: number) =>
  decideCall({ key: tokens[n % tokens.length]?.toString('latin1') ?? '', ...CALL, subject: subjectOf() });

const names: number[] = [];
const keyed: number[] = [];
for (let round = 0; round < rounds; round++) {
  names.push(await spin(byName, ms));
  keyed.push(await spin(byKey, ms));
}
await engine.close();
const rows = [
  ['tenant', median(names)],
  ['key', median(keyed)],
] as const;
printTable(
  'API key instead of the tenant name',
  ['named by', 'decisions/s', 'µs each', 'of tenant'],
  rows.map(([by, perSecond]) => [
    by,
    thousands(perSecond),
    (1e6 / perSecond).toFixed(2),
    (perSecond / median(names)).toFixed(2),
  ]),
);
