import { describe, expect, it, vi } from 'vitest';
import { applied, HandServer, passing, policy, request, reset, turn } from '../../test/hand-server.js';
import { useHandTime } from '../../test/hand-time.js';
import { BatchExpired } from '../scripts/decide.js';
import { eventLoop } from '../stores/clocks.js';
import type { StoreReply } from '../stores/decision-store.js';
import { ChargeJob } from './jobs.js';

const time = useHandTime();

describe('lane', () => {
  it('sends a single decision immediately, and all decisions of one turn together', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    void lane.charge(request);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1]);
    for (let i = 0; i < 5; i++) void lane.charge(request);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1, 5]);
    for (const call of server.calls) call.answer();
  });

  it('has at most two calls in flight; waiting decisions go with the next call, 256 at a time', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const replies: Promise<StoreReply>[] = [];
    for (let i = 0; i < 700; i++) replies.push(lane.charge(request));
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256]);
    server.calls[0]?.answer();
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256, 188]);
    for (const call of server.calls) call.answer();
    expect((await Promise.all(replies)).every((reply) => reply.available && reply.allowed)).toBe(true);
  });

  it('returns the reason without a connection, or after an error', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const failing = lane.charge(request);
    await turn();
    server.calls[0]?.fail(new Error('READONLY'));
    expect(await failing).toEqual({ available: false, reason: 'failed' });
    expect(server.failures).toEqual(['failed']);
    server.connected = false;
    expect(await lane.charge(request)).toEqual({ available: false, reason: 'disconnected' });
  });

  it('replies to waiting decisions when closed', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const replies = vi.fn();
    for (let i = 0; i < 600; i++) void lane.charge(request).then(replies);
    await turn();
    lane.close();
    await turn();
    expect(replies).toHaveBeenCalledTimes(600 - 512);
    for (const call of server.calls) call.answer();
  });

  it('does not report an error of the server for a call whose connection ended', async () => {
    const server = new HandServer();
    const reply = server.lane(1000).charge(request);
    await turn();
    server.connected = false;
    server.calls[0]?.fail(new Error('Connection is closed.'));
    expect(await reply).toEqual({ available: false, reason: 'disconnected' });
  });

  it('sends requests that cannot share a run in separate calls of one flight', async () => {
    const server = new HandServer();
    const lane = server.lane(1000, { split: (jobs) => jobs.map((job) => [job]) });
    const replies = Promise.all([lane.charge(request), lane.charge(request), lane.charge(request)]);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1, 1, 1]);
    server.calls[1]?.fail(new Error('one slot fails'));
    server.calls[0]?.answer();
    server.calls[2]?.answer();
    expect((await replies).map((reply) => reply.available)).toEqual([true, false, true]);
  });

  it('sends requests that a run did not decide in a general run of the same flight', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const checks = (n: number) => [{ key: `{acme}:${n}`, policy, cost: 1 }];
    const replies = Promise.all([1, 2, 3].map((n) => lane.charge({ ...request, checks: checks(n) })));
    await turn();
    expect(server.calls.map((call) => call.isGeneral)).toEqual([false]);
    server.calls[0]?.reply([undefined, passing, undefined]);
    await turn();
    expect(server.calls[1]).toMatchObject({
      isGeneral: true,
      requests: [{ checks: checks(1) }, { checks: checks(3) }],
    });
    server.calls[1]?.answer();
    expect((await replies).map((reply) => reply.available)).toEqual([true, true, true]);
  });

  it('repeats only the part of a run that expired', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const checks = (n: number) => [{ key: `{acme}:${n}`, policy, cost: 1 }];
    const replies = Promise.all([1, 2].map((n) => lane.charge({ ...request, checks: checks(n) })));
    await turn();
    server.calls[0]?.reply([passing, undefined]);
    await turn();
    server.calls[1]?.fail(new BatchExpired(1));
    await turn();
    expect(server.calls[2]).toMatchObject({ isGeneral: true, requests: [{ checks: checks(2) }] });
    server.calls[2]?.answer();
    expect((await replies).map((reply) => reply.available)).toEqual([true, true]);
  });

  it('hands over redirected jobs', async () => {
    const [other, server] = [new HandServer(), new HandServer()];
    const target = other.lane(1000);
    const lane = server.lane(1000, {
      redirect: (jobs) => jobs.map((job) => target.enqueue(job.withRoute('asking'))).length > 0,
    });
    const reply = lane.charge(request);
    await turn();
    server.calls[0]?.fail(new Error('ASK 1 127.0.0.1:7000'));
    await turn();
    expect(other.calls.map((call) => call.route)).toEqual(['asking']);
    other.calls[0]?.answer();
    expect(await reply).toMatchObject({ available: true });
    expect(server.failures).toEqual([]);
  });

  it('sends late redirected jobs in runs of at most 256', async () => {
    const server = new HandServer();
    const lane = server.lane(5000);
    const sinceMs = eventLoop.runningMs() - 2000;
    for (let i = 0; i < 600; i++) void lane.charge(request, sinceMs);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256, 88]);
    for (const call of server.calls) call.answer();
  });

  it('sends no more keys per run than a script can read at once', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const checks = Array.from({ length: 32 }, (_, i) => ({ key: `{acme}:${i}`, policy, cost: 1 }));
    for (let i = 0; i < 256; i++) void lane.charge({ ...request, checks });
    await turn();
    for (const { requests } of server.calls) expect(requests.length * 33).toBeLessThanOrEqual(4000);
    for (const call of server.calls) call.answer();
  });
});

describe('lane with late calls', () => {
  it('a late call gets a reply with all that wait, and nothing is sent until it returns', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const replies = [lane.charge(request)];
    await turn();
    time.advanceMs(1);
    replies.push(lane.charge(request));
    await turn();
    replies.push(lane.charge(request));
    time.advanceMs(18);
    expect(server.failures).toEqual([]);
    time.advanceMs(1);
    expect(await replies[0]).toEqual({ available: false, reason: 'deadline' });
    expect(await replies[2]).toEqual({ available: false, reason: 'suspended' });
    time.advanceMs(1);
    expect(await replies[1]).toEqual({ available: false, reason: 'deadline' });
    expect(await lane.charge(request)).toEqual({ available: false, reason: 'suspended' });
    expect(server.calls).toHaveLength(2);
    for (const call of server.calls) call.answer();
    await turn();
    const resumed = lane.charge(request);
    await turn();
    expect(server.calls).toHaveLength(3);
    server.calls[2]?.answer();
    expect(await resumed).toMatchObject({ available: true });
  });

  it('uses a reply that arrived during a pause of this process', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const reply = lane.charge(request);
    await turn();
    time.blockMs(60);
    server.calls[0]?.answer();
    expect(await reply).toMatchObject({ available: true });
    expect(server.failures).toEqual([]);
  });

  it('keeps working under a load that never empties the queue, for many times the deadline', async () => {
    const server = new HandServer();
    const lane = server.lane(50);
    const endMs = time.nowMs() + 300;
    const told = { available: 0, unavailable: 0 };
    const caller = async () => {
      while (time.nowMs() < endMs)
        told[(await lane.charge(request)).available ? 'available' : 'unavailable']++;
    };
    const callers = Promise.all(Array.from({ length: 1500 }, caller));
    // The server answers every 3 ms; the last 1,500 requests take six calls.
    while (time.nowMs() < endMs + 30) {
      await turn();
      time.advanceMs(3);
      for (const call of server.calls.splice(0)) call.answer();
    }
    await callers;
    expect(told.unavailable).toBe(0);
    expect(told.available).toBeGreaterThan(10 * 1500);
  });

  it("sends the deadline in the server's time, once that is known", async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const first = lane.charge(request);
    await turn();
    expect(server.calls[0]?.options).toEqual({});
    const serverNowUs = 5_000_000_000_000_000;
    server.calls[0]?.answer(serverNowUs);
    await first;
    void lane.charge(request);
    await turn();
    // 2 ms less, because a timer may fire early, and 0.05 % less, because clocks differ.
    expect(server.calls[1]?.options.expiresAtUs).toBe(serverNowUs + 998_000 - 499);
    server.calls[1]?.answer();
  });

  it('retries a call once if the server rejected it as expired with time left', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    const [good, hopeless] = [lane.charge(request), turn().then(() => lane.charge(request))];
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

  it('counts no time in which the process itself delays calls against the server', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const replies = [lane.charge(request), turn().then(() => lane.charge(request))];
    await turn();
    await turn();
    replies.push(lane.charge(request));
    for (let attempt = 0; attempt < 3; attempt++) {
      const calls = server.calls.slice(-2);
      time.blockMs(60);
      // The server replied immediately, but received the calls late.
      for (const call of calls) call.fail(new BatchExpired(7_000_000 + attempt));
      await turn();
    }
    expect(server.calls).toHaveLength(8);
    for (const call of server.calls.slice(-2)) call.answer();
    await turn();
    // A check of deadlines, which the third decision's own wait would have missed.
    time.advanceMs(5);
    server.calls[8]?.answer();
    expect((await Promise.all(replies)).map((reply) => reply.available)).toEqual([true, true, true]);
    expect(server.failures).toEqual([]);
  });

  it('sheds a call that the process delayed for a second, because it is no evidence against Redis', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const reply = lane.charge(request);
    await turn();
    for (let attempt = 1; attempt <= 4; attempt++) {
      expect(server.calls).toHaveLength(attempt);
      time.blockMs(250);
      server.calls[attempt - 1]?.fail(new BatchExpired(7_000_000 + attempt));
      await turn();
    }
    expect(await reply).toEqual({ available: false, reason: 'overloaded' });
  });

  it('is not suspended by a job that arrived with half its time used', async () => {
    const server = new HandServer();
    const lane = server.lane(50);
    const old = lane.charge(request, eventLoop.runningMs() - 25);
    await turn();
    time.advanceMs(25);
    expect(await old).toEqual({ available: false, reason: 'deadline' });
    const own = lane.charge(request);
    await turn();
    server.calls[1]?.answer();
    expect(await own).toMatchObject({ available: true });
    server.calls[0]?.answer();
  });

  it('replies to a job without time left instead of redirecting it forever', async () => {
    const server = new HandServer();
    const resolve = vi.fn();
    server.lane(20).enqueue(new ChargeJob(request, resolve, eventLoop.runningMs() - 20).withRoute('owner'));
    await turn();
    time.advanceMs(0);
    expect(resolve).toHaveBeenCalledWith({ available: false, reason: 'deadline' });
    server.calls[0]?.answer();
  });

  it('opens its breaker when calls are repeatedly late, although each returns', async () => {
    const server = new HandServer();
    const lane = server.lane(5);
    // 400 ms of a second.
    for (let round = 0; round < 10; round++) {
      const reply = lane.charge(request);
      await turn();
      time.advanceMs(40);
      expect(await reply).toEqual({ available: false, reason: 'deadline' });
      server.calls[round]?.answer();
      await turn();
    }
    expect(await lane.charge(request)).toEqual({ available: false, reason: 'open' });
    expect(await lane.amend(reset)).toEqual({ available: false, reason: 'open' });
  });

  it('does not open its breaker after one late call, however long it took', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const late = lane.charge(request);
    await turn();
    time.advanceMs(60_000);
    expect(await late).toEqual({ available: false, reason: 'deadline' });
    expect(await lane.charge(request)).toEqual({ available: false, reason: 'suspended' });
    server.calls[0]?.answer();
    await turn();
    const resumed = lane.charge(request);
    await turn();
    server.calls[1]?.answer();
    expect(await resumed).toMatchObject({ available: true });
  });
});

describe('lane with amendments', () => {
  it('sends 64 amendments at once beside decisions, each with a deadline from when it is sent', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const answers: (() => void)[] = [];
    server.sendAmendment = () => new Promise((resolve) => answers.push(() => resolve(applied)));
    const replies = Array.from({ length: 100 }, () => lane.amend(reset));
    await turn();
    expect(answers).toHaveLength(64);
    const decided = lane.charge(request);
    await turn();
    server.calls[0]?.answer();
    expect(await decided).toMatchObject({ available: true });
    time.advanceMs(20);
    for (const reply of replies.slice(0, 64))
      expect(await reply).toEqual({ available: false, reason: 'deadline' });
    // The waiting ones are not affected.
    for (const answer of answers.splice(0)) answer();
    await turn();
    expect(answers).toHaveLength(36);
    for (const answer of answers) answer();
    for (const reply of replies.slice(64)) expect(await reply).toEqual(applied);
  });

  it('a late amendment gets a reply without it, and decisions continue', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    server.sendAmendment = () => new Promise(() => undefined);
    const late = lane.amend(reset);
    await turn();
    time.advanceMs(20);
    expect(await late).toEqual({ available: false, reason: 'deadline' });
    const decided = lane.charge(request);
    await turn();
    server.calls[0]?.answer();
    expect(await decided).toMatchObject({ available: true });
  });

  it('an amendment that cannot be sent for a second gets a reply and is never sent', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    let sent = 0;
    server.sendAmendment = () => {
      sent++;
      return new Promise(() => undefined);
    };
    const replies = Array.from({ length: 70 }, () => lane.amend(reset));
    await turn();
    time.advanceMs(1000);
    for (const reply of await Promise.all(replies))
      expect(reply).toEqual({ available: false, reason: 'deadline' });
    expect(sent).toBe(64);
  });

  it('amendments that wait for a late decision are sent when it returns; new ones are rejected', async () => {
    const server = new HandServer();
    const lane = server.lane(20);
    const answers: (() => void)[] = [];
    server.sendAmendment = () => new Promise((resolve) => answers.push(() => resolve(applied)));
    const replies = Array.from({ length: 70 }, () => lane.amend(reset));
    const late = lane.charge(request);
    await turn();
    time.advanceMs(20);
    expect(await late).toEqual({ available: false, reason: 'deadline' });
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

  it('replies to waiting amendments when closed', async () => {
    const server = new HandServer();
    const lane = server.lane(1000);
    server.sendAmendment = () => new Promise(() => undefined);
    const replies = Array.from({ length: 65 }, () => lane.amend(reset));
    await turn();
    lane.close();
    expect(await replies[64]).toEqual({ available: false, reason: 'disconnected' });
  });
});
