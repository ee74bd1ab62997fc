// Counts the files that a call runs through, and the calls from one file to another: `node tools/bench/hops.mjs`.
// ARCHITECTURE.md has the figures. Each function of a bundle of src reports when it starts and when it ends.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from '../../scripts/typescript.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = new Set()
let crossings = 0
let currentFile

globalThis.startIn = (file) => {
  const caller = currentFile
  files.add(file)
  if (caller !== file) crossings++
  currentFile = file
  return caller
}
globalThis.returnTo = (caller) => {
  currentFile = caller
}

/** Returns the places of a module where text is inserted, outer functions first. */
function listInsertions(module, file) {
  const insertions = []
  const visit = (node) => {
    const isDerived = ts.isConstructorDeclaration(node) && node.parent.heritageClauses !== undefined
    if (ts.isFunctionLike(node) && node.body && !node.asteriskToken && !isDerived) {
      const { body } = node
      const start = `const $caller=startIn(${JSON.stringify(file)});try{`
      const end = '}finally{returnTo($caller)}'
      if (ts.isBlock(body)) insertions.push([body.getStart() + 1, start], [body.getEnd() - 1, end])
      else insertions.push([body.getStart(), `{${start}return(`], [body.getEnd(), `)${end}}`])
    }
    ts.forEachChild(node, visit)
  }
  visit(module)
  return insertions
}

function reportFunctions(path) {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), { compilerOptions })
  const module = ts.createSourceFile('module.js', outputText, ts.ScriptTarget.ES2022, true)
  const insertions = listInsertions(module, relative(join(root, 'src'), path))
  // The last place first, so that the others keep theirs. Of functions that end at one place, the outer one ends last.
  return insertions
    .map(([at, text], order) => ({ at, text, order: text.startsWith(')') ? -order : order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((code, { at, text }) => code.slice(0, at) + text + code.slice(at), outputText)
}

const { outputFiles } = await build({
  entryPoints: [join(root, 'src/index.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
  plugins: [
    {
      name: 'report functions',
      setup: ({ onLoad }) =>
        onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
          path.startsWith(join(root, 'src')) ? { contents: reportFunctions(path), loader: 'js' } : undefined,
        ),
    },
  ],
})
const [{ text }] = outputFiles
const { createGateway, manualClock } = await import(
  `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
)

/** Prints the counts of a call that other calls like it have prepared. */
async function count(name, call) {
  for (let time = 0; time < 5; time++) await call()
  files.clear()
  crossings = 0
  currentFile = undefined
  await call()
  console.log(`${name}: ${files.size} files, ${crossings} calls from one file to another`)
}

const clock = manualClock('2026-01-01T00:00:00Z')
const gateway = createGateway({ seed: 'hops', clock })
const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
const post = { method: 'POST', headers, body: '{"description":"one","region":"us"}' }
await count('a direct call', () => gateway.reservedAddrs.create({ description: 'one', region: 'us' }))
await count('a request', () => gateway.fetch(`${gateway.url}/reserved_addrs`, post))
const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy })
// The first certificate. Later events are in turn the start of a renewal and its certificate.
clock.advanceToNext()
await count('a due event', () => clock.advanceToNext())
