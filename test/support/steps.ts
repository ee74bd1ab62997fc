import { Session } from 'node:inspector/promises'

/** The sources, and the libraries that read what strangers send. */
const COUNTED = /\/src\/|\/node_modules\/(?:@marcbachmann\/cel-js|punycode\.js|valibot)\//

/** The highest cost of a search by the platform: it compares a text at each place of another one. */
const SEARCHES = ['includes', 'indexOf', 'replaceAll', 'split'] as const

// The platform counts the blocks of a function only if it has counted since before the function ran for the first time. So a
// test file that counts steps imports this file first, and has a process of its own.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** Counts how often each block of the sources was run since it was last asked. */
async function countBlocks(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const functions = result.filter(({ url }) => COUNTED.test(url)).flatMap((script) => script.functions)
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}

/**
 * Counts the steps of some work: how often each block of the sources was run, and for each search of the platform as many as
 * it may take at worst. What the platform's regular expressions take is not counted.
 */
export async function countSteps(work: () => unknown): Promise<number> {
  await countBlocks()
  return countFurtherSteps(work)
}

/** The same right after another count: asking the platform again takes longer than most work. */
async function countFurtherSteps(work: () => unknown): Promise<number> {
  const searches = countSearches()
  try {
    await work()
  } finally {
    searches.end()
  }
  return searches.steps() + (await countBlocks())
}

/** Divides the steps of work on an input of twice a length by those of work on one of that length. */
export async function measureGrowth(work: (length: number) => unknown, length = 8192): Promise<number> {
  await work(64)
  const once = await countSteps(() => work(length))
  if (once < 500) throw new Error(`Work of ${once} steps does not read an input of ${length} characters.`)
  return (await countFurtherSteps(() => work(2 * length))) / once
}

function countSearches() {
  const own = SEARCHES.map((name) => [name, String.prototype[name]] as const)
  let steps = 0
  for (const [name, search] of own) {
    const counting = function (this: string, ...args: unknown[]): unknown {
      const [pattern, from = 0] = args
      const result: unknown = Reflect.apply(search, this, args)
      // Node's own reading of a query searches on from each place that it has found.
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
