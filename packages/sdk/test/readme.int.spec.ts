import { DecisionPlane, type DecisionPlaneOptions } from '@tollgate/decision-plane';
import { codeBlocksOf, runExample, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterEach, expect, it, vi } from 'vitest';
import { EmbeddedTollgate } from '../src/embedded.js';
import { Tollgate, type TollgateOptions } from '../src/index.js';
import { fetchUntilTakenIn, useShopFront } from './shop-front.js';

const front = useShopFront();
const [client = '', embedded = '', ...more] = codeBlocksOf(new URL('../README.md', import.meta.url), 'ts');

/** As in the READMEs, but with longer deadlines: the test is about answers, not time. */
class PatientTollgate extends Tollgate {
  constructor(options: TollgateOptions) {
    super({ ...options, timeoutMs: WAIT_LIMIT_MS, fetch: fetchUntilTakenIn });
  }
}
const patientPlane = {
  start: (options: DecisionPlaneOptions) => DecisionPlane.start({ ...options, deadlineMs: 5000 }),
};
const PACKAGES = {
  '@tollgate/sdk': { Tollgate: PatientTollgate },
  '@tollgate/sdk/embedded': { EmbeddedTollgate },
  '@tollgate/decision-plane': { DecisionPlane: patientPlane },
};

afterEach(() => vi.unstubAllEnvs());

it('the README’s two clients share one counter: three requests are allowed, a fourth is denied with a retry time', async () => {
  vi.stubEnv('TOLLGATE_URL', front.api.url);
  vi.stubEnv('TOLLGATE_TOKEN', front.token);
  vi.stubEnv('REDIS_URL', front.redis.url);
  const logged = [];
  for (const example of [client, embedded, client, client, embedded]) {
    logged.push(...(await runExample(example, PACKAGES)).logged);
  }
  expect(logged.slice(0, 3)).toEqual(['2 left', '1 left', '0 left']);
  expect(logged[3]).toMatch(/^create-hour exceeded; retry in 3\d\d\d s$/);
  expect(logged[4]).toMatch(/^retry in 3\d\d\d s$/);
  expect(more).toEqual([]);
});
