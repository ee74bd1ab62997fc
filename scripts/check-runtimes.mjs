// Uses the packed package on Node 20, 22, 24 and 26, and its main entry in a worker. Needs `npm run build`.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { NODES, nodeOf } from './nodes.mjs'
import { asHere, install, root, run, withPackage } from './packed.mjs'

const WORKERD = '1.20261117.1'

/** The entry points: those that load by themselves, what vitest, Jest and workerd alone can load, and what is data. */
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const ELSEWHERE = ['./vitest', './jest', './sandbox', './package.json']
const names = Object.keys(entries)
  .filter((entry) => !ELSEWHERE.includes(entry))
  .map((entry) => entry.replace('.', 'fauxgate'))

const notEmpty = (name, loaded) => `if (Object.keys(${loaded}).length === 0) throw new Error('${name}')`
/** What stands for Jest’s global expect, and sees that it is given the matchers. */
const withJest = (loading) => `globalThis.expect = { extend: (all) => { globalThis.given = all } }
${loading}
if (typeof globalThis.given.toHaveCertificate !== 'function') throw new Error('fauxgate/jest')`
const isData = (name) => name.endsWith('.json')
const IMPORTS = [
  ...names.filter((name) => !isData(name)).map((name) => notEmpty(name, `await import('${name}')`)),
  withJest(`await import('fauxgate/jest')`),
]
const REQUIRES = [...names.map((name) => notEmpty(name, `require('${name}')`)), withJest(`require('fauxgate/jest')`)]

const WORKER = `
import { createGateway, manualClock } from 'fauxgate'
export default {
  async fetch() {
    const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
    const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
    const domain = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy })
    const headers = { authorization: 'Bearer key', 'service-version': '2' }
    await gateway.clock.advanceAsync('30s')
    const { certificate } = gateway.reservedDomains.get(domain.id)
    return gateway.fetch(gateway.url + '/tls_certificates/' + certificate.id, { headers })
  },
}
`

async function checkWorker(folder) {
  writeFileSync(join(folder, 'worker.js'), WORKER)
  await build({
    entryPoints: [join(folder, 'worker.js')],
    bundle: true,
    format: 'esm',
    outfile: join(folder, 'bundle.js'),
    logLevel: 'error',
  })
  const port = await freePort()
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "bundle.js", esModule = embed "bundle.js")],
    compatibilityDate = "2026-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`,
  )
  const worker = spawn(join(folder, 'node_modules/.bin/workerd'), ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: 'inherit',
  })
  try {
    const answer = await whenUp(`http://127.0.0.1:${port}/`)
    const { subject_common_name } = await answer.json()
    if (subject_common_name !== 'app.example.com') throw new Error('The worker answered something else.')
    console.log('ok  works in workerd')
  } finally {
    worker.kill()
  }
}

async function whenUp(url) {
  for (let left = 100; ; left--) {
    try {
      return await fetch(url)
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

await withPackage(async (folder, tarball) => {
  install(folder, tarball, ...asHere('msw'), `workerd@${WORKERD}`)
  writeFileSync(join(folder, 'use.mjs'), IMPORTS.join('\n'))
  writeFileSync(join(folder, 'use.cjs'), REQUIRES.join('\n'))
  for (const major of NODES) {
    const { path, version } = nodeOf(major)
    for (const file of ['use.mjs', 'use.cjs']) run(folder, path, file)
    console.log(`ok  every entry point but vitest's loads on Node ${version}, imported and required`)
  }
  await checkWorker(folder)
})
