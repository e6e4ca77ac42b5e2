import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobsBoard } from './jobs-board.js';
import { JobsQueue } from './jobs-queue.js';
import { JobsRunner } from './jobs-runner.js';

@Module({ providers: [JobsQueue], exports: [JobsQueue] })
class JobsQueueModule {}

/** In a process that runs jobs. */
@Module({ imports: [DiscoveryModule, JobsQueueModule], providers: [JobsRunner], exports: [JobsRunner] })
export class JobsModule {}

/** In a process that people look at jobs through. */
@Module({ imports: [JobsQueueModule], providers: [JobsBoard] })
export class JobsBoardModule {}
