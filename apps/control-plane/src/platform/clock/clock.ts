import { Global, Injectable, Module } from '@nestjs/common';

/** The time, where what is done depends on it: tests move it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

@Global()
@Module({ providers: [Clock], exports: [Clock] })
export class ClockModule {}
