import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/index.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysResolver } from './api-keys.resolver.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  imports: [TenantsModule],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeysResolver],
  exports: [ApiKeysService, ApiKeysRepository],
})
export class ApiKeysModule {}
