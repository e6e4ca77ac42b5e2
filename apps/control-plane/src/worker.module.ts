import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from './config/app-config.js';
import { WORKER_MODULES } from './features/api/api.modules.js';
import type { Logger } from './platform/log.js';
import { platformModule } from './platform/platform.module.js';

@Module({})
class WorkerModule {}

/** The worker: jobs only, without HTTP server. */
export function workerModule(config: AppConfig, logger: Logger): DynamicModule {
  return { module: WorkerModule, imports: [platformModule(config, logger), ...WORKER_MODULES] };
}
