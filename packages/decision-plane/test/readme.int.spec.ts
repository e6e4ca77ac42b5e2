import * as testing from '@tollgate/decision-plane/testing';
import { codeBlocksOf, createDocumentedUsers, eventually, runExample } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneOptions } from '../src/api/options.js';
import { useRunningNode } from './running-node.js';

const README = new URL('../README.md', import.meta.url);
const [embedding = '', verbs = '', testPlane = ''] = codeBlocksOf(README, 'ts');

/** With a long deadline, because these tests are about answers, not about time. */
const patientPlane = {
  start: (options: DecisionPlaneOptions) => DecisionPlane.start({ ...options, deadlineMs: 5000 }),
};
const PACKAGES = {
  '@tollgate/decision-plane': { DecisionPlane: patientPlane },
  '@tollgate/decision-plane/testing': testing,
};
const run = (example: string, given?: Record<string, unknown>) => runExample(example, PACKAGES, given);

describe('examples of the README', () => {
  const node = useRunningNode();

  beforeEach(async () => {
    const create = fixedWindowPolicy({
      operations: ['createURL'],
      limit: 5,
      windowMs: 3_600_000,
      alignment: 'first_request',
    });
    const remove = policyBy(
      { algorithm: 'quota', limit: 100, period: 'month' },
      {
        name: 'delete-month',
        operations: ['deleteURL'],
        throttle: { mode: 'elastic', maxPercent: 50, pool: 'workers' },
      },
    );
    const pools = [{ name: 'workers', operations: ['deleteURL'], capacity: 100, reclaimPercent: 80 }];
    const revision = await node.relay.publish({
      apis: [{ ...testing.SHORTENER, pools }],
      limits: [create, remove],
      tenants: [node.relay.tenant('acme')],
    });
    await node.inForce(revision);
  });
  afterEach(() => vi.unstubAllEnvs());

  it('embedding: five lines to the first answer', async () => {
    vi.stubEnv('REDIS_URL', node.server.url);
    const { logged, promised } = await run(embedding);
    expect(promised).toEqual(['4 left']);
    expect(logged).toEqual(promised);
  });

  it('verbs: each returns the documented values', async () => {
    const { logged, promised } = await run(verbs, { plane: node.plane });
    expect(promised).toHaveLength(3);
    expect(logged).toEqual(promised);
  });

  it('a service under test reaches its limit without Redis, and is allowed after the clock is advanced', async () => {
    const { logged, promised } = await run(testPlane);
    expect(promised).toHaveLength(2);
    expect(logged).toEqual(promised);
  });

  it('a node needs only the permissions in docs/operate/redis.md', async () => {
    const admin = new Redis(node.server.url);
    const urlAs = await createDocumentedUsers(admin);
    const plane = await DecisionPlane.start({
      countersUrl: urlAs('node-counters'),
      configUrl: urlAs('node-policy'),
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      deadlineMs: 5000,
    });
    const { logged, promised } = await run(verbs, { plane });
    expect(logged).toEqual(promised);
    await plane.limit({ tenant: 'acme', api: 'url-shortener', operation: 'deleteURL' });
    const isWritten = async (pattern: string) => (await admin.keys(pattern)).length > 0;
    await eventually(async () => (await isWritten('tg:quota:*:*')) && (await isWritten('{pool:*')));
    await plane.close();
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
    admin.disconnect();
  });
});
