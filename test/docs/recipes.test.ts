import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-recipes-'))
const toPath = (path: string) => join(folder, path)

/** The copied files: the sources, and the files that the scripts need. */
const COPIED = [
  'src',
  'scripts',
  'tools',
  'docs',
  'test',
  'examples/sandbox',
  'package.json',
  'biome.json',
  '.gitignore',
]
const TSCONFIG = {
  extends: `${root}tsconfig.json`,
  include: [toPath('src'), toPath('try.ts')],
  compilerOptions: { types: ['node'] },
}

/** A recipe of a document: a whole file, or lines to add to a file after existing lines. */
const BLOCK = /^( *)```(tsx?|diff)\n *\/\/ ([\w/.-]+\.tsx?)\n([\s\S]*?)^ *```$/gm

interface Recipe {
  readonly path: string
  readonly isChange: boolean
  readonly text: string
}

const recipes = ['docs/adding-a-family.md', 'CONTRIBUTING.md'].flatMap((document) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(BLOCK)].map(
    ([, indent = '', language, path = '', text = '']): Recipe => ({
      path,
      isChange: language === 'diff',
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
)

/** Makes the changes to a file, each at the lines above its plus, unless somebody has applied the recipe already. */
function applyChange(path: string, change: string): string {
  let text = readFileSync(toPath(path), 'utf8')
  const withoutMarks = (lines: string) => lines.replaceAll(/^[ +-]/gm, '')
  for (const [, before = '', added = ''] of change.matchAll(/((?:^[ -].*\n)+)((?:^\+.*\n)+)/gm)) {
    const [place, lines] = [withoutMarks(before), withoutMarks(added)]
    if (text.includes(lines)) continue
    expect(`\n${text}`, path).toContain(`\n${place}`)
    const kept = withoutMarks(before.replaceAll(/^-.*\n/gm, ''))
    text = `\n${text}`.replace(`\n${place}`, () => `\n${kept}${lines}`).slice(1)
  }
  return text
}

const run = (program: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [toPath(program), ...args], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => Promise.reject(new Error(stdout + stderr)),
  )

/** Programs that use what the recipes add. A document has one more, `try`. */
const PROGRAMS = {
  control: `import { createGateway } from './src/index.ts'
import { clientCommands } from './src/server/client/commands.ts'
const gateway = createGateway()
const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"hello"}' }
const answer = await gateway.fetch('http://localhost/_fauxgate/notes', sent)
const counted = await gateway.fetch('http://localhost/_fauxgate/dns/count')
gateway.dns.a('app.example.com', '192.0.2.1')
const usageOf = (command) => clientCommands.flatMap(({ name, words, summary }) => name === command ? [name, words, summary] : [])
console.log(gateway.notes.shout('hello'), (await answer.json()).text, ...usageOf('shout'))
console.log(gateway.dns.count(), await counted.json(), ...usageOf('dns count'))`,
  action: `import { createNgrok } from './src/gateway/ngrok.ts'
const gateway = createNgrok()
const url = 'https://app.ngrok-free.app'
const policyOf = (value) => "on_http_request: [{ actions: [{ type: tag, config: { value: '" + value + "' } }] }]"
try {
  gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy: policyOf('x'.repeat(65)) }] })
} catch (error) {
  console.log(error.code)
}
gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy: policyOf('\${req.method}') }] })
gateway.traffic.upstream(url, ({ headers }) => new Response(headers.get('x-tag')))
console.log(await (await gateway.traffic.fetch(url)).text())`,
  options: `import { readGatewayOptions } from './src/gateway/options.ts'
import { readArguments } from './src/server/commands/command.ts'
import { helpOn } from './src/server/commands/help.ts'
import { serveCommand } from './src/server/commands/serve.ts'
import { gatewayOptionsOf } from './src/server/options/gateway-options.ts'
import { parseOptions } from './src/server/options/parsed-options.ts'
const flags = readArguments(['--pid-file', 'x.pid', '--dialect', 'acme'], serveCommand.flags, 'serve')
const parsed = parseOptions(flags, { FAUXGATE_JOB_TIMEOUT: '3d' }, undefined)
const { dialect, jobTimeout } = readGatewayOptions(await gatewayOptionsOf(parsed))
const { pidFile } = parsed.config
console.log(pidFile, dialect.name, jobTimeout, readGatewayOptions({}).jobTimeout)
console.log(helpOn(serveCommand).split('\\n\\n')[2]?.match(/--(pid-file FILE|job-timeout D|dialect [a-z|]+) /g)?.join(''))`,
}

/** Bundles all programs together, because they share the sources. */
async function buildPrograms(): Promise<void> {
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(toPath(`${name}.ts`), text)
  await build({
    entryPoints: [toPath('try.ts'), ...Object.keys(PROGRAMS).map((name) => toPath(`${name}.ts`))],
    outdir: toPath('programs'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
}

/** Runs a program of the copy and returns its output. */
const runProgram = async (name: keyof typeof PROGRAMS | 'try') => (await run(`programs/${name}.mjs`)).trim()

/** The time limit in ms: the tests compile all sources, beside other tests. */
const TIMEOUT_MS = 300_000

beforeAll(async () => {
  const filter = (path: string) => basename(path) !== 'node_modules'
  for (const path of COPIED) cpSync(join(root, path), toPath(path), { recursive: true, filter })
  symlinkSync(join(root, 'node_modules'), toPath('node_modules'), 'junction')
  writeFileSync(toPath('tsconfig.json'), JSON.stringify(TSCONFIG))
  for (const { path, isChange, text } of recipes) {
    if (!isChange) expect(existsSync(toPath(path)), path).toBe(false)
    writeFileSync(toPath(path), isChange ? applyChange(path, text) : text)
  }
  await run('scripts/generate.mjs', 'types', 'own-numbers', 'reference', 'control-api')
  await buildPrograms()
}, TIMEOUT_MS)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test(
  'The recipes of the documents compile together',
  async () => {
    expect(recipes.length).toBeGreaterThan(8)
    await run('node_modules/typescript-7/bin/tsc', '--noEmit', '--singleThreaded', '--project', toPath('tsconfig.json'))
  },
  TIMEOUT_MS,
)

test('The recipes pass lint, except the formatter', async () => {
  const files = [...new Set(recipes.map(({ path }) => path))]
  await run('node_modules/@biomejs/biome/bin/biome', 'lint', '--error-on-warnings', ...files)
})

test('An added family is served, listed and documented, with its field and its error', async () => {
  const page = readFileSync(toPath('docs/reference.md'), 'utf8')
  expect(page).toMatch(/^- AddressListCreate \{ .*is_strict: bool/m)
  expect(page).toMatch(/^\| 95102 \| 400 \| ip_range_too_wide \| .* 2\^24 addresses\. \|$/m)
  expect(readFileSync(toPath('docs/decisions/errors.md'), 'utf8')).toMatch(
    /^\| 95102 \| 400 \| `ip_range_too_wide` \| \S.* 2\^24 addresses\. \|$/m,
  )
  const { text = '' } = recipes.find(({ path }) => path === 'try.ts') ?? {}
  expect(await runProgram('try')).toBe(text.split('// ').at(-1)?.trim())
})

test('An added control, and an added verb of a control, is a member, a path, a command and a row of the guide', async () => {
  const guide = readFileSync(toPath('docs/control-api.md'), 'utf8')
  expect(guide).toContain(
    'Removes all faults, or the fault with `?id=…`. 204. |\n' +
      '| `POST /_fauxgate/notes` | Return a note in capitals. Fields: `text`. |\n',
  )
  expect(guide).toContain(
    '`type`, and `value`. 204. |\n| `GET /_fauxgate/dns/count` | Count the records of the simulated DNS zone. |\n',
  )
  expect(await runProgram('control')).toBe(
    'HELLO HELLO shout TEXT Return a note in capitals\n1 0 dns count  Count the records of the simulated DNS zone',
  )
})

test.each([
  ['verb', 'src/control/dns.ts', "name: 'dns count'"],
  ['field', 'src/service/resources/address-lists.ts', '+    is_strict: column('],
])('An added %s is written in one place', (_what, path, added) => {
  const changes = recipes.filter(({ isChange, text }) => isChange && text.includes(added))
  expect(changes.map((change) => change.path)).toEqual([path])
  expect(changes[0]?.text.match(/(?:^\+.*\n)+/gm)).toHaveLength(1)
})

test('An added action is checked, carried out, and part of the reference and of the schema for editors', async () => {
  expect(readFileSync(toPath('docs/policy-reference.md'), 'utf8')).toContain('\n### tag\n')
  expect(readFileSync(toPath('policy.schema.json'), 'utf8')).toContain('Adds the header x-tag to the request.')
  expect(await runProgram('action')).toBe('ERR_NGROK_2221\nGET')
})

test('Added options and an added dialect are flags, variables and members of the config file, with types and help', async () => {
  expect(await runProgram('options')).toBe(
    'x.pid acme 259200000 172800000\n--pid-file FILE --dialect standard|ngrok|acme --job-timeout D',
  )
})
