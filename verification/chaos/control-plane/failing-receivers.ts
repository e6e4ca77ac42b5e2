import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** Response of a receiver to the first attempts at an event; later ones get 204. */
type Misdeed = (request: IncomingMessage, response: ServerResponse) => void;

const MISDEEDS: Record<string, Misdeed> = {
  'answers 500': (_, response) => response.writeHead(500).end(),
  'answers 429': (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  redirects: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  resets: (request) => request.socket.resetAndDestroy(),
  hangs: () => undefined,
  'sends a byte a second': (request) => trickle(request.socket),
};

/** Number of failing attempts for every third event. */
const FAILURES = 2;

export interface Receiver {
  readonly path: string;
  readonly misdeed: string;
  secrets: string[];
  /** Number of deliveries by event id. */
  readonly attempts: Map<string, number>;
  readonly delivered: Set<string>;
}

/** Receivers of events, each with a different failure; the first has none. */
export class FailingReceivers {
  readonly receivers: Receiver[] = ['none', ...Object.keys(MISDEEDS)].map((misdeed, index) => ({
    path: `/hook-${index}`,
    misdeed,
    secrets: [],
    attempts: new Map(),
    delivered: new Set(),
  }));
  /** Attempts whose signature differs from the reference library's. */
  unverified = 0;
  /** Requests that followed a redirect. */
  followed = 0;
  private readonly server = createServer((request, response) => void this.receive(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const receiver = this.receivers.find(({ path }) => path === request.url);
    if (receiver === undefined) {
      this.followed++;
      response.writeHead(204).end();
      return;
    }
    const id = String(request.headers['webhook-id']);
    const attempt = (receiver.attempts.get(id) ?? 0) + 1;
    receiver.attempts.set(id, attempt);
    if (!isGenuine(request, body, receiver.secrets)) this.unverified++;
    const misdeed = MISDEEDS[receiver.misdeed];
    // The last characters of an id are random and select the failing events.
    const fails = Number.parseInt(id.slice(-4), 16) % 3 === 0;
    if (misdeed !== undefined && fails && attempt <= FAILURES) {
      misdeed(request, response);
      return;
    }
    receiver.delivered.add(id);
    response.writeHead(204).end();
  }
}

/** Whether one of the secrets produces one of the signatures in the reference library. */
function isGenuine(request: IncomingMessage, body: string, secrets: readonly string[]): boolean {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  } = request.headers;
  const at = new Date(Number(timestamp) * 1000);
  return secrets.some((secret) =>
    String(signatures)
      .split(' ')
      .includes(new Webhook(secret).sign(String(id), at, body)),
  );
}

function trickle(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket.write('x'), 1000);
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => clearInterval(timer));
}
