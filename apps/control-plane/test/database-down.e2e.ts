import { describe, it } from 'vitest';
import { databaseDown } from '../chaos/c14-database.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`Postgres is killed and frozen, seed ${CHAOS_SEED}`, { timeout: 300_000 }, () => {
  it('C14: decisions go on, reads and writes are refused as UNAVAILABLE, and nothing was half done', () =>
    expectToHold(databaseDown, { scale: 0.05 }));
});
