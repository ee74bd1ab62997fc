/** Replaces Node's `util` in the bundle: fake-timers uses only this symbol from it, and no other Node module. */
export const promisify = { custom: Symbol.for('nodejs.util.promisify.custom') }
