import { describe, expect, inject, it } from 'vitest';
import { descriptor, rlsPolicy } from '../../apps/decision-api/test/rls-policy.js';
import { useRunningRls } from '../../apps/decision-api/test/running-rls.js';
import { RlsFuzzer } from './rls-fuzzer.ts';

const SEED = inject('testSeed');

/** `pnpm fuzz:grpc` sends many more. */
const CALLS = 3000;

describe('damaged calls', () => {
  const rls = useRunningRls(rlsPolicy);
  const fine = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };

  it(`${CALLS} damaged calls each end with an explaining status, and the server continues`, async () => {
    const { endings, unexplained } = await new RlsFuzzer(rls.address, rls.running.token.token, SEED).run(
      CALLS,
    );
    expect(unexplained, JSON.stringify([...endings])).toEqual([]);
    expect(endings.get('0') ?? 0).toBeGreaterThan(100);
    expect(endings.get('3') ?? 0).toBeGreaterThan(100);
    expect(endings.get('watched') ?? 0).toBeGreaterThan(10);
    expect(await rls.client.ask(fine)).toMatchObject({ overall_code: 'OK' });
  });
});
