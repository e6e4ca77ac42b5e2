import { Global, Module } from '@nestjs/common';
import { ChangeRunner } from './change-runner.js';

@Global()
@Module({ providers: [ChangeRunner], exports: [ChangeRunner] })
export class ChangesModule {}
