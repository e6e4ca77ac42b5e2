import { Global, Module } from '@nestjs/common';
import { Database } from './database.js';
import { DatabaseLogin } from './database-login.js';

@Global()
@Module({ providers: [Database, DatabaseLogin], exports: [Database] })
export class PrismaModule {}
