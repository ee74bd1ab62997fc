import { EventLoop } from '../../core/engine/event-loop.ts'
import type { Copy } from './copy.ts'

/** The Node functions that the explorer needs. Some are missing in Bun and Deno. */
export type Host = ReturnType<typeof readHost>

/** Reads the host's functions before the explorer replaces any. */
export function readHost() {
  const nodeModule = globalThis.process?.getBuiltinModule
  const timers = nodeModule?.('node:timers')
  const { setTimeout: after } = timers ?? globalThis
  const eventLoop = new EventLoop(timers?.setImmediate)
  // Vitest loads modules in another thread, and `resources` does not show it.
  const vitest: { resolvingModules?: Iterable<string> } | undefined = Reflect.get(globalThis, '__vitest_worker__')
  const resources = globalThis.process?.getActiveResourcesInfo?.bind(process)
  return {
    /** Resolves once all tasks that were ready have run. */
    turn: () => eventLoop.turn(),
    /** Stops counting. Must be called at the end. */
    end: () => eventLoop.close(),
    /** Resolves after about 1 ms of real time, in which sockets, files, and threads make progress. */
    pause: () => new Promise((resolve) => void after(resolve, 1)),
    /** Returns the kinds of open handles and requests, such as `TCPSocketWrap`, and the modules that vitest is loading. */
    resources: () => [...(resources?.() ?? []), ...(vitest?.resolvingModules ?? [])],
    /**
     * The number of pauses after which nothing more is expected to happen. Resources do not include WebAssembly threads or, in Bun and
     * Deno, open handles.
     */
    lastPauses: !resources || 'Bun' in globalThis || 'Deno' in globalThis ? 500 : 20,
    /** Creates a context that follows calls, promises, and timers. */
    createContext: () => {
      const hooks = nodeModule?.('node:async_hooks')
      if (!hooks) throw new Error('The copies option needs AsyncLocalStorage, which this host does not have.')
      return { storage: new hooks.AsyncLocalStorage<Copy>(), bind: hooks.AsyncLocalStorage.bind }
    },
    /** The pending work on threads: crypto and zlib. Resources do not include it. Counted between start and stop. */
    threads: watchThreads(),
  }
}

/** A zlib stream or a crypto job, with the method that starts work on a thread. */
type Worker = Partial<Record<'write' | 'run', (...args: unknown[]) => unknown>>

function watchThreads() {
  /** The pending pieces of work, by the ID of their stream or job. */
  const working = new Map<number, number>()
  const hook = globalThis.process?.getBuiltinModule?.('node:async_hooks')?.createHook({
    // Promises use no threads, and are faster without the hook. Node 24 and later know this option; its types do not yet.
    ...{ trackPromises: false },
    init(id, type, _trigger, worker: Worker) {
      const name = type === 'ZLIB' ? 'write' : type.endsWith('REQUEST') ? 'run' : undefined
      const work = name && worker[name]
      if (!work) return
      worker[name] = (...args) => {
        const result = work.apply(worker, args)
        // A list is the result of synchronous work, such as `randomBytes(16)`.
        if (!Array.isArray(result)) working.set(id, (working.get(id) ?? 0) + 1)
        return result
      }
    },
    after(id) {
      const left = (working.get(id) ?? 0) - 1
      if (left > 0) working.set(id, left)
      else working.delete(id)
    },
    // `before` is omitted because it takes time for each callback, and `destroy` because Node 20 and 22 would then follow each promise
    // until it is collected.
  })
  return { count: () => working.size, start: () => void hook?.enable(), stop: () => void hook?.disable() }
}
