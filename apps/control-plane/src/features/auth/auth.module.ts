import { Global, Module } from '@nestjs/common';
import { ActorSource } from '../../platform/access/actor.js';
import { ServiceTokensModule } from '../service-tokens/index.js';
import { AuthRoutes } from './auth.routes.js';
import { AuthService } from './auth.service.js';
import { OperatorsRepository } from './operators.repository.js';
import { RequestActorSource } from './request-actor.source.js';

/** Operators, without routes: what set-up needs. */
@Module({ providers: [AuthService, OperatorsRepository], exports: [AuthService] })
export class OperatorsModule {}

/** Signing in over HTTP, and the answer to "who is asking" for every guard. */
@Global()
@Module({
  imports: [OperatorsModule, ServiceTokensModule],
  providers: [AuthRoutes, { provide: ActorSource, useClass: RequestActorSource }],
  exports: [ActorSource],
})
export class AuthModule {}
