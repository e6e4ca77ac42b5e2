import { describe, it } from 'vitest';
import { nodesAgree } from '../chaos/c5-nodes-agree.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`nodes on bad links, seed ${CHAOS_SEED}`, { timeout: 300_000 }, () => {
  it('C5: all come to the newest revision, none goes back, and no decision mixes two', () =>
    expectToHold(nodesAgree, { scale: 0.003 }));
});
