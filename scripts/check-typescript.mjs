// Compiles what README.md and the guides show, and the examples, strictly, against the packed package, with every TypeScript that its types
// are for: `node scripts/check-typescript.mjs [version…]`. Needs `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { imported } from './imported.mjs'
import { asHere, install, root, withPackage } from './shared.mjs'

const VERSIONS = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2']
/** The packages that the blocks import beside this one. */
const OTHERS = ['@ngrok/ngrok-api', '@types/node', 'jest', 'msw', 'vitest']

/** Compiled as Node resolves the package, with its declarations checked too. They need no other package. */
const DECLARATIONS = `import { createGateway, type Gateway, manualClock, ngrok } from 'fauxgate'
import { timersOn } from 'fauxgate/clock'
import { createNgrok, type IpPolicy, ngrokFamilies, type TunnelSession } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import 'fauxgate/openapi'
import 'fauxgate/testing'
const gateway: Gateway = createGateway()
const { clock } = createGateway({ clock: manualClock(0) })
clock.advance('30s')
const timers = timersOn(clock)
const slept: Promise<void> = new Promise<void>((resolve) => timers.setTimeout(resolve, 5))
const takesTimers = (from: { setTimeout: typeof setTimeout; clearInterval: typeof clearInterval; Date: DateConstructor }) => from
takesTimers(timers)
const addr: string = gateway.reservedAddrs.create({ region: 'eu' }).addr
// @ts-expect-error: there is no such region
gateway.reservedAddrs.create({ region: 5 })
const office = createNgrok({ clock: manualClock(0), initial: { ipPolicies: [{ description: 'the office' }] } })
const policy: IpPolicy | undefined = office.ipPolicies.list().ip_policies[0]
const session: TunnelSession = office.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok-free.app' }] })
office.faults.add({ operation: 'ip_policies.create', error: 'ip_policy_action' })
// @ts-expect-error: the URL of an endpoint is a text
office.declare.tunnelSession({ endpoints: [{ url: 5 }] })
// @ts-expect-error: there is no such operation
office.faults.add({ operation: 'ip_policies.paint' })
const { ipPolicies } = ngrokFamilies
const some = createGateway({ dialect: ngrok, families: { ipPolicies } })
const id: string = some.ipPolicies.create({ description: 'the office' }).id
// @ts-expect-error: this gateway has no such family
some.vaults
export { addr, id, policy, serve, session, slept }
`

/** Families of one's own, which need valibot. */
const OWN = `import { createGateway } from 'fauxgate'
import { declareErrors, familyOf, field, operation } from 'fauxgate/kit'
const errors = declareErrors({ widget_invalid: field(95000, 400) })
const count = { name: 'widgets.count', method: 'GET', path: '/widgets', status: 200, summary: 'Count', ids: {} } as const
const widgets = familyOf({ operations: { count: operation({ ...count, run: () => 5 }) }, errors, collections: [] })
const counted: number = createGateway({ families: { widgets } }).widgets.count()
// @ts-expect-error: a count is a number
const text: string = createGateway({ families: { widgets } }).widgets.count()
export { counted, text }
`

/** A test of vitest. */
const FIXTURE = `import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
testUsing(createNgrok)('an office has a policy', ({ gateway }) => {
  const text: string = gateway.ipPolicies.create({ description: 'the office' }).id
  // @ts-expect-error: an id is a text
  const number: number = gateway.ipPolicies.create({ description: 'the office' }).id
  return [text, number]
})
`

const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS
const { entryPointsByImport } = await imported('scripts/entries.ts')
const { COMPILER_OPTIONS, typescriptBlocks, writeBlocks } = await imported('test/docs/compiled.ts')

const AS_NODE = { module: 'NodeNext', moduleResolution: 'NodeNext', skipLibCheck: false, types: [] }

/** Writes the surroundings of fragments into a folder, with the package in the place of its sources. */
function writeSurroundings(folder, entryPoints) {
  const names = new Map(Object.entries(entryPoints).map(([name, path]) => [join(root, path), name]))
  const write = (path) => {
    const text = readFileSync(path, 'utf8').replace(/'(\.[^']*\.ts)'/g, (_quoted, imported) => {
      const source = join(dirname(path), imported)
      if (names.has(source)) return `'${names.get(source)}'`
      write(source)
      return `'./${basename(source, '.ts')}.js'`
    })
    writeFileSync(join(folder, basename(path)), text)
  }
  mkdirSync(folder)
  write(join(root, 'test/docs/surroundings.ts'))
}

/** Returns what a version of the compiler says of a part of the folder. */
function problemsOf(folder, version, include, more = {}) {
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...more }, include }))
  const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

await withPackage(async (folder, tarball) => {
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)
  install(folder, tarball, ...asHere(...OTHERS), ...compilers)
  writeSurroundings(join(folder, 'blocks'), entryPointsByImport)
  writeBlocks(join(folder, 'blocks'))
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  writeFileSync(join(folder, 'declarations.mts'), DECLARATIONS)
  writeFileSync(join(folder, 'own.mts'), OWN)
  writeFileSync(join(folder, 'fixture.ts'), FIXTURE)
  const ofDeclarations = new Map(
    versions.map((each) => [each, problemsOf(folder, each, ['declarations.mts'], AS_NODE)]),
  )
  install(folder, ...asHere('valibot'))
  for (const version of versions) {
    const problems =
      ofDeclarations.get(version) +
      problemsOf(folder, version, ['own.mts'], AS_NODE) +
      problemsOf(folder, version, ['fixture.ts', 'blocks', 'examples/**/*.ts'])
    if (problems === '') {
      console.log(
        `ok  ${typescriptBlocks.length} blocks of the documents, and the examples, compile with TypeScript ${version}`,
      )
      continue
    }
    console.error(`FAILED  TypeScript ${version}\n${problems}`)
    process.exitCode = 1
  }
})
