import { Module } from '@nestjs/common';
import { ApisModule } from '../apis/index.js';
import { AuditModule } from '../audit/index.js';
import { ServiceTokensModule } from '../service-tokens/index.js';
import { TenantsModule } from '../tenants/index.js';
import { TiersModule } from '../tiers/index.js';
import { NodeResolver } from './node.resolver.js';
import { ViewerResolver } from './viewer.resolver.js';

@Module({
  imports: [ApisModule, TiersModule, TenantsModule, ServiceTokensModule, AuditModule],
  providers: [ViewerResolver, NodeResolver],
})
export class ViewerModule {}
