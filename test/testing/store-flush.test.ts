import { describe, expect, it } from 'vitest'
import type { Store, StoredCommit } from '../../src/index.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { findStoreFailures } from './store-failures.ts'

describe('The suite of stores finds a store that writes at its flush and', () => {
  const WHOLE = 'keeps nothing of a commit that it cannot write, and keeps the commits after it'
  const LOSS = 'accepts no commit after a loss until it is loaded again'

  const isWritable = ({ after }: StoredCommit['changes'][number]) => {
    try {
      return JSON.stringify(after) !== ''
    } catch {
      return false
    }
  }

  /** The flaws of a store that writes at its flush. */
  interface FlushFlaws {
    readonly writesNothing?: boolean
    readonly keepsParts?: boolean
    readonly takesMoreAfterLoss?: boolean
    readonly takesNothingAfterLoad?: boolean
  }

  function createPlace(flaws: FlushFlaws): StorePlace {
    const disk = memoryStore()
    const write = (commit: StoredCommit) => {
      const changes = commit.changes.filter(isWritable)
      const isWhole = changes.length === commit.changes.length
      if (isWhole || flaws.keepsParts) disk.append({ ...commit, changes })
      if (!isWhole) throw new Error('a record cannot be written')
    }
    return {
      open(): Store {
        let waiting: StoredCommit[] = []
        let isLost = false
        return {
          load() {
            isLost &&= flaws.takesNothingAfterLoad === true
            return disk.load()
          },
          append(commit) {
            if (isLost && !flaws.takesMoreAfterLoss) throw new Error('load the store first')
            waiting.push(commit)
          },
          async flushed() {
            const group = flaws.writesNothing ? [] : waiting
            waiting = []
            try {
              group.forEach(write)
            } catch (error) {
              isLost = true
              throw error
            }
          },
        }
      },
    }
  }

  it.each<[string, FlushFlaws, string[]]>([
    ['keeps a part of a commit', { keepsParts: true }, [WHOLE, LOSS]],
    ['takes more after a loss', { takesMoreAfterLoss: true }, [LOSS]],
    ['takes nothing after a loss, not even once it is loaded', { takesNothingAfterLoad: true }, [WHOLE]],
  ])('%s', async (_what, flaws, checks) => {
    expect(await findStoreFailures(() => createPlace({}))).toEqual(new Map())
    expect([...(await findStoreFailures(() => createPlace(flaws))).keys()]).toEqual(checks)
  })

  it('says that commits are safe before they are', async () => {
    const [, ...names] = storeSuite(() => createPlace({})).map(({ name }) => name)
    const failures = await findStoreFailures(() => createPlace({ writesNothing: true }))
    expect([...failures.keys()]).toEqual(names.filter((name) => name !== WHOLE && name !== LOSS))
  })
})
