import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ endOnFailure: true, seed: inject('testSeed') });
