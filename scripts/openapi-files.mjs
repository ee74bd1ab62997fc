// Writes the OpenAPI documents of the dialects into dist, where the package has them.
import { writeFileSync } from 'node:fs'
import { ngrok, standard } from '../dist/index.js'
import { openApi } from '../dist/openapi.js'

for (const [name, dialect] of Object.entries({ 'openapi.json': standard, 'openapi.ngrok.json': ngrok })) {
  const text = JSON.stringify(openApi(dialect))
  if (/\\t\d/.test(text)) throw new Error(`A sentence of ${name} is not in its place.`)
  writeFileSync(new URL(`../dist/${name}`, import.meta.url), `${text}\n`)
}
