import { describe, expect, it } from 'vitest';
import { type DecisionNodeInList, describeNodes, nodeHealth } from './node-health.js';

const node = (change: Partial<DecisionNodeInList> = {}): DecisionNodeInList => ({
  nodeId: 'node-a',
  epoch: '1',
  version: '0.1.0',
  startedAt: '2026-11-20T10:00:00Z',
  seenAt: '2026-11-20T10:01:00Z',
  revision: 42,
  applyLatencyMs: 120,
  nack: null,
  degraded: false,
  stale: false,
  policyAgeMs: 100,
  policyStale: false,
  retiredAt: null,
  ...change,
});

describe('describeNodes', () => {
  it.each<[string, DecisionNodeInList[], number | undefined]>([
    ['All nodes up to date · revision 42 · 140 ms', [node(), node({ applyLatencyMs: 140 })], 42],
    [
      '1 of 2 nodes up to date · revision 42 · 120 ms',
      [node(), node({ revision: 41, applyLatencyMs: 900 })],
      42,
    ],
    ['1 of 2 nodes up to date · revision 42 · 120 ms', [node(), node({ stale: true })], 42],
    ['All nodes up to date · revision 42', [node({ applyLatencyMs: null })], 42],
    ['No decision nodes', [], 42],
  ])('returns %s', (text, nodes, revision) => expect(describeNodes(nodes, revision)).toBe(text));
});

describe('nodeHealth', () => {
  it('returns the worst state', () => {
    expect(nodeHealth(node({ stale: true, degraded: true }), 42)).toBe('stale');
    expect(nodeHealth(node({ nack: { revision: 42, reason: 'hash' }, degraded: true }), 42)).toBe('refusing');
    expect(nodeHealth(node({ degraded: true, revision: 41 }), 42)).toBe('degraded');
    expect(nodeHealth(node({ policyStale: true, revision: 41 }), 42)).toBe('policyStale');
    expect(nodeHealth(node({ revision: 41 }), 42)).toBe('behind');
    expect(nodeHealth(node({ retiredAt: '2026-11-20T10:00:00Z', stale: true }), 42)).toBe('retired');
    expect(nodeHealth(node(), 42)).toBe('current');
  });
});
