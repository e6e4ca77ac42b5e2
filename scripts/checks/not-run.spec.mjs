import { expect, it } from 'vitest';
import { describeNotRun, findNotRun } from './not-run.mjs';

const resultsOf = (...tests) => ({
  testResults: tests.map(([status, ...tags]) => ({ assertionResults: [{ status, tags }] })),
});

it('counts skipped tests of missing programs, each once', () => {
  const results = resultsOf(
    ['skipped', 'nginx'],
    ['skipped', 'nginx', 'haproxy', 'caddy'],
    ['skipped', 'caddy'],
    ['skipped'],
    ['passed', 'nginx'],
  );
  const found = findNotRun(results, ['nginx', 'haproxy']);
  expect(found).toEqual({ count: 2, programs: ['nginx', 'haproxy'] });
  expect(describeNotRun(found)).toBe('Not run: 2 tests of nginx, haproxy (not found)');
});

it('says nothing when all tests ran', () => {
  expect(describeNotRun(findNotRun(resultsOf(['passed', 'nginx']), []))).toBe('');
});
