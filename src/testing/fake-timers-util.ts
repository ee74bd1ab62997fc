/** Replaces Node's `util` in the bundle: fake-timers uses only this symbol of it, and no other module of Node. */
export const promisify = { custom: Symbol.for('nodejs.util.promisify.custom') }
