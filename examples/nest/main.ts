import 'reflect-metadata';
import { Controller, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Limit, TollgateGuard, TollgateModule } from '@tollgate/sdk/nest';
import { asked, port } from '../tollgate.ts';

@Controller()
@UseGuards(TollgateGuard)
class ShortenerController {
  @Post()
  @Limit({ operation: 'createURL' })
  create() {
    return { short: 'https://sho.rt/a1' };
  }
}

@Module({ imports: [TollgateModule.forRoot(asked)], controllers: [ShortenerController] })
class AppModule {}

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen(port, '127.0.0.1');
export const server = app.getHttpServer();
