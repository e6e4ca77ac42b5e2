import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ProgramProcess } from './program-process.js';

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
  const api = new ProgramProcess('decision-api/dist/main.js', {
    PORT: '0',
    ALLOW_INSECURE: 'unsigned-policy',
    DATA_DIR: path.join(home, 'data'),
    // A test machine may stall for longer than the defaults.
    DECISION_DEADLINE_MS: '5000',
    MAX_EVENT_LOOP_LAG_MS: '10000',
    ...env,
  });
  const { port } = await api.line('decision API listening');
  return {
    url: `http://127.0.0.1:${String(port)}`,
    pid: api.child.pid as number,
    stop: async () => {
      await api.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
