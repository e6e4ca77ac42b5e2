import { describe, expect, it, vi } from 'vitest';
import { applied, HandServer, passing, request, reset, turn } from '../../test/hand-server.js';
import { BatchExpired } from '../scripts/decide.js';
import { eventLoop } from './event-loop.js';
import { Lane } from './lane.js';
import { DecideJob } from './lane-job.js';

describe('a lane whose calls are late', () => {
  it('a late call answers its own and all that wait, and nothing is sent until it comes back', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const [first, second] = [lane.decide(request), turn().then(() => lane.decide(request))];
    await turn();
    const waiting = turn().then(() => lane.decide(request));
    expect(await first).toEqual({ available: false, reason: 'deadline' });
    expect(await second).toMatchObject({ available: false });
    expect(await waiting).toMatchObject({ available: false });
    expect(await lane.decide(request)).toEqual({ available: false, reason: 'suspended' });
    const sent = server.calls.length;
    expect(sent).toBeLessThanOrEqual(2);
    for (const call of server.calls) call.answer();
    await turn();
    const resumed = lane.decide(request);
    await turn();
    expect(server.calls).toHaveLength(sent + 1);
    server.calls.at(-1)?.answer();
    expect(await resumed).toMatchObject({ available: true });
  });

  it('an answer that lies unread after a pause of our own is used, however late we look', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const reply = lane.decide(request);
    await turn();
    // Stands for the socket: what arrived during the pause is read in the turn after the timer.
    setTimeout(() => server.calls[0]?.answer(), 0);
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(await reply).toMatchObject({ available: true });
    expect(server.failures).toEqual([]);
  });

  it('goes on under a load that never lets the queue run empty, for many times the deadline', async () => {
    const lane = new Lane({
      deadlineMs: 50,
      isConnected: () => true,
      onFailure: () => undefined,
      sendAmendment: () => Promise.resolve(applied),
      send: async (requests) => {
        await new Promise((resolve) => setTimeout(resolve, 3));
        return requests.map(() => passing);
      },
    });
    // The clock stands still while the machine works: what is asked is the order of the queue, not its speed.
    vi.useFakeTimers();
    try {
      const endMs = performance.now() + 300;
      const told = { available: 0, unavailable: 0 };
      const caller = async () => {
        while (performance.now() < endMs)
          told[(await lane.decide(request)).available ? 'available' : 'unavailable']++;
      };
      const callers = Promise.all(Array.from({ length: 1500 }, caller));
      await vi.advanceTimersByTimeAsync(400);
      await callers;
      expect(told.unavailable).toBe(0);
      expect(told.available).toBeGreaterThan(10 * 1500);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells the server when nobody waits any more, in its own time, once that is known', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const first = lane.decide(request);
    await turn();
    expect(server.calls[0]?.options).toEqual({});
    const serverNowUs = 5_000_000_000_000_000;
    server.calls[0]?.answer(serverNowUs);
    await first;
    void lane.decide(request);
    await turn();
    const expiresAtUs = server.calls[1]?.options.expiresAtUs ?? 0;
    expect(expiresAtUs).toBeGreaterThan(serverNowUs);
    expect(expiresAtUs).toBeLessThanOrEqual(serverNowUs + 1_100_000);
    server.calls[1]?.answer();
  });

  it('sends once more what was refused as too late with time left, and no more than once', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const [good, hopeless] = [lane.decide(request), turn().then(() => lane.decide(request))];
    await turn();
    await turn();
    for (const call of server.calls.slice(0, 2)) call.fail(new BatchExpired(7_000_000));
    await turn();
    expect(server.calls).toHaveLength(4);
    server.calls[2]?.answer();
    server.calls[3]?.fail(new BatchExpired(7_000_001));
    expect(await good).toMatchObject({ available: true, allowed: true });
    expect(await hopeless).toEqual({ available: false, reason: 'deadline' });
    expect(server.calls).toHaveLength(4);
  });

  it('is not suspended by a job that came with its time half gone', async () => {
    const server = new HandServer();
    const lane = server.lane(50);
    const old = lane.decide(request, eventLoop.runningMs() - 25);
    await turn();
    expect(await old).toEqual({ available: false, reason: 'deadline' });
    const own = lane.decide(request);
    await turn();
    server.calls[1]?.answer();
    expect(await own).toMatchObject({ available: true });
    server.calls[0]?.answer();
  });

  it('a job that comes with no time left is answered, not sent on for ever', async () => {
    const server = new HandServer();
    const settle = vi.fn();
    server.lane(20).enqueue(new DecideJob(request, settle, eventLoop.runningMs() - 20).sentOn('owner'));
    await vi.waitUntil(() => settle.mock.calls.length > 0);
    expect(settle).toHaveBeenCalledWith({ available: false, reason: 'deadline' });
    server.calls[0]?.answer();
  });

  it('opens its breaker when calls come late again and again, though each is answered', async () => {
    const lane = new Lane({
      deadlineMs: 5,
      isConnected: () => true,
      onFailure: () => undefined,
      sendAmendment: () => Promise.resolve(applied),
      send: async (requests) => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        return requests.map(() => passing);
      },
    });
    const reasons = new Set<string>();
    while (!reasons.has('open')) {
      const reply = await lane.decide(request);
      reasons.add(reply.available ? 'available' : reply.reason);
      await turn();
    }
    expect(reasons).toContain('deadline');
    expect(await lane.amend(reset)).toEqual({ available: false, reason: 'open' });
  });
});
