import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { NoticeStreamResolver } from './notice-stream.resolver.js';
import { NoticesRepository } from './notices.repository.js';
import { NoticesResolver } from './notices.resolver.js';
import { NoticesService } from './notices.service.js';

@Module({
  imports: [TenantsModule],
  providers: [NoticesRepository, NoticesService, NoticesResolver, NoticeStreamResolver],
  exports: [NoticesRepository],
})
export class NoticesModule {}
