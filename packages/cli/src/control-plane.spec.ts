import { afterEach, expect, it, vi } from 'vitest';
import { ControlPlane } from './control-plane.js';

const URL = 'http://127.0.0.1:1/graphql';

afterEach(() => vi.unstubAllGlobals());

it.each([
  [false, 'The change may still be applied: run tollgate config diff to find out.'],
  [true, 'Try again.'],
])('says what to do after a timeout (dry run: %s)', async (dryRun, advice) => {
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('Too late.', 'TimeoutError')));
  const applied = new ControlPlane({ url: URL, token: 'secret' }).apply({}, { mode: 'APPLY', dryRun });
  await expect(applied).rejects.toThrow(`${URL} has not answered within 180 s. ${advice}`);
});
