import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Words of a Redis command as it is sent. */
export function encodeCommand(words: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.from(word);
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/**
 * Sends encoded calls over a plain socket and reads only the length of each reply, which must be a string. This isolates
 * the server's work as far as possible from one process.
 */
export class RawLoad {
  private readonly waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
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

  /** Resolves when the call's reply has arrived. @param n number of the call; calls repeat. @throws Error the reply */
  send(n: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
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
      if (this.unread[0] !== 0x24) {
        this.waiting.shift()?.reject(new Error(this.unread.toString('latin1', 0, end)));
        this.unread = this.unread.subarray(end + 2);
        continue;
      }
      const next = end + 4 + Number(this.unread.toString('latin1', 1, end));
      if (this.unread.length < next) return;
      this.unread = this.unread.subarray(next);
      this.waiting.shift()?.resolve();
    }
  }
}
