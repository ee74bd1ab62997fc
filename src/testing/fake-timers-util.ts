/** Replaces Node's `util` in the bundle. fake-timers uses only this symbol from `util`, and no other Node module. */
export const promisify = { custom: Symbol.for('nodejs.util.promisify.custom') }
