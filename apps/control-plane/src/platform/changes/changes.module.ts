import { Global, Module } from '@nestjs/common';
import { ChangeRunner } from './change-runner.js';
import { PolicyCommands } from './policy-commands.js';
import { Reversals } from './reversals.js';

@Global()
@Module({
  providers: [ChangeRunner, PolicyCommands, Reversals],
  exports: [ChangeRunner, PolicyCommands, Reversals],
})
export class ChangesModule {}
