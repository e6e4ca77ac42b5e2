import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { HandlerWalk } from './handler-walk.js';
import { PermissionGuard } from './permission.guard.js';

@Module({
  imports: [DiscoveryModule],
  providers: [HandlerWalk, { provide: APP_GUARD, useClass: PermissionGuard }],
})
export class AccessModule {}
