import { Module } from '@nestjs/common';
import { SignInModule } from '../../identity/index.js';
import { AccountRepository } from './account.repository.js';
import { AccountResolver } from './account.resolver.js';
import { AccountService } from './account.service.js';
import { PasswordResetService } from './password-reset.service.js';

@Module({
  imports: [SignInModule],
  providers: [AccountRepository, AccountService, PasswordResetService, AccountResolver],
})
export class AccountModule {}
