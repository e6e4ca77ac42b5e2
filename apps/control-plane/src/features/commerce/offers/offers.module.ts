import { Module } from '@nestjs/common';
import { TiersModule } from '../../catalogue/index.js';
import { OffersRepository } from './offers.repository.js';
import { OffersResolver } from './offers.resolver.js';
import { OfferCommands, OffersService } from './offers.service.js';

@Module({
  imports: [TiersModule],
  providers: [OffersRepository, OffersService, OfferCommands, OffersResolver],
  exports: [OffersRepository, OffersService],
})
export class OffersModule {}
