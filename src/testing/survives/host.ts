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

/** The names by which crypto announces work on threads. A request of an HTTP client is none. */
const ON_THREADS = /^(?!HTTP).*REQUEST$/

function countThreads() {
  /** The ids of what is under way; true for a stream of zlib, which is one resource with many writes. */
  const working = new Map<number, boolean>()
  const done = (id: number, isStream: boolean) => void (working.get(id) === isStream && working.delete(id))
  const callbacks = {
    init(id: number, type: string, _trigger: number, resource: { write?: (...args: unknown[]) => unknown }) {
      if (ON_THREADS.test(type)) working.set(id, false)
      const { write } = resource
      if (type !== 'ZLIB' || !write) return
      resource.write = (...args) => {
        working.set(id, true)
        return write.apply(resource, args)
      }
    },
    // What is called now may write again.
    before: (id: number) => done(id, true),
    after: (id: number) => done(id, false),
    // Hooks of promises would slow all code down.
    trackPromises: false,
  }
  const hook = globalThis.process?.getBuiltinModule?.('node:async_hooks')?.createHook(callbacks)
  hook?.enable()
  return { count: () => working.size, end: () => void hook?.disable() }
}
