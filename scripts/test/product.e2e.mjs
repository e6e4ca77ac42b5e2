import { afterAll, beforeAll, describe } from 'vitest';
import { testConsole } from './product/console-suite.mjs';
import { testFirstTenMinutes } from './product/first-ten-minutes-suite.mjs';
import { testPortal } from './product/portal-suite.mjs';
import { Product } from './product/product.mjs';
import { testTasks } from './product/tasks-suite.mjs';

const product = new Product();

beforeAll(() => product.start());
afterAll(() => product.stop());

// Each also runs alone, with `-t`. The newcomer comes first, to the demo as `npm start` creates it.
describe('the first ten minutes', () => testFirstTenMinutes(product));
describe('overview and operations', () => testConsole(product));
describe('tasks in the console', () => testTasks(product));
describe('the portal and the shop', () => testPortal(product));
