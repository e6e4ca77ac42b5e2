import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './app-config.js';

@Module({})
class ConfigModule {}

/** Hands the settings of the process to every module. */
export function configModule(config: AppConfig): DynamicModule {
  return {
    module: ConfigModule,
    global: true,
    providers: [{ provide: AppConfig, useValue: config }],
    exports: [AppConfig],
  };
}
