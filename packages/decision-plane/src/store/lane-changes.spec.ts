import { describe, expect, it } from 'vitest';
import { applied, HandServer, request, reset, turn } from '../../test/hand-server.js';

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
