import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { type Logger, pino } from 'pino';
import { readConfig } from './config/app-config.js';
import { createDecisionServer } from './server.js';
import { VERSION } from './version.js';

/** Connections that still have something to finish get this long: half of what whoever stops us usually waits. */
const DRAIN_MS = 5_000;

const config = readConfig(process.env);
const logger = pino({ level: config.logLevel, base: { node: config.nodeId } });

await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
const plane = await DecisionPlane.start({
  countersUrl: config.countersUrl,
  configUrl: config.configUrl,
  policyKeys: config.policyKeys,
  maxStaleMs: config.maxStaleMs,
  onStale: config.onStale,
  nodeId: config.nodeId,
  version: VERSION,
  dataDir: config.dataDir,
  deadlineMs: config.deadlineMs,
  samples: config.samples,
  keyPeppers: config.peppers,
  onEvent: (event) => logEvent(logger, event),
});
const server = createDecisionServer({ plane, peppers: config.peppers, logger });
server.listen(config.port, config.host, () => {
  const { port } = server.address() as AddressInfo;
  logger.info({ host: config.host, port }, 'decision API listens');
});

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'draining');
    const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(force);
      void plane.close();
    });
    server.closeIdleConnections();
  });
}

function logEvent(log: Logger, event: DecisionPlaneEvent): void {
  switch (event.kind) {
    case 'degraded':
      log.error({ cause: event.cause }, 'counters cannot be asked: deciding by onUnavailable');
      break;
    case 'recovered':
      log.warn({ decisions: event.decisions }, 'counters are back');
      break;
    case 'revision':
      log.info({ revision: event.revision, applyLatencyMs: event.applyLatencyMs }, 'policy in force');
      break;
    case 'revision-refused':
      log.error(
        { revision: event.revision, reason: event.reason },
        'policy refused, the last good one stays',
      );
      break;
    case 'policy-stale':
      log.error({ ageMs: event.ageMs }, 'the control plane has not confirmed the policy for too long');
      break;
    case 'policy-fresh':
      log.warn({ ageMs: event.ageMs }, 'the policy is confirmed again');
      break;
    case 'key-budget-spent':
      log.error(
        { tenant: event.tenant, cause: event.cause },
        'too many distinct counters: more are counted together',
      );
      break;
    case 'warning':
      log.error(event.message);
      break;
    case 'error':
      log.warn({ err: event.error }, event.message);
      break;
  }
}
