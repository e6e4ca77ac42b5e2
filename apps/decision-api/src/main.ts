import cluster from 'node:cluster';
import { standardOutput } from '@tollgate/logging';
import { pino } from 'pino';
import { readConfig } from './config/app-config.js';
import { runNode } from './node-process.js';
import { runProcesses } from './processes.js';

const config = readConfig(process.env);
const output = standardOutput();
const logger = pino({ level: config.logLevel, base: { pid: process.pid, node: config.nodeId } }, output);

if (cluster.isPrimary) {
  for (const insecurity of config.acceptedInsecurities) logger.warn(insecurity, 'insecure setting allowed');
}
if (config.processes > 1 && cluster.isPrimary) runProcesses(config, logger);
else await runNode(config, logger, output);
