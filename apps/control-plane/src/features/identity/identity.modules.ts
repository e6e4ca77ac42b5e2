import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ActorSource } from '../../platform/access/actor.js';
import { CustomersModule } from '../customers/index.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysResolver } from './api-keys/api-keys.resolver.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { ExpiringApiKeysJob } from './api-keys/expiring-api-keys.job.js';
import { AccountEvents } from './auth/account-events.js';
import { AttemptLimiter } from './auth/attempt-limiter.js';
import { KnownDevices } from './auth/attempt-limits.js';
import { AuthRoutes } from './auth/auth.routes.js';
import { AuthService } from './auth/auth.service.js';
import { MailLimits } from './auth/mail-limits.js';
import { RequestActorSource } from './auth/request-actor.source.js';
import { UsersRepository } from './auth/users.repository.js';
import { OperatorsResolver, OperatorsService } from './operators/operators.js';
import { OperatorsRepository, SavedViewsRepository } from './operators/operators.repository.js';
import { SavedViewsResolver } from './operators/saved-views.resolver.js';
import { ServiceTokensResolver, ServiceTokensService } from './service-tokens/service-tokens.js';
import { ServiceTokensRepository } from './service-tokens/service-tokens.repository.js';

@Module({
  providers: [ServiceTokensRepository, ServiceTokensService, ServiceTokensResolver],
  exports: [ServiceTokensService],
})
export class ServiceTokensModule {}

const knownDevices = (config: AppConfig) =>
  new KnownDevices(config.sessionSecret, config.publicOrigin.startsWith('https:'));

/** Sign-in without routes, for setup and jobs. */
@Module({
  providers: [
    AttemptLimiter,
    MailLimits,
    AccountEvents,
    AuthService,
    UsersRepository,
    { provide: KnownDevices, useFactory: knownDevices, inject: [AppConfig] },
  ],
  exports: [AttemptLimiter, AuthService, KnownDevices, MailLimits, UsersRepository],
})
export class SignInModule {}

@Global()
@Module({
  imports: [SignInModule, ServiceTokensModule],
  providers: [AuthRoutes, { provide: ActorSource, useClass: RequestActorSource }],
  exports: [ActorSource],
})
export class AuthModule {}

@Module({
  providers: [
    OperatorsRepository,
    OperatorsService,
    OperatorsResolver,
    SavedViewsRepository,
    SavedViewsResolver,
  ],
  exports: [OperatorsService],
})
export class OperatorsModule {}

@Module({
  imports: [CustomersModule],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeysResolver],
  exports: [ApiKeysService, ApiKeysRepository],
})
export class ApiKeysModule {}

@Module({ imports: [ApiKeysModule], providers: [ExpiringApiKeysJob] })
export class ApiKeyJobsModule {}
