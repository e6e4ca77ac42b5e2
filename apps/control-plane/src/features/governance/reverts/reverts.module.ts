import { Module } from '@nestjs/common';
import { RecordedChangesRepository } from './recorded-changes.repository.js';
import { RevertsResolver } from './reverts.resolver.js';
import { RevertsService } from './reverts.service.js';

/** Takes single changes back, by what the audit trail says of them. */
@Module({ providers: [RecordedChangesRepository, RevertsService, RevertsResolver] })
export class RevertsModule {}
