export { accountActor, noteAccountEvent } from './account-events.js';
export { AttemptLimiter } from './attempt-limiter.js';
export { AuthModule, SignInModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
export { KnownDevices } from './known-devices.js';
export { hashPassword, verifyPassword } from './password.js';
export { countRecoveryCodes } from './second-factors.js';
export { UsersRepository } from './users.repository.js';
