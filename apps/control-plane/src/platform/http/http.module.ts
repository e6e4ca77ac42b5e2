import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HttpErrorFilter } from '../errors/http-error.filter.js';
import { ConsoleRoutes } from './console.routes.js';
import { HealthRoutes } from './health.routes.js';

@Module({ providers: [HealthRoutes, ConsoleRoutes, { provide: APP_FILTER, useClass: HttpErrorFilter }] })
export class HttpModule {}
