/**
 * Tests that were skipped because a program is missing.
 * @param {{ testResults: { assertionResults: { status: string, tags: string[] }[] }[] }} results JSON of Vitest
 * @param {string[]} missing packages, which are tags of the tests
 * @returns {{ count: number, programs: string[] }}
 */
export function findNotRun({ testResults }, missing) {
  const needed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'skipped')
    .map(({ tags }) => tags.filter((tag) => missing.includes(tag)))
    .filter((tags) => tags.length > 0);
  return { count: needed.length, programs: [...new Set(needed.flat())] };
}

/** Such as `Not run: 29 tests of nginx, haproxy (not found)`; empty if all ran. */
export function describeNotRun({ count, programs }) {
  return count === 0
    ? ''
    : `Not run: ${count} ${count === 1 ? 'test' : 'tests'} of ${programs.join(', ')} (not found)`;
}
