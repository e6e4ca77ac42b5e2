import { type ClientReadableStream, status as STATUS } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Health, MAX_WATCHERS } from '../src/envoy/health.js';
import { SERVICES } from '../src/envoy/methods.js';
import { RlsClient } from './rls-client.js';
import { rlsPolicy } from './rls-policy.js';
import { ServedRls, useRunningRls } from './running-rls.js';

const [SERVICE] = SERVICES;

describe('Health/Watch', () => {
  const rls = useRunningRls(rlsPolicy);
  let isServing = true;
  const health = new Health(SERVICES, () => isServing);
  let served: ServedRls;

  beforeAll(async () => {
    served = await ServedRls.start(rls.running.plane, rls.running.token.token, { health });
  });
  afterAll(() => served?.stop());

  const say = (serving: boolean) => {
    isServing = serving;
    health.refresh();
  };
  const watch = (client: RlsClient, service: string) => client.watchHealth(service);
  const endOf = (stream: ClientReadableStream<object>) =>
    new Promise<number>((resolve) => stream.once('status', ({ code }) => resolve(code)));
  const next = (stream: ClientReadableStream<object>) =>
    new Promise<object>((resolve) => stream.once('data', resolve));

  it('sends the current status, then each change, to all watchers; without a token', async () => {
    const streams = ['', SERVICE ?? ''].map((service) => watch(served.client, service));
    const first = await Promise.all(streams.map(next));
    expect(first).toEqual([{ status: 'SERVING' }, { status: 'SERVING' }]);
    const second = Promise.all(streams.map(next));
    health.refresh(); // No change, no event.
    say(false);
    expect(await second).toEqual([{ status: 'NOT_SERVING' }, { status: 'NOT_SERVING' }]);
    const third = Promise.all(streams.map(next));
    say(true);
    expect(await third).toEqual([{ status: 'SERVING' }, { status: 'SERVING' }]);
    for (const stream of streams) stream.cancel();
  });

  it('reports SERVICE_UNKNOWN for an unknown service and stays open', async () => {
    const stream = watch(served.client, 'x.Y');
    expect(await next(stream)).toEqual({ status: 'SERVICE_UNKNOWN' });
    const ended = endOf(stream);
    stream.cancel();
    expect(await ended).toBe(STATUS.CANCELLED);
  });

  it('rejects watchers above the maximum until others leave', async () => {
    // A connection without an authorized call has 100 streams.
    const clients = Array.from(
      { length: 4 },
      () => new RlsClient(rls.address, rls.running.token.token, { 'grpc.use_local_subchannel_pool': 1 }),
    );
    const streams = Array.from({ length: MAX_WATCHERS }, (_, i) => watch(clients[i % 4] as RlsClient, ''));
    await Promise.all(streams.map(next));
    const refused = watch(rls.client, '');
    expect(await endOf(refused)).toBe(STATUS.RESOURCE_EXHAUSTED);
    for (const stream of streams) stream.cancel();
    const finds = async () => {
      const again = watch(rls.client, '');
      const said = await Promise.race([next(again), endOf(again)]);
      again.cancel();
      return said;
    };
    await expect.poll(finds).toEqual({ status: 'SERVING' });
    for (const client of clients) client.close();
  });

  it('a stopping server ends watch calls without waiting for them', async () => {
    const ending = await ServedRls.start(rls.running.plane, rls.running.token.token, { health });
    const stream = watch(ending.client, '');
    await next(stream);
    const ended = endOf(stream);
    await ending.server.close(60_000);
    expect(await ended).toBe(STATUS.UNAVAILABLE);
    await ending.stop();
  });
});
