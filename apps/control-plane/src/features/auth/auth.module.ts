import { Global, Module } from '@nestjs/common';
import { ActorSource } from '../../platform/access/actor.js';
import { ServiceTokensModule } from '../service-tokens/index.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { AuthRoutes } from './auth.routes.js';
import { AuthService } from './auth.service.js';
import { RequestActorSource } from './request-actor.source.js';
import { UsersRepository } from './users.repository.js';

/** Operators, without routes: what set-up needs. */
@Module({
  providers: [AttemptLimiter, AuthService, UsersRepository],
  exports: [AttemptLimiter, AuthService, UsersRepository],
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
