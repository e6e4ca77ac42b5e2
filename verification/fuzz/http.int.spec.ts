import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { useRunningServer } from '../../apps/decision-api/test/running-server.js';
import { CALL, sendDamaged } from './http-fuzzer.ts';
import { framed } from './http-messages.ts';

/** `pnpm fuzz:http` sends many more; `IDLE_SOCKETS=9000 npx vitest run verification/fuzz` opens more. */
const MESSAGES = 400;
const SEED = inject('testSeed');
const IDLE = Number(process.env.IDLE_SOCKETS ?? 300);
const SLOW = 50;

describe('malformed messages', () => {
  const running = useRunningServer((relay) => ({
    limits: [
      {
        name: 'by-user',
        api: 'url-shortener',
        operations: [],
        per: ['user', 'ip'],
        onMissing: 'refuse',
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 1000,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  const port = () => Number(new URL(running.origin).port);
  const isServed = async () => (await running.post('/v1/peek', CALL)).status === 200;

  it(`${MESSAGES} malformed messages are answered or cut off without server faults, while others are served`, async () => {
    const { statuses, faults } = await sendDamaged({
      port: port(),
      token: running.token.token,
      messages: MESSAGES,
      seed: SEED,
    });
    expect(faults.slice(0, 3)).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(MESSAGES / 10);
    expect(await isServed()).toBe(true);
    console.log(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it(`${IDLE} idle and ${SLOW} slow connections do not block other clients`, async () => {
    const sockets: Socket[] = [];
    const open = async () => {
      const socket = connect(port(), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    try {
      while (sockets.length < IDLE) await open();
      const slow = await Promise.all(Array.from({ length: SLOW }, open));
      const text = framed(
        'POST',
        '/v1/limit',
        [`Authorization: Bearer ${running.token.token}`, 'Content-Type: application/json'],
        JSON.stringify(CALL),
      );
      for (let at = 0; at < 20; at++) {
        for (const socket of slow) socket.write(text[at] ?? '');
        expect(await isServed()).toBe(true);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }, 600_000);
});
