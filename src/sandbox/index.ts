export { Account } from './account.ts'
export type { SandboxEnvironment } from './environment.ts'
export type { AccountObject, Beginning, Registered, SandboxCopy, SandboxObject } from './objects.ts'
export { Sandbox } from './sandbox.ts'
export type { SandboxWorker } from './worker.ts'

import { sandboxWorker } from './worker.ts'

/** The Worker of shared sandboxes: `https://host/s/<name>/…`, and the account's calls that create and remove them. */
export default sandboxWorker()
