// @module-tag redis-server
import { describe, it } from 'vitest';
import { jobsAreDone } from '../chaos/c12-jobs.js';
import { expectToHold } from './support/goals.js';

describe('jobs', () => {
  it("C12: after a worker and the queue's Redis are killed, nothing is lost and no effect occurs twice", () =>
    expectToHold(jobsAreDone, { scale: 0.005 }));
});
