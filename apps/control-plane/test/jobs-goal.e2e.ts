import { describe, it } from 'vitest';
import { jobsAreDone } from '../chaos/c12-jobs.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`jobs, seed ${CHAOS_SEED}`, () => {
  it("C12: after a worker and the queue's Redis are killed, nothing is lost and no effect occurs twice", () =>
    expectToHold(jobsAreDone, { scale: 0.005 }));
});
