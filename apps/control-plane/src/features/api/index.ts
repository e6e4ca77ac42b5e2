export { ViewerModule } from './api.modules.js';
