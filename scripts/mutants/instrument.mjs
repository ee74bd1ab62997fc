import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/** What says to processes that tests start which mutants are active, and where to note what they reach. */
export const ACTIVE = 'ACTIVE_MUTANT'
export const REACHED = 'REACHED_MUTANTS'

/**
 * What each instrumented file asks: which mutants are active, and how often each was reached, by number, so that asking
 * costs next to nothing. It speaks to the runner, and in another process, or another realm, to the environment.
 */
const headerOf = (count) => `
const stryMutants_9fa48 = globalThis.__mutants__ ??= (() => {
  const { ${ACTIVE}: named, ${REACHED}: file } = globalThis.process?.env ?? {}
  const active = new Uint8Array(${count})
  for (const id of named?.split(',') ?? []) active[id] = 1
  const seen = new Set()
  const set = (_, id) => {
    if (!seen.has(id)) process.getBuiltinModule('node:fs').appendFileSync(file, id + '\\n')
    return seen.add(id)
  }
  return { active, counts: file ? new Proxy({}, { get: () => 0, set }) : new Float64Array(${count}), hit: () => true }
})()
const stryActive_9fa48 = stryMutants_9fa48.active
const stryCounts_9fa48 = stryMutants_9fa48.counts
`

/** What the instrumenter has called by the ids of mutants, as reading and counting in arrays. */
const byNumber = (content) =>
  content
    .replaceAll(/stryMutAct_9fa48\("(\d+)"\)/g, '(stryActive_9fa48[$1] === 1 && stryMutants_9fa48.hit())')
    .replaceAll(/stryCov_9fa48\(([^)]*)\)/g, (_, ids) => `(${ids.replaceAll(/"(\d+)"/g, 'stryCounts_9fa48[$1]++')})`)

const DRIVER = "import { test } from 'vitest'\ntest('drives', () => undefined)\n"

const configOf = (runner) => `import base from './vitest.config.ts'
export default {
  ...base,
  test: {
    ...base.test,
    projects: undefined,
    testTimeout: 60_000,
    include: ['mutants.test.ts'],
    runner: ${JSON.stringify(runner)},
    reporters: ['default'],
    sequence: { shuffle: false },
    typecheck: { enabled: false },
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    silent: true,
    teardownTimeout: 1000,
  },
}
`

/** Copies the working tree to a folder and sets it up for the runner. Answers the files, relative to it. */
export function copyOf(root, folder) {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  const deleted = execFileSync('git', ['ls-files', '-z', '-d'], { cwd: root, encoding: 'utf8' }).split('\0')
  const files = listed.split('\0').filter((file) => file && file !== 'node_modules' && !deleted.includes(file))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  // What the server hands out as it was built.
  const built = 'dist/documents.js'
  mkdirSync(join(folder, 'dist'))
  if (existsSync(join(root, built))) copyFileSync(join(root, built), join(folder, built))
  writeFileSync(join(folder, 'mutants.test.ts'), DRIVER)
  writeFileSync(join(folder, 'mutants.config.ts'), configOf(fileURLToPath(new URL('runner.mjs', import.meta.url))))
  return files
}

/** Puts all mutants of some files into them, switched off. Answers the mutants. */
export async function instrumented(folder, files) {
  const silence = () => undefined
  const logger = { debug: silence, info: silence, warn: console.warn, isDebugEnabled: () => false }
  const result = await new Instrumenter(logger).instrument(
    files.map((file) => ({ name: file, mutate: true, content: readFileSync(join(folder, file), 'utf8') })),
    { plugins: null, excludedMutations: [], ignorers: [], noHeader: true },
  )
  const header = headerOf(result.mutants.length)
  const changed = new Set(result.mutants.map(({ fileName }) => fileName))
  // What has nothing to change stays as it stands: a test compares what was generated letter by letter.
  for (const { name, content } of result.files.filter(({ name }) => changed.has(name))) {
    const hashBang = /^#!.*\n/.exec(content)?.[0] ?? ''
    writeFileSync(join(folder, name), hashBang + header + byNumber(content.slice(hashBang.length)))
  }
  return result.mutants.filter(({ status }) => status !== 'Ignored')
}
