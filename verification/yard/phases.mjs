import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { graphql } from '../../scripts/run/graphql.mjs';
import { ROOT } from '../../scripts/run/root.mjs';
import { Prometheus } from '../../scripts/test/prometheus.mjs';
import { ChangeLoad, DecisionLoad } from './load.mjs';
import { until } from './part.mjs';

const CHANGE_EVERY_MS = 100;
const QUIET_MS = 1000;
const LIVE_LIMIT_MS = 240_000;

/**
 * Restarts every part of the yard in turn, or one of each kind, under decisions and changes. Then waits until each
 * acknowledged change is stored and known to every node. Returns the counts of each step.
 * @param {{request: object, tierKey: string, perSecond: number, perKind?: number}} options body of `POST /v1/limit`, tier of
 *   new tenants, how many parts of each kind to restart (default: all)
 */
export async function restartEverything(yard, { request, tierKey, perSecond, perKind }) {
  const decisions = new DecisionLoad(yard.dev, request, perSecond);
  const changes = new ChangeLoad(yard.dev, { prefix: 'yard', tierKey, everyMs: CHANGE_EVERY_MS });
  const steps = [];
  try {
    for (const { name, run } of listRestarts(yard, perKind)) {
      const begin = performance.now();
      const known = changes.acknowledged.length;
      await run();
      await pause(QUIET_MS); // late failures belong to this step
      const seconds = (performance.now() - begin) / 1000;
      steps.push({ name, seconds, ...decisions.take(), changes: changes.acknowledged.length - known });
    }
  } finally {
    await Promise.all([decisions.stop(), changes.stop()]);
  }
  steps.push({ name: 'end of the load', seconds: 0, ...decisions.take(), changes: 0 });
  const { acknowledged, rejected, retries } = changes;
  const lost = [...rejected, ...(await findLost(yard, acknowledged, request))];
  return { steps, acknowledged: acknowledged.length, retries, lost };
}

function* listRestarts({ apps, postgres, redis }, perKind = Number.POSITIVE_INFINITY) {
  const someOf = (...kinds) =>
    kinds
      .flatMap((parts) => parts.slice(0, perKind))
      .map((part) => ({ name: part.name, run: () => part.restart() }));
  yield* someOf(apps.nodes, apps.workers, apps.controlPlanes);
  yield { name: 'pgbouncer', run: () => postgres.pooler.restart() };
  yield { name: 'postgres', run: () => postgres.restart() };
  yield { name: 'redis policy: failover', run: () => redis.failOver('policy') };
  yield { name: 'redis counters: failover', run: () => redis.failOver('counters') };
  yield* someOf(redis.sentinels);
}

/** The acknowledged tenants that are missing in Postgres, or that a node does not know. */
async function findLost(yard, acknowledged, { api, operation }) {
  const lost = [];
  for (const { key, changeId } of acknowledged) {
    const query =
      'query($key: String!, $id: ID!) { tenant(key: $key) { key } propagation(changeId: $id) { state } }';
    const isLive = until(
      `${key} is live`,
      async () => {
        const { tenant, propagation } = await graphql(yard.dev, query, { key, id: changeId });
        if (tenant === null) throw new Error('not stored');
        return propagation.state === 'LIVE';
      },
      LIVE_LIMIT_MS,
    );
    await isLive.catch((error) => lost.push(error.message));
  }
  for (const node of yard.apps.nodes) {
    for (const { key } of acknowledged) {
      const response = await fetch(`http://127.0.0.1:${node.port}/v1/peek`, {
        method: 'POST',
        headers: { authorization: `Bearer ${yard.dev.serviceToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tenant: key, api, operation }),
      });
      if (!response.ok) lost.push(`${key} at ${node.name}: ${response.status} ${await response.text()}`);
    }
  }
  return lost;
}

const ALERT_LIMIT_MS = 10 * 60_000;

/** The alerts that four faults cause together: a stopped node, counters away, policy and outbox stuck. */
const EXPECTED_ALERTS = [
  'TollgateDown',
  'TollgateCountersUnreachable',
  'TollgateRelayStuck',
  'TollgatePolicyStale',
];

/**
 * Stops a node and both Redis groups until Prometheus fires the four alerts of these faults, under the rules as they are
 * shipped; starts them again until none fires. Returns the seconds to each.
 */
export async function fireAlerts(yard, request) {
  const { controlPlanes, workers, nodes } = yard.apps;
  const urls = (parts) => parts.map(({ metricsPort }) => `http://127.0.0.1:${metricsPort}/metrics`);
  const prometheus = new Prometheus();
  await prometheus.start({
    'control-plane': urls(controlPlanes),
    worker: urls(workers),
    'decision-api': urls(nodes),
  });
  const decisions = new DecisionLoad(yard.dev, request, 20); // a node without requests notices no outage
  try {
    const quiet = async () => (await prometheus.firing()).size === 0;
    await prometheus.watches();
    await until('no alert before the faults', quiet);
    const begin = performance.now();
    const seconds = () => Math.round((performance.now() - begin) / 1000);
    const stopped = [nodes.at(-1), ...yard.redis.servers];
    await Promise.all(stopped.map((part) => part.stop()));
    // Committed in Postgres, so that the outbox has something to publish.
    await graphql(
      yard.dev,
      'mutation($input: TenantCreateInput!) { tenantCreate(input: $input) { userErrors { message } } }',
      { input: { key: 'during-faults', name: 'During faults', tierKey: 'maps-free' } },
    );
    const firedAfter = {};
    for (const name of EXPECTED_ALERTS) {
      await until(name, async () => (await prometheus.firing()).has(name), ALERT_LIMIT_MS);
      firedAfter[name] = seconds();
    }
    for (const part of stopped.reverse()) await part.start();
    const repairedAfter = seconds();
    await until('the alerts clear', quiet, ALERT_LIMIT_MS);
    return { firedAfter, clearedAfter: seconds() - repairedAfter };
  } finally {
    await decisions.stop();
    await prometheus.stop();
  }
}

/** Takes a backup with the CLI and restores it into a second database, both as the owner. The CLI compares them. */
export async function backUpAndRestore(yard) {
  const cli = path.join(ROOT, 'packages/cli/dist/main.js');
  const file = path.join(yard.home, 'yard.dump');
  const owner = yard.postgres.addresses.DATABASE_MIGRATION_URL;
  const tollgate = (command, url) =>
    execFileSync(process.execPath, [cli, command, file], {
      env: { ...process.env, DATABASE_MIGRATION_URL: url },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const copy = await yard.postgres.createDatabase('restored');
  return tollgate('backup', owner) + tollgate('restore', copy);
}
