import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysResolver } from './api-keys.resolver.js';
import { ApiKeysService } from './api-keys.service.js';
import { ExpiringApiKeysJob } from './expiring-api-keys.job.js';

@Module({
  imports: [TenantsModule],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeysResolver],
  exports: [ApiKeysService, ApiKeysRepository],
})
export class ApiKeysModule {}

/** What warns of keys that end soon. */
@Module({ imports: [ApiKeysModule], providers: [ExpiringApiKeysJob] })
export class ApiKeyJobsModule {}
