import { setTimeout as delay } from 'node:timers/promises';
import { DecisionPlane } from '@tollgate/decision-plane';
import { until } from '../../until.ts';

const ASK_EVERY_MS = 10;
const REQUEST = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

export interface Decisions {
  made: number;
  failed: number;
  degraded: number;
}

/** A node that decides until it is stopped, and then returns its counts. */
export async function startDeciding(redisUrl: string): Promise<() => Promise<Decisions>> {
  const node = await DecisionPlane.start({
    countersUrl: redisUrl,
    configUrl: redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'node-1',
    version: 'chaos',
    deadlineMs: 2000,
  });
  const decisions = { made: 0, failed: 0, degraded: 0 };
  let isDeciding = true;
  const decide = () => node.limit(REQUEST).catch(() => undefined);
  await until('there is policy', async () => (await decide()) !== undefined);
  const load = (async () => {
    while (isDeciding) {
      const answer = await decide();
      decisions.made++;
      if (answer === undefined) decisions.failed++;
      if (answer?.degraded) decisions.degraded++;
      await delay(ASK_EVERY_MS);
    }
    await node.close();
  })();
  return async () => {
    isDeciding = false;
    await load;
    return decisions;
  };
}
