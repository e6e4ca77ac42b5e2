import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOnPort, startOwnedService } from '@tollgate/embedded';

/** An empty ClickHouse on loopback. */
export interface TestClickHouse {
  /** Address of its HTTP interface, with the database `default`. */
  url: string;
  /** Sends a statement. Returns the text of the answer. @throws Error with the message of ClickHouse */
  query(statement: string): Promise<string>;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  /** Keeps its data for `start`. */
  kill(): Promise<void>;
  /** Kills it and deletes its data. */
  remove(): Promise<void>;
}

/** Starts the `clickhouse-server` on PATH. */
export async function startClickHouse(): Promise<TestClickHouse> {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-clickhouse-'));
  const startOn = (port: number) =>
    startOwnedService(path.join(home, 'data'), {
      name: 'ClickHouse',
      command: 'clickhouse-server',
      args: [`--config-file=${writeConfig(home, port)}`],
      logFile: path.join(home, 'log'),
      isReady: () =>
        fetch(`http://127.0.0.1:${port}/ping`).then(
          ({ ok }) => ok,
          () => false,
        ),
      stopSignal: 'SIGKILL', // After SIGTERM, it needs seconds.
      cwd: home,
    });
  const { port, ...first } = await startOnPort(undefined, startOn);
  let server = first;
  return {
    url: `http://127.0.0.1:${port}/default`,
    query: (statement) => post(port, statement),
    start: async () => {
      server = await startOn(port);
    },
    kill: () => server.stop(),
    remove: async () => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Only HTTP on loopback, one user without a password. Returns the path of the file. */
function writeConfig(home: string, port: number): string {
  const folder = (name: string) => {
    mkdirSync(path.join(home, name), { recursive: true });
    return `${path.join(home, name)}/`;
  };
  const file = path.join(home, 'config.xml');
  writeFileSync(
    file,
    `<yandex>
      <logger><level>warning</level><console>1</console></logger>
      <listen_host>127.0.0.1</listen_host>
      <http_port>${port}</http_port>
      <path>${folder('data')}</path>
      <tmp_path>${folder('tmp')}</tmp_path>
      <mark_cache_size>10000000</mark_cache_size>
      <users_config>config.xml</users_config>
      <default_profile>default</default_profile>
      <default_database>default</default_database>
      <profiles><default></default></profiles>
      <quotas><default></default></quotas>
      <users><default>
        <password></password>
        <networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile>
        <quota>default</quota>
      </default></users>
    </yandex>`,
  );
  return file;
}

async function post(port: number, statement: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: statement });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trimEnd();
}
