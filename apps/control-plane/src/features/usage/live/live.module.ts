import { Module } from '@nestjs/common';
import { LiveController } from './live.controller.js';
import { LiveFeed } from './live-feed.js';
import { UsageTickResolver } from './usage-tick.resolver.js';

@Module({ controllers: [LiveController], providers: [LiveFeed, UsageTickResolver] })
export class LiveModule {}
