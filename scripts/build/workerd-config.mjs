// Writes dist/workerd.capnp, with which `fauxgate sandbox` starts workerd: the configuration of src/sandbox. The
// modules of the Worker are the files of dist/sandbox.js.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
const { metafile } = await build({
  entryPoints: [`${dist}sandbox.js`],
  bundle: true,
  format: 'esm',
  external: ['cloudflare:workers'],
  // workerd also follows imports without names.
  ignoreAnnotations: true,
  metafile: true,
  write: false,
})
const others = Object.keys(metafile.inputs).map((path) => basename(path))
// The first one is the Worker itself.
const names = new Set(['sandbox.js', ...others])
const modules = [...names].map((name) => `    (name = "${name}", esModule = embed "${name}"),\n`)
const config = readFileSync(new URL('../../src/sandbox/workerd.capnp', import.meta.url), 'utf8')
writeFileSync(`${dist}workerd.capnp`, config.replace(/ {2}modules = \[.*\],/, `  modules = [\n${modules.join('')}  ],`))
