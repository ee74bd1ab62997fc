// The module with the files of examples/sandbox, which `fauxgate sandbox init` writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files, in the order in which the command names them. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': 'what to do with these files',
  'package.json': 'what to install, and the scripts',
  '.gitignore': 'what is no source',
  Dockerfile: 'an image with workerd',
  '.dockerignore': 'what the image does not need',
  'compose.yaml': 'a service with a volume for the data',
  'worker.js': 'the Worker, for Cloudflare',
  'wrangler.jsonc': 'its configuration there',
  'cluster.capnp': 'one of several machines',
  'check.mjs': 'a first use: npm run check',
  'test.mjs': 'the same with a start and a stop: npm test',
}

export function sandboxExample(root: string): [file: string, text: string] {
  const files = Object.entries(FILES).map(([name, what]) => {
    return { name, what, text: readFileSync(join(root, 'examples/sandbox', name), 'utf8') }
  })
  const head = '// Written by `npm run generate` from examples/sandbox.'
  return ['sandbox-example.ts', `${head}\nexport const sandboxExample = ${JSON.stringify(files, null, 2)}\n`]
}
