import { describe, expect, it, vi } from 'vitest';
import { applied, HandServer, passing, policy, request, reset, turn } from '../../../test/hand-server.js';
import { BatchExpired } from '../../scripts/decide.js';
import { eventLoop } from '../clocks.js';
import type { StoreReply } from '../decision-store.js';
import { DecideJob } from './jobs.js';
import { Lane } from './lane.js';

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
      redirect: (jobs) => jobs.map((job) => target.enqueue(job.withRoute('asking'))).length > 0,
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
    const resolve = vi.fn();
    server.lane(20).enqueue(new DecideJob(request, resolve, eventLoop.runningMs() - 20).withRoute('owner'));
    await vi.waitUntil(() => resolve.mock.calls.length > 0);
    expect(resolve).toHaveBeenCalledWith({ available: false, reason: 'deadline' });
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

describe('a lane that sends changes', () => {
  it('sends 64 changes at once, beside decisions, each by a deadline of its own from when it is sent', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const answers: (() => void)[] = [];
    server.sendAmendment = () => new Promise((resolve) => answers.push(() => resolve(applied)));
    const replies = Array.from({ length: 100 }, () => lane.amend(reset));
    await turn();
    expect(answers).toHaveLength(64);
    const decided = lane.decide(request);
    await turn();
    server.calls[0]?.answer();
    expect(await decided).toMatchObject({ available: true });
    for (const reply of replies.slice(0, 64))
      expect(await reply).toEqual({ available: false, reason: 'deadline' });
    // Those that waited have not lost anything by it.
    for (const answer of answers.splice(0)) answer();
    await turn();
    expect(answers).toHaveLength(36);
    for (const answer of answers) answer();
    for (const reply of replies.slice(64)) expect(await reply).toEqual(applied);
  });

  it('a change that is late is answered without it, and decisions go on', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    server.sendAmendment = () => new Promise(() => undefined);
    expect(await lane.amend(reset)).toEqual({ available: false, reason: 'deadline' });
    const decided = lane.decide(request);
    await turn();
    server.calls[0]?.answer();
    expect(await decided).toMatchObject({ available: true });
  });

  it('a change that cannot be sent for a second is answered, and never sent', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    let sent = 0;
    server.sendAmendment = () => {
      sent++;
      return new Promise(() => undefined);
    };
    const replies = await Promise.all(Array.from({ length: 70 }, () => lane.amend(reset)));
    for (const reply of replies) expect(reply).toEqual({ available: false, reason: 'deadline' });
    expect(sent).toBe(64);
  });

  it('changes that wait when a decision is late are sent when it is answered; those that come are refused', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const answers: (() => void)[] = [];
    server.sendAmendment = () => new Promise((resolve) => answers.push(() => resolve(applied)));
    const replies = Array.from({ length: 70 }, () => lane.amend(reset));
    expect(await lane.decide(request)).toEqual({ available: false, reason: 'deadline' });
    expect(await lane.amend(reset)).toEqual({ available: false, reason: 'suspended' });
    for (const answer of answers) answer();
    await turn();
    expect(answers).toHaveLength(64);
    server.calls[0]?.answer();
    await turn();
    expect(answers).toHaveLength(70);
    for (const answer of answers) answer();
    for (const reply of replies.slice(64)) expect(await reply).toEqual(applied);
  });

  it('answers the changes that wait when it is closed', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    server.sendAmendment = () => new Promise(() => undefined);
    const replies = Array.from({ length: 65 }, () => lane.amend(reset));
    await turn();
    lane.close();
    expect(await replies[64]).toEqual({ available: false, reason: 'disconnected' });
  });
});
