import { describe, expect, it, vi } from 'vitest';
import { HandServer, policy, request, turn } from '../../test/hand-server.js';
import type { StoreReply } from './decision-store.js';
import { eventLoop } from './event-loop.js';

describe('a lane', () => {
  it('sends a lone decision at once, and what is asked for in one turn together', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    void lane.decide(request);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1]);
    for (let i = 0; i < 5; i++) void lane.decide(request);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1, 5]);
    for (const call of server.calls) call.answer();
  });

  it('has two calls in flight at most; what waits goes with the next, 256 at a time', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const replies: Promise<StoreReply>[] = [];
    for (let i = 0; i < 700; i++) replies.push(lane.decide(request));
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256]);
    server.calls[0]?.answer();
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256, 188]);
    for (const call of server.calls) call.answer();
    expect((await Promise.all(replies)).every((reply) => reply.available && reply.allowed)).toBe(true);
  });

  it('without a connection, or after an error, says so', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const failing = lane.decide(request);
    await turn();
    server.calls[0]?.fail(new Error('READONLY'));
    expect(await failing).toEqual({ available: false, reason: 'failed' });
    expect(server.failures).toEqual(['failed']);
    server.connected = false;
    expect(await lane.decide(request)).toEqual({ available: false, reason: 'disconnected' });
  });

  it('answers what still waits when it is closed', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const replies = vi.fn();
    for (let i = 0; i < 600; i++) void lane.decide(request).then(replies);
    await turn();
    lane.close();
    await turn();
    expect(replies).toHaveBeenCalledTimes(600 - 512);
    for (const call of server.calls) call.answer();
  });

  it('a call that its connection ended is not answered by an error of the server', async () => {
    const server = new HandServer();
    const reply = server.lane(1000).decide(request);
    await turn();
    server.connected = false;
    server.calls[0]?.fail(new Error('Connection is closed.'));
    expect(await reply).toEqual({ available: false, reason: 'disconnected' });
  });

  it('sends requests that cannot travel together in calls of their own, of one flight', async () => {
    const server = new HandServer();
    const lane = server.lane(1000, { split: (jobs) => jobs.map((job) => [job]) });
    const replies = Promise.all([lane.decide(request), lane.decide(request), lane.decide(request)]);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1, 1, 1]);
    server.calls[1]?.fail(new Error('one slot is in trouble'));
    server.calls[0]?.answer();
    server.calls[2]?.answer();
    expect((await replies).map((reply) => reply.available)).toEqual([true, false, true]);
  });

  it('hands over what the server sends elsewhere', async () => {
    const [other, server] = [new HandServer(), new HandServer()];
    const target = other.lane(1000);
    const lane = server.lane(1000, {
      redirect: (jobs) => jobs.map((job) => target.enqueue(job.sentOn('asking'))).length > 0,
    });
    const reply = lane.decide(request);
    await turn();
    server.calls[0]?.fail(new Error('ASK 1 127.0.0.1:7000'));
    await turn();
    expect(other.calls.map((call) => call.route)).toEqual(['asking']);
    other.calls[0]?.answer();
    expect(await reply).toMatchObject({ available: true });
    expect(server.failures).toEqual([]);
  });

  it('sends what came late from elsewhere in runs of 256 at most', async () => {
    const server = new HandServer();
    const lane = server.lane(5000);
    const sinceMs = eventLoop.runningMs() - 2000;
    for (let i = 0; i < 600; i++) void lane.decide(request, sinceMs);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256, 88]);
    for (const call of server.calls) call.answer();
  });

  it('sends no more keys in a run than a script can read at once', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const checks = Array.from({ length: 32 }, (_, i) => ({ key: `{acme}:${i}`, policy, cost: 1 }));
    for (let i = 0; i < 256; i++) void lane.decide({ ...request, checks });
    await turn();
    for (const { requests } of server.calls) expect(requests.length * 33).toBeLessThanOrEqual(4000);
    for (const call of server.calls) call.answer();
  });
});
