import { afterEach, expect, it } from 'vitest';
import { forgetSession, loadChunk, queryClient } from './query-client.js';

afterEach(() => queryClient.clear());

it('forgets the data of a session that ended, and goes on loading a chunk', async () => {
  const { promise, resolve } = Promise.withResolvers<{ page: string }>();
  const loading = loadChunk(() => promise);
  queryClient.setQueryData(['tenants'], ['acme']);
  forgetSession(queryClient);
  resolve({ page: 'home' });
  expect(await loading).toEqual({ page: 'home' });
  expect(queryClient.getQueryData(['tenants'])).toBeUndefined();
});
