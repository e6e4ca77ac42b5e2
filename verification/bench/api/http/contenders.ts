import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startOnPort, startOwnedService } from '@tollgate/embedded';
import { family } from './process-figures.ts';

/** Callers of a closed loop. */
export const CONNECTIONS = 64;

/** A server that is measured. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  /** Its processes. */
  pids(): number[];
  /** The next request to send. */
  request(): Buffer;
  /** Process id of its Redis; undefined: none. */
  redisPid?: number;
  /** Callers of a closed loop; left out: {@link CONNECTIONS}. */
  connections?: number;
  stop(): Promise<void>;
}

export interface Commanded {
  readonly port: number;
  /** If the program serves metrics. */
  readonly metricsPort?: number | undefined;
  /** If the program serves gRPC. */
  readonly rlsPort?: number | undefined;
  readonly pids: () => number[];
  readonly stop: () => Promise<void>;
}

const fileOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Requests as bytes, one after the other. */
export function requestsOf(
  pathname: string,
  token: string,
  bodies: readonly object[],
  /** Further header lines of the nth request. */
  headers: (n: number) => string = () => '',
): () => Buffer {
  const texts = bodies.map((body, n) => {
    const text = JSON.stringify(body);
    return Buffer.from(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(text)}\r\n${headers(n)}\r\n${text}`,
    );
  });
  return inTurn(texts);
}

export function inTurn(requests: readonly Buffer[]): () => Buffer {
  let next = 0;
  return () => requests[next++ % requests.length] as Buffer;
}

/** The decision API as it is built. @param checkout another built checkout of this repository */
export function startDecisionApi(env: Record<string, string>, checkout?: string): Promise<Commanded> {
  const entry =
    checkout === undefined
      ? fileOf('../../../../apps/decision-api/dist/main.js')
      : path.resolve(checkout, 'apps/decision-api/dist/main.js');
  return startCommand(process.execPath, [entry], env, 'decision API listening');
}

export function startBareServer(processes: number, answer: string, headers: object): Promise<Commanded> {
  const args = [fileOf('./bare-server.ts'), String(processes), answer, JSON.stringify(headers)];
  return startCommand(process.execPath, args, {});
}

/** nginx's own rate limit; undefined if nginx is not installed. */
export function startNginxLimit(answer: string): Promise<Commanded | undefined> {
  return startConfigured('nginx', (port, home) => ({
    args: ['-p', home, '-e', 'stderr', '-c'],
    config: `daemon off; worker_processes 1; pid ${home}/pid; events { worker_connections 2048; }
http {
  access_log off; client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f;
  uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s; keepalive_requests 1000000000;
  limit_req_zone $http_authorization zone=z:10m rate=1000000r/s;
  server {
    listen 127.0.0.1:${port};
    location / { limit_req zone=z burst=1000000 nodelay; try_files /none @ok; }
    location @ok { default_type application/json; return 200 '${answer}'; }
  }
}`,
  }));
}

/** HAProxy's stick tables; undefined if HAProxy is not installed. */
export function startHaproxyLimit(answer: string): Promise<Commanded | undefined> {
  return startConfigured('haproxy', (port, home) => {
    writeFileSync(path.join(home, 'answer.json'), answer);
    return {
      args: ['-db', '-f'],
      config: `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 1s
frontend f
  bind 127.0.0.1:${port}
  stick-table type string len 64 size 100k expire 1m store http_req_rate(60s)
  http-request track-sc0 req.hdr(authorization)
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1000000000 }
  http-request return status 200 content-type application/json file ${home}/answer.json
`,
    };
  });
}

async function startConfigured(
  command: string,
  configure: (port: number, home: string) => { args: string[]; config: string },
): Promise<Commanded | undefined> {
  if (spawnSync(command, ['-v']).status !== 0) return undefined;
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-'));
  const file = path.join(home, 'config');
  const server = await startOnPort(undefined, (port) => {
    const { args, config } = configure(port, home);
    writeFileSync(file, config);
    return startOwnedService(path.join(home, 'server'), {
      name: command,
      command,
      args: [...args, file],
      logFile: path.join(home, 'log'),
      isReady: () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      stopSignal: 'SIGTERM',
    });
  });
  return {
    port: server.port,
    pids: () => family(server.pid),
    stop: async () => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts one of our programs, which prints its port as JSON. @param announcement message with the port; undefined: without */
async function startCommand(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  announcement?: string,
): Promise<Commanded> {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const portOf = (msg: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      lines.on('line', (line) => {
        const printed = JSON.parse(line) as { port?: number; msg?: string };
        if (printed.port !== undefined && printed.msg === msg) resolve(printed.port);
      });
      child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
    });
  const [port, metricsPort, rlsPort] = await Promise.all([
    portOf(announcement),
    env.METRICS_PORT === undefined ? undefined : portOf('metrics server listening'),
    env.RLS_PORT === undefined ? undefined : portOf('gRPC server listening'),
  ]);
  return {
    port,
    metricsPort,
    rlsPort,
    pids: () => family(child.pid as number),
    stop: () => ended(child, 'SIGTERM'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
