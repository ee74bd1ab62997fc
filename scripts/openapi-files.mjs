// Writes the OpenAPI documents of the dialects into dist, where the package has them.
import { writeFileSync } from 'node:fs'
import { ngrok, standard } from '../dist/index.js'
import { openApi } from '../dist/openapi.js'

for (const [name, dialect] of Object.entries({ 'openapi.json': standard, 'openapi.ngrok.json': ngrok })) {
  writeFileSync(new URL(`../dist/${name}`, import.meta.url), `${JSON.stringify(openApi(dialect))}\n`)
}
