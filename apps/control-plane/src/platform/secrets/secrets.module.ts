import { Global, Module } from '@nestjs/common';
import { SealedSecrets } from './sealed-secrets.js';

@Global()
@Module({ providers: [SealedSecrets], exports: [SealedSecrets] })
export class SecretsModule {}
