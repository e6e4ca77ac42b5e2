import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { AlertsRepository } from './alerts.repository.js';
import { AlertsResolver } from './alerts.resolver.js';
import { AlertsService } from './alerts.service.js';

@Module({
  imports: [TenantsModule],
  providers: [AlertsRepository, AlertsService, AlertsResolver],
  exports: [AlertsService],
})
export class AlertsModule {}
