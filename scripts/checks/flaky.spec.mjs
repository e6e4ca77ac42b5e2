import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../run/root.mjs';
import { failedTests, filesToRepeat, mayBeFlaky } from './flaky.mjs';

const failure = (file, name = 'works') => ({ file, name, message: '' });

describe('failures that may be flaky', () => {
  it.each([
    ['scripts/test/console.e2e.mjs', true],
    ['apps/control-plane/test/mailbox.e2e.ts', true],
    ['apps/control-plane/test/notices/slow-suite.ts', true],
    ['apps/decision-api/test/lifecycle.e2e.ts', true],
    ['packages/sdk/test/examples.e2e.ts', true],
    ['packages/limiter/test/parity.int.spec.ts', false],
    ['packages/limiter/test/lane.e2e.ts', false],
    ['packages/contracts/src/adjustments.spec.ts', false],
    ['apps/decision-api/test/http-api.int.spec.ts', false],
    ['apps/control-plane/src/features/commerce/auto-top-ups/auto-top-up.int.spec.ts', false],
    ['apps/control-plane/test/purchases.e2e.ts', false],
    ['apps/control-plane/test/stripe/refund-suite.ts', false],
    ['apps/control-plane/test/tenant-matrix.e2e.ts', false],
    ['apps/control-plane/test/outbox-goal.e2e.ts', false],
  ])('%s: %s', (file, expected) => {
    expect(mayBeFlaky(file)).toBe(expected);
  });

  it('are repeated by file, unless a failure counts as a fault or there are more than three', () => {
    const console = failure('scripts/test/console.e2e.mjs');
    const portal = failure('scripts/test/product.e2e.mjs');
    const parity = failure('packages/limiter/test/parity.int.spec.ts');
    expect(filesToRepeat([console, console, portal])).toEqual([console.file, portal.file]);
    expect(filesToRepeat([console, parity])).toEqual([]);
    expect(filesToRepeat([console, console, portal, portal])).toEqual([]);
    expect(filesToRepeat([failure('', '')])).toEqual([]);
  });
});

it('a report lists failed tests, and files that failed outside their tests', () => {
  const file = (name, message, assertionResults) => ({
    name: path.join(ROOT, name),
    status: 'failed',
    message,
    assertionResults,
  });
  const passed = { status: 'passed', fullName: 'starts' };
  const broken = { status: 'failed', fullName: 'console > signs in', failureMessages: ['no button'] };
  const testResults = [file('a.e2e.mjs', '', [passed, broken]), file('b.e2e.mjs', 'no Postgres', [])];
  expect(failedTests({ testResults })).toEqual([
    { file: 'a.e2e.mjs', name: 'console > signs in', message: 'no button' },
    { file: 'b.e2e.mjs', name: '', message: 'no Postgres' },
  ]);
});
