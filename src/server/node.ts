export type { Config } from './options/config.ts'
export { type Served, type ServeOptions, serve } from './serve.ts'
export { type SqliteStore, sqliteStore } from './sqlite/sqlite-store.ts'
