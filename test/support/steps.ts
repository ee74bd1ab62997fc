import { Session } from 'node:inspector/promises'

/** What a search of the platform's own may cost at worst: it compares a text at each place of another one. */
const SEARCHES = ['includes', 'indexOf', 'replaceAll', 'split'] as const

/**
 * Counts the steps of some work: how often each block of the sources was run, and for each search of the platform as many as
 * it may take at worst.
 */
export async function stepsOf(work: () => unknown): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const searches = countedSearches()
  try {
    await work()
  } finally {
    searches.end()
  }
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  const blocks = result.filter(({ url }) => url.includes('/src/')).flatMap(({ functions }) => functions)
  return searches.steps() + blocks.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}

function countedSearches() {
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
