import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { ActorSource } from '../../../platform/access/actor.js';
import { ServiceTokensModule } from '../service-tokens/service-tokens.module.js';
import { AccountEvents } from './account-events.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { AuthRoutes } from './auth.routes.js';
import { AuthService } from './auth.service.js';
import { KnownDevices } from './known-devices.js';
import { RequestActorSource } from './request-actor.source.js';
import { UsersRepository } from './users.repository.js';

const knownDevices = (config: AppConfig) =>
  new KnownDevices(config.sessionSecret, config.publicOrigin.startsWith('https:'));

/** Operators, without routes: what set-up needs. */
@Module({
  providers: [
    AttemptLimiter,
    AccountEvents,
    AuthService,
    UsersRepository,
    { provide: KnownDevices, useFactory: knownDevices, inject: [AppConfig] },
  ],
  exports: [AttemptLimiter, AuthService, KnownDevices, UsersRepository],
})
export class SignInModule {}

/** Signing in over HTTP, and the answer to "who is asking" for every guard. */
@Global()
@Module({
  imports: [SignInModule, ServiceTokensModule],
  providers: [AuthRoutes, { provide: ActorSource, useClass: RequestActorSource }],
  exports: [ActorSource],
})
export class AuthModule {}
