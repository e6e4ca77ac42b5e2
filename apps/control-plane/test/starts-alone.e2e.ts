import { describe, it } from 'vitest';
import { startsAlone } from '../chaos/c7-starts-alone.js';
import { expectToHold } from './support/goals.js';

describe('a node with only its disk', () => {
  it('C7: starts from the last complete generation, and from no other', () =>
    expectToHold(startsAlone, { scale: 0.002 }));
});
