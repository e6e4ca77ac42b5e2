export { ApiKeysRepository } from './api-keys/api-keys.repository.js';
export { ApiKeysService } from './api-keys/api-keys.service.js';
export { ExpiringApiKeysJob } from './api-keys/expiring-api-keys.job.js';
export { accountActor, noteAccountEvent } from './auth/account-events.js';
export { AttemptLimiter } from './auth/attempt-limiter.js';
export { KnownDevices } from './auth/attempt-limits.js';
export { AuthService } from './auth/auth.service.js';
export { MailLimits } from './auth/mail-limits.js';
export { countRecoveryCodes } from './auth/second-factors.js';
export { hashPassword, UsersRepository, verifyPassword } from './auth/users.repository.js';
export {
  ApiKeyJobsModule,
  ApiKeysModule,
  AuthModule,
  OperatorsModule,
  ServiceTokensModule,
  SignInModule,
} from './identity.modules.js';
export { OperatorsService } from './operators/operators.js';
export { ServiceTokensService } from './service-tokens/service-tokens.js';
