import { Global, Module } from '@nestjs/common';
import { PolicyQueue } from './policy-queue.provider.js';
import { RelayTrigger } from './relay-trigger.js';

@Global()
@Module({ providers: [PolicyQueue, RelayTrigger], exports: [PolicyQueue, RelayTrigger] })
export class QueueModule {}
