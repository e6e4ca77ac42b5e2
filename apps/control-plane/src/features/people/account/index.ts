export { AccountModule } from './account.module.js';
export { AccountResolver } from './account.resolver.js';
export { accountMailsOf } from './account-mail.js';
