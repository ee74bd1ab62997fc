import type { Store, StoredCommit, StoredState } from '../../src/index.ts'

/** A store in memory that copies through JSON, like any other, and can fail. */
export interface MemoryStore extends Store {
  readonly commits: StoredCommit[]
  /** The error that `append` throws while it is set. */
  failure: Error | undefined
}

/** Creates a store, if passed with the commits of another one. */
export function memoryStore(commits: readonly StoredCommit[] = []): MemoryStore {
  const store: MemoryStore = {
    commits: [...commits],
    failure: undefined,
    load: () => stateOf(store.commits),
    append(commit) {
      if (store.failure) throw store.failure
      store.commits.push(JSON.parse(JSON.stringify(commit)))
    },
  }
  return store
}

/** Creates a store that flushes only when a test calls `flush`. */
export function deferredStore(commits: readonly StoredCommit[] = []) {
  const safe = memoryStore(commits)
  let waiting: StoredCommit[] = []
  let flushing: { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } | undefined
  const store: Store & { flush(): void; lose(error: Error): void; readonly safe: MemoryStore } = {
    safe,
    load: () => safe.load(),
    append: (commit) => void waiting.push(JSON.parse(JSON.stringify(commit))),
    flushed() {
      flushing ??= waiting.length > 0 ? deferred() : undefined
      return flushing?.promise ?? Promise.resolve()
    },
    flush() {
      safe.commits.push(...waiting)
      waiting = []
      flushing?.resolve()
      flushing = undefined
    },
    lose(error) {
      waiting = []
      flushing?.reject(error)
      flushing = undefined
    },
  }
  return store
}

function deferred() {
  let resolve = () => {}
  let reject = (_: Error) => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

function stateOf(commits: readonly StoredCommit[]): StoredState | undefined {
  const last = commits.at(-1)
  if (!last) return undefined
  const first = commits.findLastIndex(({ replaces }) => replaces)
  const rows = new Map<string, StoredState['records'] extends Iterable<infer Row> ? Row : never>()
  for (const { changes } of commits.slice(first)) {
    for (const { collection, key, after } of changes) {
      if (after) rows.set(`${collection} ${key}`, { collection, key, record: after })
      else rows.delete(`${collection} ${key}`)
    }
  }
  const { now, sequence, operations } = last
  const facts = commits[first]?.replaces
  if (!facts) throw new Error('the first commit replaces nothing')
  return { ...facts, now, sequence, operations, records: JSON.parse(JSON.stringify([...rows.values()])) }
}
