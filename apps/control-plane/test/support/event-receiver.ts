import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Response of a receiver. */
export type Behavior = (response: ServerResponse) => void;

/** An HTTP server that receives events. */
export interface EventReceiver {
  url: string;
  received: ReceivedEvent[];
  /** Sets the behavior; 204 by default. */
  behave(behavior: Behavior): void;
  stop(): Promise<void>;
}

export const answering =
  (status: number, headers: Record<string, string> = {}): Behavior =>
  (response) => {
    response.writeHead(status, headers).end();
  };

export async function startEventReceiver(): Promise<EventReceiver> {
  const received: ReceivedEvent[] = [];
  let behavior = answering(204);
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    behavior(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave: (next) => {
      behavior = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
