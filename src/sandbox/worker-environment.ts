import type { SandboxEnvironment } from './environment.ts'
import type { Objects, Stub } from './objects.ts'
import type { Sandbox } from './sandbox.ts'

/** The environment of the Worker, which also calls the objects of the class `Sandbox`. */
export interface WorkerEnvironment extends SandboxEnvironment {
  readonly SANDBOXES: Objects<Stub<Sandbox>>
}
