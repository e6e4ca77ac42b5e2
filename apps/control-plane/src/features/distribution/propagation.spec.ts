import type { NodeReport } from '@tollgate/contracts';
import { STALE_AFTER_MS } from '@tollgate/decision-plane/operate';
import { describe, expect, it } from 'vitest';
import { computePropagation } from './propagation.js';

const NOW_MS = 1_800_000_000_000;
const CHANGE = { changeId: 'chg_1', revision: 7, publishedAt: new Date(NOW_MS) };

function node(nodeId: string, more: Partial<NodeReport> = {}): NodeReport {
  const report = { nodeId, epoch: 'e', version: '1', startedAtMs: 0, seenAtMs: NOW_MS, revision: 7 };
  return { ...report, applyLatencyMs: 12, nack: null, degraded: false, ...more };
}

const propagate = (reports: NodeReport[], change = CHANGE) => computePropagation(change, reports, NOW_MS);

describe('computePropagation', () => {
  it('is PENDING until the change has a revision', () => {
    const pending = { changeId: 'chg_1', revision: null, publishedAt: null };
    expect(computePropagation(pending, [node('a')], NOW_MS)).toMatchObject({
      state: 'PENDING',
      liveNodes: 0,
    });
  });

  it('is PUBLISHED while a node runs an older revision, and without nodes', () => {
    expect(propagate([node('a'), node('b', { revision: 6 })])).toMatchObject({
      state: 'PUBLISHED',
      liveNodes: 1,
      totalNodes: 2,
    });
    expect(propagate([])).toMatchObject({ state: 'PUBLISHED', totalNodes: 0, slowestMs: null });
  });

  it('is LIVE once every node runs it or a later one', () => {
    expect(propagate([node('a'), node('b', { revision: 9 })])).toMatchObject({ state: 'LIVE', liveNodes: 2 });
  });

  it('returns the highest latency of nodes that still run this revision', () => {
    const reports = [
      node('a', { applyLatencyMs: 5 }),
      node('b', { applyLatencyMs: 80 }),
      node('c', { revision: 8, applyLatencyMs: 900 }),
    ];
    expect(propagate(reports).slowestMs).toBe(80);
  });

  it('is REJECTED with the reason when a node rejected it', () => {
    const nack = { revision: 7, reason: 'limit cannot be compiled' };
    const { state, nodes } = propagate([node('a'), node('b', { revision: 6, nack })]);
    expect(state).toBe('REJECTED');
    expect(nodes[1]).toMatchObject({ live: false, nack });
  });

  it('ignores a rejection of an earlier or later revision', () => {
    expect(propagate([node('a', { revision: 7, nack: { revision: 8, reason: 'x' } })]).state).toBe('LIVE');
    expect(propagate([node('a', { revision: 5, nack: { revision: 6, reason: 'x' } })]).state).toBe(
      'PUBLISHED',
    );
  });

  it('ignores stale nodes', () => {
    const gone = node('b', { revision: 1, seenAtMs: NOW_MS - STALE_AFTER_MS - 1 });
    expect(propagate([node('a'), gone])).toMatchObject({ state: 'LIVE', totalNodes: 1 });
  });
});
