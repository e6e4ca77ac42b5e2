// @module-tag redis-server
import { describe, it } from 'vitest';
import { badPolicyNeverLands } from '../chaos/c6-bad-policy.js';
import { expectToHold } from './support/goals.js';

describe('tampered policy', () => {
  it('C6: none of 60 mutated policies is applied; each is rejected with a reason', () =>
    expectToHold(badPolicyNeverLands, { scale: 0.06 }));
});
