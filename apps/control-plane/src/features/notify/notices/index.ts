export { eventOf, mailsOf, type NoticeMail } from './notice-dispatch.js';
export { NoticeStreamResolver } from './notice-stream.resolver.js';
export { EVENT_KINDS } from './notice-text.js';
export { NoticesModule } from './notices.module.js';
export { type NoticeRow, NoticesRepository } from './notices.repository.js';
export { NoticesResolver } from './notices.resolver.js';
