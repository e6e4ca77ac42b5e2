import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { LastGoodFile } from '../src/feed/last-good.js';
import { TestRelay } from '../src/testing/test-relay.js';

const LIMIT = 10;
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('start and events during an outage', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-plane-'));
    server = await createTestRedis();
    relay = new TestRelay(server.url);
    const limits = [fixedWindowPolicy({ limit: LIMIT, windowMs: 3_600_000, alignment: 'first_request' })];
    await relay.publish({ limits, tenants: [relay.tenant('acme')] });
  });
  afterEach(async () => {
    relay.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const startNode = (nodeId: string, over: Partial<Parameters<typeof DecisionPlane.start>[0]> = {}) =>
    DecisionPlane.start({
      countersUrl: server.url,
      configUrl: server.url,
      policyKeys: 'unsigned',
      nodeId,
      version: 'test',
      deadlineMs: 5000,
      ...over,
    });

  it('a node that starts during an outage shares limits with the last known nodes', async () => {
    const node = await startNode('node-1', { dataDir: folder });
    await node.limit(create);
    const other = await startNode('node-2');
    const file = new LastGoodFile(join(folder, 'last-good-policy.json'));
    const nodesOnDisk = async () => (await file.generations().next()).value?.nodes;
    await eventually(async () => (await nodesOnDisk()) === 2);
    await Promise.all([node.close(), other.close()]);
    const nowhere = 'redis://127.0.0.1:1';
    const alone = await startNode('node-1', { dataDir: folder, countersUrl: nowhere, configUrl: nowhere });
    const answers = await Promise.all(Array.from({ length: 4 * LIMIT }, () => alone.limit(create)));
    expect(answers.filter(({ success }) => success)).toHaveLength(LIMIT / 2);
    await alone.close();
  });

  it('an error thrown by a listener does not affect the decision', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on('warning', onWarning);
    const node = await startNode('node-1', {
      dataDir: folder,
      countersUrl: 'redis://127.0.0.1:1',
      onEvent: () => {
        throw new Error('the listener is broken');
      },
    });
    expect(await node.limit(create)).toMatchObject({ success: true, degraded: true });
    await eventually(() => warnings.some((warning) => warning.includes('the listener is broken')));
    process.off('warning', onWarning);
    await node.close();
  });
});
