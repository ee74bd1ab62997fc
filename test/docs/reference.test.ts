import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as main from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'
import { upload } from '../support/pem.ts'

const root = new URL('../../', import.meta.url)

test('docs/reference is what the schemas and operations say; its examples work, over HTTP as by direct calls', async () => {
  const { pagesOf } = await import(new URL('scripts/reference/pages.mjs', root).href)
  const pages = await pagesOf({ ...main, openApi, upload: upload('ed25519') })
  const folder = new URL('docs/reference/', root)
  const written = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])
  // Otherwise: npm run reference.
  expect(Object.fromEntries(written)).toEqual(pages)
})
