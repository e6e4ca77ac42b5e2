import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../../apps/decision-api/dist/main.js', import.meta.url));
const LISTENING = /"port":(\d+),"msg":"decision API listening"/;

export interface DecisionApiProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a built decision API on a free port, with unsigned policy. @throws Error with its output if it exits */
export async function startDecisionApiProcess(env: {
  REDIS_COUNTERS_URL: string;
  REDIS_CONFIG_URL: string;
  TOKEN_PEPPER: string;
  [name: string]: string;
}): Promise<DecisionApiProcess> {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-api-'));
  const settings = {
    PORT: '0',
    ALLOW_INSECURE: 'unsigned-policy',
    DATA_DIR: path.join(home, 'data'),
    // A test machine may stall for longer than the default deadline.
    DECISION_DEADLINE_MS: '5000',
  };
  const child = spawn(process.execPath, [ENTRY], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...settings, ...env },
  });
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function portOf(
  child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    const port = LISTENING.exec(line)?.[1];
    if (port !== undefined) {
      child.stdout.resume();
      return port;
    }
  }
  throw new Error(`the decision API did not start:\n${lines.join('\n')}`);
}
