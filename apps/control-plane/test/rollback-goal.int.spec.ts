// @module-tag redis-server
import { describe, it } from 'vitest';
import { rollbackUnderLoad } from '../chaos/c9-rollback.js';
import { expectToHold } from './support/goals.js';

describe('rollback under load', () => {
  it('C9: two rollbacks under load deny nothing and keep existing usage', () =>
    expectToHold(rollbackUnderLoad, { scale: 0.02 }));
});
