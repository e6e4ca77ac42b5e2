export { type PolicyContent, SHORTENER, TestRelay } from './test-relay.js';
