import { afterEach, describe, expect, it, vi } from 'vitest';
import { AuthError } from '../../lib/auth-request.js';
import { signOut } from './api.js';

afterEach(() => vi.unstubAllGlobals());

describe('signOut', () => {
  it('fails when the session may still be open', async () => {
    vi.stubGlobal('fetch', async () => new Response('{}', { status: 500 }));
    await expect(signOut()).rejects.toThrow(AuthError);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(signOut()).rejects.toThrow(AuthError);
  });

  it('succeeds when the control plane ends the session', async () => {
    vi.stubGlobal('fetch', async () => new Response('{"success":true}'));
    await expect(signOut()).resolves.toBeUndefined();
  });
});
