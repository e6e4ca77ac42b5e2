import { describe, it } from 'vitest';
import { jobsAreDone } from '../chaos/c12-jobs.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`jobs, seed ${CHAOS_SEED}`, { timeout: 300_000 }, () => {
  it('C12: a worker and the Redis of its queue are killed: nothing is lost, no effect comes twice', () =>
    expectToHold(jobsAreDone, { scale: 0.005 }));
});
