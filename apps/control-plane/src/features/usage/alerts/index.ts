export { AlertsModule } from './alerts.module.js';
export { AlertsResolver } from './alerts.resolver.js';
export { AlertsService } from './alerts.service.js';
