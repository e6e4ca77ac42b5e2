// @module-tag redis-server
import { describe, it } from 'vitest';
import { expectToHold } from '../expect-to-hold.ts';
import { badPolicyNeverLands } from './bad-policy-is-rejected.ts';

describe('tampered policy', () => {
  it('C6: none of 60 mutated policies is applied; each is rejected with a reason', () =>
    expectToHold(badPolicyNeverLands, { scale: 0.06 }));
});
