import type { SandboxEnvironment } from './environment.ts'
import type { Objects, Stub } from './objects.ts'
import type { Sandbox } from './sandbox.ts'

/** The Worker's environment, which also includes the objects of the class `Sandbox`. */
export interface WorkerEnvironment extends SandboxEnvironment {
  readonly SANDBOXES: Objects<Stub<Sandbox>>
}
