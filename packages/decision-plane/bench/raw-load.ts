import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { StoreRequest } from '@tollgate/decision-plane/internals';
import { encodeBatch } from '#src/scripts/decide.js';

/**
 * Sends calls of the decide script that were encoded before, over a bare socket, and reads of each reply only how long it
 * is: what is left is the server's own work, as near as one process can come to it.
 */
export class RawLoad {
  private readonly waiting: (() => void)[] = [];
  private unread: Buffer = Buffer.alloc(0);

  private readonly socket: Socket;
  private readonly calls: readonly Buffer[];

  private constructor(socket: Socket, calls: readonly Buffer[]) {
    this.socket = socket;
    this.calls = calls;
    socket.on('data', (bytes) => this.read(bytes));
  }

  static async open(port: number, calls: readonly Buffer[]): Promise<RawLoad> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawLoad(socket, calls);
  }

  /** Resolves when the reply to the call is here. @param n which call; they repeat */
  send(n: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.socket.write(this.calls[n % this.calls.length] as Buffer);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(bytes: Buffer): void {
    this.unread = this.unread.length === 0 ? bytes : Buffer.concat([this.unread, bytes]);
    for (;;) {
      const end = this.unread.indexOf('\r\n');
      if (end === -1) return;
      if (this.unread[0] !== 0x24) throw new Error(this.unread.toString('latin1', 0, end));
      const next = end + 4 + Number(this.unread.toString('latin1', 1, end));
      if (this.unread.length < next) return;
      this.unread = this.unread.subarray(next);
      this.waiting.shift()?.();
    }
  }
}

/** The bytes of a call that decides `requests`. @param sha the script's, which the server knows */
export function encodeCall(sha: string, requests: readonly StoreRequest[]): Buffer {
  const { keys, payload } = encodeBatch(requests);
  const words = ['EVALSHA', sha, String(keys.length), ...keys, payload, '', ''];
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.from(word);
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}
