// @module-tag redis-server
import { describe, it } from 'vitest';
import { nodesAgree } from '../chaos/c5-nodes-agree.js';
import { expectToHold } from './support/goals.js';

describe('nodes with unreliable connections', () => {
  it('C5: all reach the newest revision, none returns to an older one, and no decision mixes two', () =>
    expectToHold(nodesAgree, { scale: 0.003 }));
});
