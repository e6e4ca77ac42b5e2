import { describe, expect, it } from 'vitest';
import { RlsFuzzer } from '../fuzz/rls-fuzzer.ts';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** `pnpm fuzz:grpc` sends many more. */
const CALLS = 3000;

describe(`damaged calls (seed ${SEED}; FUZZ_SEED repeats it)`, () => {
  const rls = useRunningRls(rlsPolicy);

  it(`${CALLS} of them each end with a status that says what is wrong, and the door goes on`, async () => {
    const { endings, unexplained } = await new RlsFuzzer(rls.address, rls.door.token.token, SEED).run(CALLS);
    expect(unexplained, JSON.stringify([...endings])).toEqual([]);
    expect(endings.get('0') ?? 0).toBeGreaterThan(100);
    expect(endings.get('3') ?? 0).toBeGreaterThan(100);
    const fine = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };
    expect(await rls.client.ask(fine)).toMatchObject({ overall_code: 'OK' });
  });
});
