// @module-tag redis-server
import { describe, it } from 'vitest';
import { databaseDown } from '../chaos/c14-database.js';
import { expectToHold } from './support/goals.js';

describe('Postgres is killed and frozen', () => {
  it('C14: decisions continue, reads and writes fail with UNAVAILABLE, and no change is applied partially', () =>
    expectToHold(databaseDown, { scale: 0.05 }));
});
