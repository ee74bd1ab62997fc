export type { Config } from './options/config.ts'
export { type Served, type ServeOptions, serve } from './serve.ts'
