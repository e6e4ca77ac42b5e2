import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Backlog } from '../backlog.ts';

/** Result of a request, and when it was sent: not before a connection was free. */
export type OnAnswer = (status: number, sentMs: number) => void;

/** One connection that sends one request at a time, with as little work as a client can do. */
class RawConnection {
  private onAnswer: OnAnswer | undefined;
  private readonly socket: Socket;
  private rest = '';
  private sentMs = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.read(chunk.toString('latin1')));
    socket.on('error', () => this.answered(0));
    socket.on('close', () => this.answered(0));
  }

  get isOpen(): boolean {
    return this.socket.writable;
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    this.onAnswer = onAnswer;
    this.sentMs = performance.now();
    this.socket.write(request);
  }

  destroy(): void {
    this.onAnswer = undefined;
    this.socket.destroy();
  }

  private read(text: string): void {
    const all = this.rest + text;
    const headEnd = all.indexOf('\r\n\r\n');
    const length = headEnd < 0 ? undefined : /content-length: (\d+)/i.exec(all)?.[1];
    if (length === undefined || all.length < headEnd + 4 + Number(length)) {
      this.rest = all;
      return;
    }
    this.rest = '';
    this.answered(Number(all.slice(9, 12)));
  }

  private answered(status: number): void {
    const { onAnswer } = this;
    this.onAnswer = undefined;
    onAnswer?.(status, this.sentMs);
  }
}

/** Connections that are kept; requests wait for a free one, in order. */
export class RawClient {
  private readonly free: RawConnection[] = [];
  private readonly all: RawConnection[] = [];
  private readonly waiting = new Backlog<{ request: Buffer; onAnswer: OnAnswer }>();

  private readonly port: number;

  private constructor(port: number) {
    this.port = port;
  }

  static async open(port: number, connections: number): Promise<RawClient> {
    const client = new RawClient(port);
    for (let i = 0; i < connections; i++) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const connection = new RawConnection(socket);
      client.all.push(connection);
      client.free.push(connection);
    }
    return client;
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    // Round robin: the server closes connections that idle for long, and requests sent then are lost.
    const connection = this.free.shift();
    if (connection === undefined) this.waiting.push({ request, onAnswer });
    else this.sendOn(connection, request, onAnswer);
  }

  close(): void {
    for (const connection of this.all) connection.destroy();
  }

  private sendOn(connection: RawConnection, request: Buffer, onAnswer: OnAnswer): void {
    connection.send(request, (status, sentMs) => {
      onAnswer(status, sentMs);
      if (!connection.isOpen) return this.replace();
      const next = this.waiting.shift();
      if (next === undefined) this.free.push(connection);
      else this.sendOn(connection, next.request, next.onAnswer);
    });
  }

  /** Servers may close kept connections: open another one. */
  private replace(): void {
    const connection = new RawConnection(connect(this.port, '127.0.0.1'));
    this.all.push(connection);
    const next = this.waiting.shift();
    if (next === undefined) this.free.push(connection);
    else this.sendOn(connection, next.request, next.onAnswer);
  }
}
