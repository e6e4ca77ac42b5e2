// Measures configurations of many tenants: pnpm bench config [--tenants 5000]

import { createPrismaClient } from '@tollgate/database';
import { startPlane } from '../../chaos/control-plane/running-plane.ts';
import { until } from '../../until.ts';
import { readOptions, whereMeasured } from '../measure.ts';

const { tenants } = readOptions({ tenants: 5000 });

const APPLY = `mutation($input: ConfigApplyInput!) { configApply(input: $input) {
  changeId impact { tenants } changes { action path fields { field before after } } userErrors { field message } } }`;

/** As many as a large customer base has: every tenant has tags, one of five an override, one of ten thresholds. */
function tenantOf(index: number, change: object) {
  return {
    name: `Customer ${index}`,
    tier: index % 3 === 0 ? 'pro' : 'free',
    timeZone: 'Europe/Berlin',
    tags: ['beta'],
    ...(index % 5 === 0 ? { overrides: [override(70_001 + index)] } : {}),
    ...(index % 10 === 0 ? { alerts: [{ api: 'url-shortener', percents: [50, 90] }] } : {}),
    ...change,
  };
}

const override = (limit: number) => ({
  ...{ api: 'url-shortener', limit: 'create-hour', effect: { kind: 'set', limit } },
  ...{ expires: '2090-01-01T00:00:00.000Z', reason: 'Contract' },
});

const documentOf = (change: object = {}) =>
  JSON.stringify({
    version: 1,
    tenants: Object.fromEntries(
      Array.from({ length: tenants }, (_, index) => [`customer-${index}`, tenantOf(index, change)]),
    ),
  });

const plane = await startPlane(1, { GRAPHQL_POINTS_PER_SECOND: '1000' });
const database = createPrismaClient(plane.ownerUrl, { max: 1 });
console.log(whereMeasured());
console.log(`${tenants} tenants, ${Buffer.byteLength(documentOf())} bytes`);
try {
  await measure('diff: all are new', documentOf(), { dryRun: true });
  await measure('apply: all are new', documentOf());
  await measure('apply again: no change', documentOf());
  await measure('apply: all renamed', documentOf({ name: 'Renamed' }));
  await measure('apply: all moved to another tier', documentOf({ name: 'Renamed', tier: 'enterprise' }));
  await measure(
    'apply: all moved back, an override for each',
    documentOf({ name: 'Renamed', overrides: [override(900_000)] }),
  );
  await measure(
    'sync: no overrides and thresholds',
    documentOf({ name: 'Renamed', overrides: [], alerts: [] }),
    {
      mode: 'SYNC',
      selectTag: 'beta',
    },
  );
} finally {
  await database.$disconnect();
  await plane.stop();
}

async function measure(title: string, document: string, more: object = {}): Promise<void> {
  const startMs = performance.now();
  const response = await fetch(`${plane.urls[0]}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plane.admin },
    body: JSON.stringify({ query: APPLY, variables: { input: { document, ...more } } }),
  });
  const answer = await response.text();
  const tookMs = performance.now() - startMs;
  const { data, errors = [] } = JSON.parse(answer);
  const problems = [...errors, ...(data?.configApply?.userErrors ?? [])];
  if (problems.length > 0) throw new Error(`${title}: ${JSON.stringify(problems.slice(0, 3))}`);
  await until(
    'all of it is published',
    async () => (await database.outboxEvent.count({ where: { revision: null } })) === 0,
    { timeoutMs: 120_000, everyMs: 50 },
  );
  const publishedMs = performance.now() - startMs - tookMs;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${title}: ${seconds(tookMs)}, ${data.configApply.changes.length} changes, answer of ${answer.length} bytes; published ${seconds(publishedMs)} later`,
  );
}
