import cluster from 'node:cluster';
import { createLogger, runProgram } from '@tollgate/logging';
import { readConfig } from './config/app-config.js';
import { runNode } from './node-process.js';
import { runProcesses } from './processes.js';

const service = 'decision-api';

runProgram(createLogger({ service, level: 'info' }), async (program) => {
  const config = readConfig(process.env);
  const fields = { pid: process.pid, node: config.nodeId };
  program.logger = createLogger({ service, level: config.logLevel, fields });
  if (cluster.isPrimary) {
    for (const insecurity of config.acceptedInsecurities)
      program.logger.warn(insecurity, 'insecure setting allowed');
  }
  if (config.processes > 1 && cluster.isPrimary) await runProcesses(config, program);
  else await runNode(config, program);
});
