export { AttemptLimiter } from './attempt-limiter.js';
export { AuthModule, SignInModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
export { hashPassword, verifyPassword } from './password.js';
export { UsersRepository } from './users.repository.js';
