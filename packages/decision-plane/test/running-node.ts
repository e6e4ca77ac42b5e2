import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { afterEach, beforeEach } from 'vitest';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { TestRelay } from '../src/testing/test-relay.js';

/** A node with its own Redis and a relay that publishes to it; new for each test. */
export class RunningNode {
  server!: Awaited<ReturnType<typeof createTestRedis>>;
  relay!: TestRelay;
  plane!: DecisionPlane;
  dataDir!: string;

  /**
   * Starts a plane with this node's data directory and a long deadline, because these tests are about answers, not
   * about time.
   */
  start(url: string = this.server.url): Promise<DecisionPlane> {
    return DecisionPlane.start({
      countersUrl: url,
      configUrl: url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      dataDir: this.dataDir,
      deadlineMs: 5000,
    });
  }

  /** Resolves once `revision` is in effect. */
  async inForce(revision: number): Promise<void> {
    await eventually(() => this.plane.revision === revision);
  }
}

/** Registers a running node for each test of the file. */
export function useRunningNode(): RunningNode {
  const node = new RunningNode();
  beforeEach(async () => {
    node.dataDir = await mkdtemp(join(tmpdir(), 'tollgate-plane-'));
    node.server = await createTestRedis();
    node.relay = new TestRelay(node.server.url);
    node.plane = await node.start();
  });
  afterEach(async () => {
    node.relay.close();
    await node.plane.close();
    await node.server.stop();
    await rm(node.dataDir, { recursive: true });
  });
  return node;
}
