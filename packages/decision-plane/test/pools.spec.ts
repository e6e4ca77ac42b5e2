import { describe } from 'vitest';
import { modelBackend } from './pools-simulation.js';
import { poolSuite } from './pools-suite.js';

describe('pools over the model', () => {
  poolSuite(modelBackend);
});
