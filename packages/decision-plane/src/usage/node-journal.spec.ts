import {
  type LimitAnswer,
  type LimitRequest,
  type NodeJournalEntry,
  nodeJournalSchema,
} from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { TestPlane } from '../testing/index.js';
import { DecisionSampler } from './decision-log.js';
import { NodeJournal } from './node-journal.js';

const REQUEST: LimitRequest = {
  tenant: 'acme',
  api: 'url-shortener',
  operation: 'createURL',
  subject: { user: 'u1', ip: '::ffff:192.0.2.1', note: 'a text that is longer than 32 characters' },
};
const CHECKPOINT = { tenant: 'acme', key: 'k', periodEndMs: 1, used: 5, atUs: 2, loweredAtUs: 0 };

async function answers(count: number): Promise<LimitAnswer[]> {
  const plane = new TestPlane({
    limits: [policyBy({ algorithm: 'fixed_window', limit: 3, windowMs: 60_000, alignment: 'clock' })],
  });
  const made: LimitAnswer[] = [];
  for (let i = 0; i < count; i++) made.push(await plane.limit(REQUEST));
  return made;
}

function sample(sampler: DecisionSampler, made: readonly LimitAnswer[]): void {
  for (const answer of made) sampler.note(REQUEST, answer, answer.success ? 'allowed' : 'denied', 5_000_500);
}

describe('DecisionSampler', () => {
  it('samples decisions with the dimension values of their counters', async () => {
    const sampler = new DecisionSampler();
    const made = await answers(4);
    sample(sampler, made);
    const taken = sampler.take();
    expect(taken.map(({ requestId, outcome, reason }) => [requestId, outcome, reason])).toEqual(
      made.map(({ requestId, reason }, i) => [requestId, i < 3 ? 'allowed' : 'denied', reason]),
    );
    expect(taken[3]).toMatchObject({
      atMs: 5000,
      tenant: 'acme',
      limit: made[3]?.policy,
      retryAfter: made[3]?.retryAfter,
    });
    expect(taken[0]?.subject).toEqual({
      user: '=u1',
      ip: '~192.0.2.1',
      note: expect.stringMatching(/^#.{22}$/),
    });
    const entry = { nodeId: 'n', atMs: 1, samples: taken, checkpoints: [] };
    expect(nodeJournalSchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
  });

  it('keeps a bounded number of allowed and of denied decisions', async () => {
    const sampler = new DecisionSampler({ allowed: 2, denied: 1 });
    sample(sampler, await answers(6));
    const outcomes = sampler.take().map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['allowed', 'allowed', 'denied']);
    const none = new DecisionSampler({ allowed: 0, denied: 0 });
    sample(none, await answers(6));
    expect(none.take()).toEqual([]);
  });
});

describe('NodeJournal', () => {
  it('writes entries only if there is content, and repeats unwritten checkpoints', async () => {
    const state = { isAway: false, untold: [CHECKPOINT], errors: 0 };
    const written: NodeJournalEntry[] = [];
    const sampler = new DecisionSampler();
    const journal = new NodeJournal({
      nodeId: 'n1',
      sampler,
      checkpoints: {
        takeUnjournaled: (max) => state.untold.splice(0, max),
        returnUnjournaled: (taken) => void state.untold.push(...taken),
      },
      write: (entry) => {
        if (state.isAway) return Promise.reject(new Error('away'));
        written.push(entry);
        return Promise.resolve();
      },
      onError: () => state.errors++,
    });
    sample(sampler, await answers(1));
    state.isAway = true;
    await journal.flush();
    expect(state.errors).toBe(1);
    state.isAway = false;
    await journal.flush();
    expect(written).toEqual([
      { nodeId: 'n1', atMs: expect.any(Number), samples: [], checkpoints: [CHECKPOINT] },
    ]);
    await journal.close();
    expect(written).toHaveLength(1);
  });
});
