export { AuthModule, OperatorsModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
