import { Turns } from '../../engine/turns.ts'

/** The parts of Node that the explorer needs, as far as the host has them: Bun and Deno lack some. */
export interface Host {
  /** Resolves once everything has run that waits for nothing but its turn. */
  turn(): Promise<void>
  /** Must be called at the end. */
  end(): void
  /** Resolves after about 1 ms of real time, in which sockets, files and threads get on. */
  pause(): Promise<void>
  /** Returns the kinds of open handles and requests, such as `TCPSocketWrap`. */
  resources(): readonly string[]
  /** True if open handles do not show among the resources, as in Bun and Deno. */
  readonly isBlind: boolean
  /** Counts the work on threads that is under way, which resources do not show: crypto and zlib. */
  countThreads(): { readonly count: () => number; end(): void }
  /** Node's modules whose functions are replaced, and how to tell those who have imported them. */
  readonly timers: Record<string, unknown> | undefined
  readonly promises: (Record<string, unknown> & { readonly scheduler?: object }) | undefined
  syncExports(): void
}

/** Takes the functions of the host, before any of them is replaced. */
export function hostOf(): Host {
  const nodeModule = globalThis.process?.getBuiltinModule
  const timers = nodeModule?.('node:timers')
  const { setTimeout: after } = timers ?? globalThis
  const turns = new Turns(timers?.setImmediate)
  const resources = globalThis.process?.getActiveResourcesInfo?.bind(process)
  return {
    turn: () => turns.round(),
    end: () => turns.end(),
    pause: () => new Promise((resolve) => void after(resolve, 1)),
    resources: () => resources?.() ?? [],
    isBlind: isBlind(resources, after),
    countThreads,
    timers: timers as Record<string, unknown> | undefined, // To replace its members by name.
    promises: nodeModule?.('node:timers/promises') as Host['promises'], // As above.
    syncExports: () => nodeModule?.('node:module')?.syncBuiltinESMExports?.(),
  }
}

/** Tells whether a timer is no resource. */
function isBlind(resources: (() => readonly string[]) | undefined, after: typeof setTimeout): boolean {
  const timer = after(() => undefined, 1)
  const isSeen = resources?.().includes('Timeout') ?? false
  clearTimeout(timer)
  return !isSeen
}

/** A stream of zlib, or a job of crypto. */
interface Worked {
  write?: (...args: unknown[]) => unknown
  run?: (...args: unknown[]) => unknown
}

/** Promises use no threads, and are faster without the hook. Node 24 and later know this option; its types do not yet. */
const WITHOUT_PROMISES = { trackPromises: false }

function countThreads() {
  /** The ids of what is under way; true for a stream of zlib, which is one resource with many writes. */
  const working = new Map<number, boolean>()
  const done = (id: number, isStream: boolean) => void (working.get(id) === isStream && working.delete(id))
  const hook = globalThis.process?.getBuiltinModule?.('node:async_hooks')?.createHook({
    ...WITHOUT_PROMISES,
    init(id, type, _trigger, resource: Worked) {
      const { write, run } = resource
      if (type === 'ZLIB' && write) {
        resource.write = (...args) => {
          working.set(id, true)
          return write.apply(resource, args)
        }
      } else if (type.endsWith('REQUEST') && run) {
        resource.run = (...args) => {
          const result = run.apply(resource, args)
          // A list is the result of work that was done in place, as by `randomBytes(16)`.
          if (!Array.isArray(result)) working.set(id, false)
          return result
        }
      }
    },
    // What is called now may write again.
    before: (id) => done(id, true),
    after: (id) => done(id, false),
    destroy: (id) => void working.delete(id),
  })
  hook?.enable()
  return { count: () => working.size, end: () => void hook?.disable() }
}
