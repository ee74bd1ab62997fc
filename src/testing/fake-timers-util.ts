/** Replaces `util` in the bundle: fake-timers takes this symbol of it, and nothing else of Node's modules. */
export const promisify = { custom: Symbol.for('nodejs.util.promisify.custom') }
