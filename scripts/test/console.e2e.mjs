import { afterAll, beforeAll, describe } from 'vitest';
import { testAccount } from './console/account-suite.mjs';
import { ConsoleApp } from './console/console-app.mjs';
import { testCustomers } from './console/customers-suite.mjs';
import { testInstallation } from './console/installation-suite.mjs';
import { testPolicy } from './console/policy-suite.mjs';
import { testTabs } from './console/tabs-suite.mjs';

const console = new ConsoleApp();

beforeAll(() => console.start());
afterAll(() => console.stop());

// Each test has its own objects and session, and also runs alone, with `-t`.
describe('policy', () => testPolicy(console));
describe('account security', () => testAccount(console));
describe('installation', () => testInstallation(console));
describe('customers', () => testCustomers(console));
describe('many tabs', () => testTabs(console));
