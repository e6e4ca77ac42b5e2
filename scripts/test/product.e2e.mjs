import { afterAll, beforeAll, describe } from 'vitest';
import { testConsole } from './product/console-suite.mjs';
import { testFirstTenMinutes } from './product/first-ten-minutes-suite.mjs';
import { Product } from './product/product.mjs';
import { testTasks } from './product/tasks-suite.mjs';

const product = new Product();

beforeAll(() => product.start());
afterAll(() => product.stop());

// Each also runs alone, with `-t`. The newcomer comes first, to the demo as `npm start` creates it. The portal has its own copy,
// with a payment provider that is unavailable.
describe('the first ten minutes', () => testFirstTenMinutes(product));
describe('overview and operations', () => testConsole(product));
describe('tasks in the console', () => testTasks(product));
