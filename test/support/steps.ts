import { Session } from 'node:inspector/promises'

/** The sources, and the libraries that read input of clients. */
const COUNTED = /\/src\/|\/node_modules\/(?:@marcbachmann\/cel-js|punycode\.js|valibot)\//

/** The searches of the platform. At worst each compares a text at every place of another one. */
const SEARCHES = ['includes', 'indexOf', 'replaceAll', 'split'] as const

// The platform counts the blocks of a function only if counting began before the function first ran. So a test file that counts
// steps imports this file first, and has its own process.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** Returns how many blocks of the sources ran since the last call. */
async function countBlocks(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const functions = result.filter(({ url }) => COUNTED.test(url)).flatMap((script) => script.functions)
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}

/**
 * Counts the steps of some work: the blocks of the sources that ran, and the worst case of each search of the platform. Steps of
 * regular expressions are not counted.
 */
export async function countSteps(work: () => unknown): Promise<number> {
  await countBlocks()
  return countFurtherSteps(work)
}

/** Counts the steps of work directly after another count, which saves a call of the platform. */
async function countFurtherSteps(work: () => unknown): Promise<number> {
  const searches = countSearches()
  try {
    await work()
  } finally {
    searches.end()
  }
  return searches.steps() + (await countBlocks())
}

/**
 * Divides the steps of work on an input of twice a length by the steps for that length. V8 may lose the counts of a function whose
 * code it collects as garbage, so that a growth that looks large is measured again.
 */
export async function measureGrowth(work: (length: number) => unknown, length = 8192): Promise<number> {
  await work(64)
  const measure = async () => {
    const once = await countSteps(() => work(length))
    if (once < 500) throw new Error(`Work of ${once} steps does not read an input of ${length} characters.`)
    return (await countFurtherSteps(() => work(2 * length))) / once
  }
  const growth = await measure()
  return growth < 2.2 ? growth : Math.min(growth, await measure())
}

function countSearches() {
  const own = SEARCHES.map((name) => [name, String.prototype[name]] as const)
  let steps = 0
  for (const [name, search] of own) {
    const counting = function (this: string, ...args: unknown[]): unknown {
      const [pattern, from = 0] = args
      const result: unknown = Reflect.apply(search, this, args)
      // Node reads a query by searches that continue from each place found.
      const [start, end] =
        name === 'indexOf' ? [Number(from), result === -1 ? this.length : Number(result)] : [0, this.length]
      if (typeof pattern === 'string') steps += Math.max(0, end - start) * pattern.length
      return result
    }
    Reflect.set(String.prototype, name, counting)
  }
  return {
    steps: () => steps,
    end: () => own.forEach(([name, search]) => void Reflect.set(String.prototype, name, search)),
  }
}
