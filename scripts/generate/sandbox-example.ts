// Generates the module with the files of examples/sandbox, which `fauxgate sandbox init` writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files, in the order in which the command names them. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': 'what to do with these files',
  'package.json': 'the packages and the scripts',
  '.gitignore': 'the files to keep out of git',
  Dockerfile: 'an image with workerd',
  '.dockerignore': 'the files to keep out of the image',
  'compose.yaml': 'a service with a volume for the data',
  'worker.js': 'the Worker, for Cloudflare',
  'wrangler.jsonc': 'the configuration of the Worker for Cloudflare',
  'cluster.capnp': 'the configuration of one of several machines',
  'check.mjs': 'a first use: npm run check',
  'test.mjs': 'a test that starts the sandboxes, uses and stops them: npm test',
}

export function sandboxExample(root: string): [file: string, text: string] {
  const files = Object.entries(FILES).map(([name, purpose]) => {
    return { name, purpose, text: readFileSync(join(root, 'examples/sandbox', name), 'utf8') }
  })
  const head = '// Written by `npm run generate` from examples/sandbox.'
  return ['sandbox-example.ts', `${head}\nexport const sandboxExample = ${JSON.stringify(files, null, 2)}\n`]
}
